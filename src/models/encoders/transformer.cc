// transformer: layers of self-attention and a feed-forward network over embeddings with positions. With
// self_attention.rotary or the bias relative positions come into the scores; encoder.positions = none leaves it at
// that. Vaswani et al. 2017, "Attention is all you need".
#include <fmt/core.h>

#include <cmath>

#include "models/encoder.h"
#include "models/positions.h"
#include "models/transformer.h"

namespace fovea {

namespace {

class TransformerEncoder : public Encoder {
 public:
  TransformerEncoder(Parameters& parameters, const ModelOptions& options, const Input& input)
      : size_(options.encoder.size),
        positions_(parameters, "encoder.positions", options.encoder.positions, size_, options.encoder.max_positions) {
    if (input.size() != size_) widen_.emplace(parameters, "encoder.widen", input.size(), size_, false);
    const bool norm_first = options.encoder.norm == "pre";
    for (int layer = 0; layer < options.encoder.layers; ++layer) {
      layers_.push_back(std::make_unique<TransformerLayer>(
          parameters, fmt::format("encoder.layer{}", layer), options.self_attention, options.attention,
          TransformerSizes{options.encoder.layers, size_, options.encoder.feed_forward, norm_first}));
    }
    if (norm_first) last_norm_.emplace(parameters, "encoder.norm", size_);
  }

  Encoded encode(Pass& pass, const InputVectors& vectors, Mask mask) const override {
    Tensor x = vectors.values(pass);
    // Embeddings start small; positions are of size one.
    x = scale(x, std::sqrt(static_cast<Real>(x.shape()[2])));
    if (widen_) x = (*widen_)(pass, x);
    if (!positions_.none()) x = add(x, positions_.vectors(pass, {mask.positions, mask.batch}, {}));
    x = pass.drop(x, "encoder.embedding");
    Encoded encoded;
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      const TransformerLayer::Made made = (*layers_[l])(pass, x, mask, {}, {});
      x = made.x;
      if (pass.training()) continue;
      encoded.self_maps.push_back({0, static_cast<int>(l), layers_[l]->self_attention().heads(), {made.self_weights}});
    }
    encoded.memory = {last_norm_ ? (*last_norm_)(pass, x) : x, mask};
    encoded.last = mean_state(encoded.memory);
    return encoded;
  }
  int memory_size() const override { return size_; }

 private:
  int size_;
  std::optional<Linear> widen_;
  Positions positions_;
  std::vector<std::unique_ptr<TransformerLayer>> layers_;
  std::optional<LayerNorm> last_norm_;
};

}  // namespace

extern const EncoderKind Encoder_transformer = {.name = "transformer",
                                                .formula = "x + attend(x), x + W2 relu(W1 x), in layers",
                                                .paper = "Vaswani 2017",
                                                .make = made_encoder<TransformerEncoder>,
                                                .inner = self_attention,
                                                .starts_unsteadily = true,
                                                .scales_vectors = true};

}  // namespace fovea
