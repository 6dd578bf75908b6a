#include "models/encoders/rnn.h"

#include <fmt/core.h>

namespace fovea {

RecurrentStack::RecurrentStack(Parameters& parameters, const std::string& name, const std::string& cell,
                               const Sizes& sizes)
    : name_(name), size_(sizes.size), directions_(sizes.bidirectional ? 2 : 1), residual_(sizes.residual) {
  for (int layer = 0; layer < sizes.layers; ++layer) {
    for (int direction = 0; direction < directions_; ++direction) {
      cells_.emplace_back(parameters,
                          fmt::format("{}.layer{}.{}", name, layer, direction == 0 ? "forward" : "backward"), cell,
                          layer == 0 ? sizes.in : size(), size_);
    }
  }
}

Encoded RecurrentStack::run(Pass& pass, Tensor x, Mask mask) const {
  Encoded encoded;
  for (std::size_t i = 0; i < cells_.size(); i += static_cast<std::size_t>(directions_)) {
    const Cell::Sequence forward = cells_[i].run(pass, x, {}, mask, Direction::forward);
    Tensor y = forward.h;
    CellState last = forward.last;
    if (directions_ == 2) {
      const Cell::Sequence backward = cells_[i + 1].run(pass, x, {}, mask, Direction::backward);
      y = concat({forward.h, backward.h});  // [positions, batch, 2 size]
      last.h = concat({last.h, backward.last.h});
      if (last.c) last.c = concat({last.c, backward.last.c});
    }
    encoded.last.push_back(last);
    if (residual_ && i > 0) y = add(y, x);
    x = pass.drop(y, fmt::format("{}.layer{}", name_, i));
  }
  encoded.memory = {x, mask};
  return encoded;
}

RnnEncoder::RnnEncoder(Parameters& parameters, const ModelOptions& options, int symbols)
    : layers_(options.encoder.layers),
      symbols_(parameters, "encoder.embedding", symbols, options.encoder.embedding, options.encoder.frozen),
      stack_(parameters, "encoder", options.encoder.cell,
             {options.encoder.embedding, options.encoder.size, options.encoder.layers, options.encoder.bidirectional,
              options.encoder.residual}) {}

Encoded RnnEncoder::encode(Pass& pass, const Side& source, Mask mask) const {
  return stack_.run(pass, symbols_.dropped(pass, source.ids, {source.length, source.batch}), mask);
}

extern const EncoderKind Encoder_rnn = {"rnn", "h_i = [forward_i ; backward_i], layers of LSTM or GRU", "Bahdanau 2015",
                                        made_encoder<RnnEncoder>};

}  // namespace fovea
