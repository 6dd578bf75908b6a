#include "models/encoders/rnn.h"

#include <fmt/core.h>

#include "base/as_size.h"

namespace fovea {

RecurrentStack::RecurrentStack(Parameters& parameters, const std::string& name, const std::string& cell,
                               const Sizes& sizes)
    : name_(name),
      size_(sizes.size),
      directions_(sizes.bidirectional ? 2 : 1),
      residual_(sizes.residual),
      dropped_(sizes.dropped) {
  for (int layer = 0; layer < sizes.layers; ++layer) {
    for (int direction = 0; direction < directions_; ++direction) {
      cells_.emplace_back(parameters,
                          fmt::format("{}.layer{}.{}", name, layer, direction == 0 ? "forward" : "backward"), cell,
                          layer == 0 ? sizes.in : size(), size_);
    }
  }
}

RecurrentStack::Products RecurrentStack::project_symbols(const SymbolVectors& vectors) const {
  Products products;
  for (int direction = 0; direction < directions_; ++direction) {
    products.push_back(cells_[as_size(direction)].project_symbols(vectors));
  }
  return products;
}

Encoded RecurrentStack::run(Pass& pass, Tensor x, std::span<const Tensor> projected, Mask mask) const {
  const auto run_cell = [&](std::size_t cell, Direction direction) {
    return cell < projected.size() ? cells_[cell].run_projected(pass, projected[cell], {}, mask, direction)
                                   : cells_[cell].run(pass, x, {}, mask, direction);
  };
  Encoded encoded;
  for (std::size_t i = 0; i < cells_.size(); i += as_size(directions_)) {
    const Cell::Sequence forward = run_cell(i, Direction::forward);
    Tensor y = forward.h;
    CellState last = forward.last;
    if (directions_ == 2) {
      const Cell::Sequence backward = run_cell(i + 1, Direction::backward);
      y = concat({forward.h, backward.h});  // [positions, batch, 2 size]
      last.h = concat({last.h, backward.last.h});
      if (last.c) last.c = concat({last.c, backward.last.c});
    }
    encoded.last.push_back(last);
    if (residual_ && i > 0) y = add(y, x);
    x = dropped_ ? pass.drop(y, fmt::format("{}.layer{}", name_, i)) : y;
  }
  encoded.memory = {x, mask};
  return encoded;
}

RnnEncoder::RnnEncoder(Parameters& parameters, const ModelOptions& options, const Input& input)
    : stack_(parameters, "encoder", options.encoder.cell,
             {input.size(), options.encoder.size, options.encoder.layers, options.encoder.bidirectional,
              options.encoder.residual}) {
  if (input.table()) first_ = stack_.project_symbols(*input.table());
}

Encoded RnnEncoder::encode(Pass& pass, const InputVectors& x, Mask mask) const {
  if (!x.symbols() || !first_[0]->serves(pass, x.ids())) return stack_.run(pass, x.dropped(pass), mask);
  std::vector<Tensor> projected;
  for (const auto& products : first_) projected.push_back((*products)(pass, x.ids(), {mask.positions, mask.batch}));
  return stack_.run_projected(pass, projected, mask);
}

extern const EncoderKind Encoder_rnn = {"rnn", "h_i = [forward_i ; backward_i], layers of LSTM or GRU", "Bahdanau 2015",
                                        made_encoder<RnnEncoder>};

}  // namespace fovea
