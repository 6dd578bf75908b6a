#include "models/decoders/bridge.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/as_size.h"

namespace fovea {

std::vector<std::string> bridge_names() { return {"zero", "last", "mean", "learned"}; }

bool bridge_reads_source(std::string_view name) { return name == "last" || name == "mean"; }

Bridge::Bridge(Parameters& parameters, const std::string& name, const DecoderOptions& options,
               const EncodedSizes& encoded)
    : kind_(options.bridge == "zero"   ? Kind::zero
            : options.bridge == "last" ? Kind::last
            : options.bridge == "mean" ? Kind::mean
                                       : Kind::learned),
      layers_(options.layers),
      size_(options.size),
      has_c_(options.cell == "lstm") {
  const int from = kind_ == Kind::mean ? encoded.memory : encoded.state;
  const bool as_it_is = kind_ == Kind::last && from == size_ && encoded.has_c == has_c_;
  const int count = has_c_ ? 2 * layers_ : layers_;
  for (int i = 0; i < count && kind_ != Kind::zero && !as_it_is; ++i) {
    const std::string part = fmt::format("{}.{}{}", name, i < layers_ ? "h" : "c", i % layers_);
    if (kind_ == Kind::learned) {
      learned_.push_back(parameters.add(part, {1, size_}, Initial::uniform(0.1)));
    } else {
      maps_.emplace_back(parameters, part, from, size_);
    }
  }
}

Tensor Bridge::first(Pass& pass, const Encoded& encoded, Tensor last, std::size_t index) const {
  const int batch = encoded.memory.mask.batch;
  if (kind_ == Kind::zero) {
    Tensor zeros = pass.tape().make({batch, size_});
    std::ranges::fill(zeros.values(), Real(0));
    return zeros;
  }
  if (kind_ == Kind::learned) {
    const auto rows = pass.arena().array<std::int32_t>(as_size(batch));
    std::ranges::fill(rows, 0);
    return gather_rows(pass(learned_[index]), rows);
  }
  if (kind_ == Kind::mean) return tanh(maps_[index](pass, masked_mean(encoded.memory.values, encoded.memory.mask)));
  return maps_.empty() ? last : tanh(maps_[index](pass, last));
}

std::vector<CellState> Bridge::states(Pass& pass, const Encoded& encoded) const {
  std::vector<CellState> states(as_size(layers_));
  const int above = static_cast<int>(encoded.last.size()) - layers_;  // the top layers stand side by side
  for (std::size_t i = 0; i < states.size(); ++i) {
    const auto from = as_size(std::max(0, static_cast<int>(i) + above));
    const CellState last = encoded.last.empty() ? CellState() : encoded.last[from];
    states[i].h = first(pass, encoded, last.h, i);
    if (has_c_) states[i].c = first(pass, encoded, last.c ? last.c : last.h, i + states.size());
  }
  return states;
}

}  // namespace fovea
