// sentinel: q = tanh(W s); softmax over [q' h_i ; q' z] with a learned sentinel z. Its share g is the vocabulary's:
// p = g p_vocabulary + sum_{x_i = w} a_i. Merity, Xiong, Bradbury & Socher 2016, "Pointer sentinel mixture models".
#include "models/generator.h"

namespace fovea {

namespace {

class Sentinel : public Generator {
 public:
  Sentinel(Parameters& parameters, const ModelOptions& options, const GeneratorSizes& sizes)
      : Generator(parameters, options.generator, sizes),
        query_(parameters, "generator.pointer", sizes.state, sizes.memory),
        sentinel_(parameters, "generator.sentinel", sizes.memory, 1, false) {}

  Written write(Pass& pass, const Readout& readout, const GeneratorSources& sources) const override {
    const Mask& mask = sources.memory.mask;
    const Tensor query = tanh(query_(pass, readout.state));
    const Tensor scores = dot_scores(query, sources.memory.values, 1, mask);
    const auto [gate, copying] = softmax_with(pass, sentinel_(pass, query), scores, mask);
    const Tensor from_vocabulary = logits(pass, readout.features);
    return {log_mixture(from_vocabulary, gate, scatter_to_vocabulary(copying, sources.copy_map)), gate, copying,
            from_vocabulary, scores};
  }

 private:
  Linear query_;
  Linear sentinel_;
};

}  // namespace

extern const GeneratorKind Generator_sentinel = {
    "sentinel",
    "g p_vocabulary + sum_{x_i = w} a_i, [a ; g] = softmax [q' h_i ; q' z]",
    "Merity 2016",
    made_generator<Sentinel>,
    {.copies = true, .copies_past = true}};

}  // namespace fovea
