#include "models/decoder.h"

#include "data/vocabulary.h"
#include "models/decoders/rnn.h"
#include "models/decoders/transformer.h"

namespace fovea {

std::unique_ptr<Decoder> make_decoder(Parameters& parameters, const ModelOptions& options, const Encoder& encoder,
                                      int symbols, StepInputs inputs) {
  if (options.decoder.kind == "transformer") {
    return std::make_unique<TransformerDecoder>(parameters, options, encoder, symbols, inputs);
  }
  return std::make_unique<RnnDecoder>(parameters, options, encoder, symbols, inputs);
}

Tensor add_to_each_step(Tensor x, Tensor same) {
  const Shape shape = x.shape();
  const int size = shape[1] * shape[2];
  return as_shape(add_row(as_shape(x, {shape[0], size}), as_shape(same, {size})), shape);
}

std::span<std::int32_t> known_symbols(Pass& pass, Ids ids, int symbols) {
  const auto known = pass.arena().array<std::int32_t>(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) known[i] = ids[i] < symbols ? ids[i] : Vocabulary::unknown;
  return known;
}

void add_looks(const Attention& attention, const Attention::Attended& attended, int layer,
               std::vector<StepLook>& looks) {
  const int heads = attention.heads();
  for (int head = 0; head < heads; ++head) {
    looks.push_back({attended.scores, attended.selected.weights, attended.context, layer, head, heads, head});
  }
}

}  // namespace fovea
