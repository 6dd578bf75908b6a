// embedding: nothing but the symbols and where they stand, h_i = [E x_i ; P_i].
#include "models/encoder.h"
#include "models/positions.h"

namespace fovea {

namespace {

class EmbeddingEncoder : public Encoder {
 public:
  EmbeddingEncoder(Parameters& parameters, const ModelOptions& options, int symbols)
      : size_(options.encoder.embedding),
        symbols_(parameters, "encoder.embedding", symbols, size_, options.encoder.frozen),
        positions_(parameters, "encoder.positions", options.encoder.positions, size_, options.encoder.max_positions) {}

  Encoded encode(Pass& pass, const Side& source, Mask mask) const override {
    const Shape leading = {source.length, source.batch};
    Tensor x = symbols_.dropped(pass, source.ids, leading);
    if (!positions_.none()) x = concat({x, positions_.vectors(pass, leading, {})});
    const Memory memory = {x, mask};
    return {memory, mean_state(memory)};
  }
  int memory_size() const override { return positions_.none() ? size_ : 2 * size_; }

 private:
  int size_;
  SymbolVectors symbols_;
  Positions positions_;
};

}  // namespace

extern const EncoderKind Encoder_embedding = {"embedding", "h_i = [E x_i ; P_i]", "notes on attention",
                                              made_encoder<EmbeddingEncoder>};

}  // namespace fovea
