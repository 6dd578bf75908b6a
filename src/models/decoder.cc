#include "models/decoder.h"

#include <algorithm>

#include "data/vocabulary.h"

namespace fovea {

#define DECODER(name) extern const DecoderKind Decoder_##name;
#include "models/decoders/decoders.def"
#undef DECODER

const Registry<DecoderKind>& decoders() {
  static const Registry<DecoderKind> list("decoder", {
#define DECODER(name) &Decoder_##name,
#include "models/decoders/decoders.def"
#undef DECODER
                                                     });
  return list;
}

std::unique_ptr<Decoder> make_decoder(Parameters& parameters, const ModelOptions& options, const EncodedSizes& encoded,
                                      int symbols, StepInputs inputs) {
  return decoders().find(options.decoder.kind).make(parameters, options, encoded, symbols, inputs);
}

Tensor add_to_each_step(Tensor x, Tensor same) {
  const Shape shape = x.shape();
  const int size = shape[1] * shape[2];
  return as_shape(add_row(as_shape(x, {shape[0], size}), as_shape(same, {size})), shape);
}

bool samples(const Pass& pass, const PreviousSymbols& inputs) {
  return pass.training() && inputs.scheduled_sampling > 0;
}

bool reads_own_choice(const Pass& pass, const PreviousSymbols& inputs, int t, int b) {
  if (t == 0 || !samples(pass, inputs)) return false;
  const TrainingPass& training = pass.training_pass();
  const Random random = training.random.at(static_cast<std::uint64_t>(Purpose::sampling)).at(training.samples[b]);
  return random.uniform(static_cast<std::uint64_t>(t)) < inputs.scheduled_sampling;
}

std::int32_t most_probable_symbol(Tensor log_probabilities, int row) {
  const int symbols = log_probabilities.shape().last();
  const Real* first = log_probabilities.data() + std::ptrdiff_t(row) * symbols;
  return static_cast<std::int32_t>(std::max_element(first, first + symbols) - first);
}

std::span<std::int32_t> known_symbols(Pass& pass, Ids ids, int symbols) {
  const auto known = pass.arena().array<std::int32_t>(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) known[i] = ids[i] < symbols ? ids[i] : Vocabulary::unknown;
  return known;
}

void add_looks(const Attention::Attended& attended, int heads, int layer, std::vector<StepLook>& looks) {
  for (int head = 0; head < heads; ++head) {
    looks.push_back({attended.scores, attended.selected.weights, attended.context, layer, head, heads, head,
                     attended.query, attended.read});
  }
}

}  // namespace fovea
