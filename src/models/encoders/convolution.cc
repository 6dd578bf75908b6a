// convolution: layers of convolutions without pooling, so that each symbol keeps a column of its own. A layer makes two
// numbers of each window for every one it gives, and lets the second decide how much of the first comes through (a
// gated linear unit); what it read is added, and the sum made as large again as what came in. Positions are added to
// the embeddings. Gehring, Auli, Grangier, Yarats & Dauphin 2017, "Convolutional sequence to sequence learning".
#include <fmt/core.h>

#include <cmath>
#include <optional>

#include "layers/linear.h"
#include "models/encoder.h"
#include "models/positions.h"

namespace fovea {

namespace {

class ConvolutionEncoder : public Encoder {
 public:
  ConvolutionEncoder(Parameters& parameters, const ModelOptions& options, const Input& input)
      : size_(options.encoder.size),
        width_(options.encoder.width),
        positions_(parameters, "encoder.positions", options.encoder.positions, input.size(),
                   options.encoder.max_positions) {
    if (input.size() != size_) widen_.emplace(parameters, "encoder.widen", input.size(), size_);
    for (int layer = 0; layer < options.encoder.layers; ++layer) {
      layers_.emplace_back(parameters, fmt::format("encoder.layer{}", layer), width_ * size_, 2 * size_);
    }
  }

  Encoded encode(Pass& pass, const InputVectors& vectors, Mask mask) const override {
    Tensor x = vectors.dropped(pass);
    const Shape leading = {mask.positions, mask.batch};
    if (!positions_.none()) x = add(x, scale(positions_.vectors(pass, leading, {}), position_share));
    if (widen_) x = (*widen_)(pass, x);
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      const Tensor both = layers_[i](pass, windows(x, width_, mask));
      const Tensor gated = multiply(columns(both, 0, size_), sigmoid(columns(both, size_, size_)));
      x = pass.drop(scale(add(x, gated), std::sqrt(Real(0.5))), fmt::format("encoder.layer{}", i));
    }
    const Memory memory = {x, mask};
    return {memory, mean_state(memory)};
  }
  int memory_size() const override { return size_; }

 private:
  static constexpr Real position_share = Real(0.1);  // embeddings start in -0.1 .. 0.1
  int size_;
  int width_;
  Positions positions_;
  std::optional<Linear> widen_;
  std::vector<Linear> layers_;
};

}  // namespace

extern const EncoderKind Encoder_convolution = {
    "convolution", "h^l_i = (h^{l-1}_i + A * sigmoid(B)) / sqrt(2), [A ; B] = W h^{l-1}_{i-k..i+k} + b", "Gehring 2017",
    made_encoder<ConvolutionEncoder>};

}  // namespace fovea
