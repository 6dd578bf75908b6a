// embedding: nothing but what is read and where it stands, h_i = [x_i ; P_i].
#include "models/encoder.h"
#include "models/positions.h"

namespace fovea {

namespace {

class EmbeddingEncoder : public Encoder {
 public:
  EmbeddingEncoder(Parameters& parameters, const ModelOptions& options, const Input& input)
      : size_(input.size()),
        positions_(parameters, "encoder.positions", options.encoder.positions, size_, options.encoder.max_positions) {}

  Encoded encode(Pass& pass, const InputVectors& vectors, Mask mask) const override {
    Tensor x = vectors.dropped(pass);
    if (!positions_.none()) x = concat({x, positions_.vectors(pass, {mask.positions, mask.batch}, {})});
    const Memory memory = {x, mask};
    return {memory, mean_state(memory)};
  }
  int memory_size() const override { return positions_.none() ? size_ : 2 * size_; }

 private:
  int size_;
  Positions positions_;
};

}  // namespace

extern const EncoderKind Encoder_embedding = {"embedding", "h_i = [x_i ; P_i]", "notes on attention",
                                              made_encoder<EmbeddingEncoder>};

}  // namespace fovea
