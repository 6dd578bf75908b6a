#include "models/encoders/rnn.h"

#include <fmt/core.h>

namespace fovea {

RnnEncoder::RnnEncoder(Parameters& parameters, const EncoderOptions& options, int symbols)
    : size_(options.size),
      directions_(options.bidirectional ? 2 : 1),
      embedding_(parameters, "encoder.embedding", symbols, options.embedding) {
  for (int layer = 0; layer < options.layers; ++layer) {
    const int in = layer == 0 ? options.embedding : memory_size();
    for (int direction = 0; direction < directions_; ++direction) {
      const std::string name = fmt::format("encoder.layer{}.{}", layer, direction == 0 ? "forward" : "backward");
      cells_.emplace_back(parameters, name, options.cell, in, size_);
    }
  }
}

Encoded RnnEncoder::encode(Pass& pass, const Side& source) const {
  const Mask mask = source.mask();
  Tensor x = embedding_(pass, source.ids, {source.length, source.batch});  // [positions, batch, embedding]
  x = pass.drop(x, "encoder.embedding");
  Encoded encoded;
  for (std::size_t i = 0; i < cells_.size(); i += static_cast<std::size_t>(directions_)) {
    const Cell::Sequence forward = cells_[i].run(pass, x, {}, mask, Direction::forward);
    encoded.last_h = {forward.last.h};
    encoded.last_c = {forward.last.c};
    Tensor y = forward.h;
    if (directions_ == 2) {
      const Cell::Sequence backward = cells_[i + 1].run(pass, x, {}, mask, Direction::backward);
      encoded.last_h.push_back(backward.last.h);
      encoded.last_c.push_back(backward.last.c);
      y = concat({forward.h, backward.h});  // [positions, batch, 2 size]
    }
    x = pass.drop(y, fmt::format("encoder.layer{}", i));
  }
  encoded.memory = {x, mask};
  return encoded;
}

}  // namespace fovea
