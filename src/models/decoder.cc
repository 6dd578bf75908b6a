#include "models/decoder.h"

#include "data/vocabulary.h"
#include "models/decoders/rnn.h"
#include "models/decoders/transformer.h"

namespace fovea {

std::unique_ptr<Decoder> make_decoder(Parameters& parameters, const ModelOptions& options, const Encoder& encoder,
                                      int symbols, int feedback) {
  if (options.decoder.kind == "transformer") {
    return std::make_unique<TransformerDecoder>(parameters, options, encoder, symbols, feedback);
  }
  return std::make_unique<RnnDecoder>(parameters, options, encoder, symbols, feedback);
}

std::span<std::int32_t> known_symbols(Pass& pass, Ids ids, int symbols) {
  const auto known = pass.arena().array<std::int32_t>(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) known[i] = ids[i] < symbols ? ids[i] : Vocabulary::unknown;
  return known;
}

void add_looks(const Attention& attention, const Attention::Attended& attended, int layer,
               std::vector<StepLook>& looks) {
  const Shape& shape = attended.scores.shape();
  const int heads = attention.heads(), rows = shape[0] * shape[1] / heads, positions = shape[2];
  const Tensor context = as_shape(attended.context, {rows, attended.context.shape()[2]});
  for (int head = 0; head < heads; ++head) {
    const auto of_head = [&](Tensor x) {
      return columns(as_shape(x, {rows, heads * positions}), head * positions, positions);
    };
    looks.push_back({of_head(attended.scores), of_head(attended.selected.weights), context, layer, head});
  }
}

}  // namespace fovea
