#include "models/output.h"

#include <algorithm>

namespace fovea {

#define OUTPUT(name) extern const OutputKind Output_##name;
#include "models/outputs/outputs.def"
#undef OUTPUT

std::span<const OutputKind* const> outputs() {
  static const std::vector<const OutputKind*> list = {
#define OUTPUT(name) &Output_##name,
#include "models/outputs/outputs.def"
#undef OUTPUT
  };
  return list;
}

std::vector<std::string> output_names() {
  std::vector<std::string> names;
  for (const OutputKind* kind : outputs()) names.emplace_back(kind->name);
  return names;
}

const OutputKind& find_output(std::string_view name) {
  for (const OutputKind* kind : outputs()) {
    if (kind->name == name) return *kind;
  }
  throw usage_error("no output \"{}\"; see fovea list outputs", name);
}

OutputLayer::OutputLayer(Parameters& parameters, const OutputOptions& options, const OutputSizes& sizes)
    : tied_(options.tied) {
  if (tied_) {
    weight_ = sizes.table;
    if (sizes.features != sizes.table_size) {
      narrow_.emplace(parameters, "output.narrow", sizes.features, sizes.table_size, false);
    }
  } else {
    weight_ = parameters.add("output.choice.weight", {sizes.features, sizes.symbols}, Initial::fan_in(sizes.features));
  }
  bias_ = parameters.add("output.choice.bias", {sizes.symbols}, Initial::constant(0));
}

Tensor OutputLayer::logits(Pass& pass, Tensor features) const {
  if (!tied_) return linear(features, pass(weight_), pass(bias_));
  return linear_transposed(narrow_ ? (*narrow_)(pass, features) : features, pass(weight_), pass(bias_));
}

OutputLayer::Written OutputLayer::write(Pass& pass, const Readout& readout, const OutputSources&) const {
  return {log_softmax(logits(pass, readout.features)), {}, {}};
}

SharedSoftmax softmax_with(Pass& pass, Tensor first, Tensor scores, Mask mask) {
  const auto real = pass.arena().array<std::uint8_t>(static_cast<std::size_t>(mask.positions + 1) * mask.batch);
  std::fill_n(real.begin(), mask.batch, std::uint8_t(1));
  std::copy_n(mask.data, mask.positions * mask.batch, real.begin() + mask.batch);
  const Tensor all = masked_softmax(concat({first, scores}), {real.data(), mask.positions + 1, mask.batch});
  return {columns(all, 0, 1), columns(all, 1, mask.positions)};
}

}  // namespace fovea
