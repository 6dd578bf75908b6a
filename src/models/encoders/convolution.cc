// convolution: layers of convolutions without pooling, so that each symbol keeps a column of its own; from the second
// layer on what is read is added. Positions are added to the embeddings.
#include <fmt/core.h>

#include "layers/linear.h"
#include "models/encoder.h"
#include "models/positions.h"

namespace fovea {

namespace {

class ConvolutionEncoder : public Encoder {
 public:
  ConvolutionEncoder(Parameters& parameters, const ModelOptions& options, int symbols)
      : size_(options.encoder.size),
        width_(options.encoder.width),
        symbols_(parameters, "encoder.embedding", symbols, options.encoder.embedding, options.encoder.frozen),
        positions_(parameters, "encoder.positions", options.encoder.positions, options.encoder.embedding,
                   options.encoder.max_positions) {
    for (int layer = 0; layer < options.encoder.layers; ++layer) {
      layers_.emplace_back(parameters, fmt::format("encoder.layer{}", layer),
                           width_ * (layer == 0 ? options.encoder.embedding : size_), size_);
    }
  }

  Encoded encode(Pass& pass, const Side& source, Mask mask) const override {
    const Shape leading = {source.length, source.batch};
    Tensor x = symbols_.dropped(pass, source.ids, leading);
    if (!positions_.none()) x = add(x, scale(positions_.vectors(pass, leading, {}), position_share));
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      const Tensor y = tanh(layers_[i](pass, windows(x, width_, mask)));
      x = pass.drop(i == 0 ? y : add(x, y), fmt::format("encoder.layer{}", i));
    }
    const Memory memory = {x, mask};
    return {memory, mean_state(memory)};
  }
  int memory_size() const override { return size_; }

 private:
  static constexpr Real position_share = Real(0.1);  // embeddings start in -0.1 .. 0.1
  int size_;
  int width_;
  SymbolVectors symbols_;
  Positions positions_;
  std::vector<Linear> layers_;
};

}  // namespace

extern const EncoderKind Encoder_convolution = {"convolution", "h^l_i = h^{l-1}_i + tanh(W h^{l-1}_{i-k..i+k} + b)",
                                                "Gehring 2017", made_encoder<ConvolutionEncoder>};

}  // namespace fovea
