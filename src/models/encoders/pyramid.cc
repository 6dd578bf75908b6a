// pyramid: bidirectional recurrent layers, each but the first reading two columns of the one below as one,
// [h_2i ; h_2i+1]: a long source becomes 2^(layers - 1) times shorter.
// Chan, Jaitly, Le & Vinyals 2015, "Listen, attend and spell".
#include <fmt/core.h>

#include "base/as_size.h"
#include "models/encoders/rnn.h"

namespace fovea {

namespace {

class PyramidEncoder : public Encoder {
 public:
  PyramidEncoder(Parameters& parameters, const ModelOptions& options, const Input& input) {
    for (int layer = 0; layer < options.encoder.layers; ++layer) {
      const int in = layer == 0 ? input.size() : 2 * layers_[0].size();
      layers_.emplace_back(parameters, fmt::format("encoder.level{}", layer), options.encoder.cell,
                           RecurrentStack::Sizes{in, options.encoder.size, 1, options.encoder.bidirectional, false});
    }
  }

  Encoded encode(Pass& pass, const InputVectors& x, Mask mask) const override {
    Encoded out;
    Memory memory = {x.dropped(pass), mask};
    for (std::size_t level = 0; level < layers_.size(); ++level) {
      if (level > 0) memory = halved(pass, memory);
      const Encoded encoded = layers_[level].run(pass, memory.values, memory.mask);
      memory = encoded.memory;
      out.last.push_back(encoded.last[0]);
    }
    out.memory = memory;
    if (layers_.size() > 1) tell_shares(pass, mask, out);
    return out;
  }
  int memory_size() const override { return layers_[0].size(); }
  bool has_c() const override { return layers_[0].has_c(); }

 private:
  static Memory halved(Pass& pass, const Memory& memory) {
    const int positions = memory.mask.positions, batch = memory.mask.batch, half = (positions + 1) / 2;
    const Tensor real = windows(memory.values, 1, memory.mask);  // zeros for pads, which recurrent layers do not give
    const auto even = pass.arena().array<std::int32_t>(as_size(half));
    const auto odd = pass.arena().array<std::int32_t>(as_size(positions / 2));
    for (int i = 0; i < half; ++i) even[i] = 2 * i;
    for (int i = 0; i < positions / 2; ++i) odd[i] = 2 * i + 1;
    Tensor right;
    if (!odd.empty()) right = gather_rows(real, odd);
    if (positions % 2 == 1) {
      Tensor none = pass.tape().make({1, batch, real.shape()[2]});
      for (Real& value : none.values()) value = 0;
      right = right ? join_steps(right, none) : none;
    }
    const auto mask = pass.arena().array<std::uint8_t>(as_size(half) * batch);
    for (int i = 0; i < half * batch; ++i) {
      const int left = i / batch * 2 * batch + i % batch;
      mask[i] = memory.mask.data[left] || (left + batch < positions * batch && memory.mask.data[left + batch]);
    }
    return {concat({gather_rows(real, even), right}), {mask.data(), half, batch}};
  }

  // A column is of all positions it was made of alike.
  void tell_shares(Pass& pass, Mask mask, Encoded& out) const {
    const int columns = out.memory.mask.positions, batch = mask.batch, cells = mask.positions * batch;
    const auto column_of = pass.arena().array<std::int32_t>(as_size(cells));
    const auto counts = pass.arena().array<std::int32_t>(as_size(columns * batch));
    std::ranges::fill(counts, 0);
    for (int cell = 0; cell < cells; ++cell) {
      column_of[cell] = (cell / batch) >> (layers_.size() - 1);
      if (mask.data[cell]) ++counts[column_of[cell] * batch + cell % batch];
    }
    out.share_of = pass.tape().make({mask.positions, batch});
    for (int cell = 0; cell < cells; ++cell) {
      const int made_of = counts[column_of[cell] * batch + cell % batch];
      out.share_of.data()[cell] = mask.data[cell] ? Real(1) / Real(made_of) : Real(0);
    }
    out.column_of = column_of;
  }

  std::vector<RecurrentStack> layers_;
};

}  // namespace

extern const EncoderKind Encoder_pyramid = {
    .name = "pyramid",
    .formula = "layer l reads [h_2i ; h_2i+1] of layer l - 1",
    .paper = "Chan 2015",
    .make = made_encoder<PyramidEncoder>,
    .keeps_positions = [](const EncoderOptions& options) { return options.layers == 1; },
    .tells_shares = true};

}  // namespace fovea
