// pointer_generator: p = g p_vocabulary + (1 - g) sum_{x_i = w} a_i, g = sigmoid(w' [c ; s ; y] + b): a symbol is
// generated, or copied from where the decoder looks. See, Liu & Manning 2017, "Get to the point: summarization with
// pointer-generator networks". With generator.own_attention the copying has weights of its own beside those of the
// decoder, as in Allamanis 2016.
#include "models/generator.h"

namespace fovea {

namespace {

class PointerGenerator : public Generator {
 public:
  PointerGenerator(Parameters& parameters, const ModelOptions& options, const GeneratorSizes& sizes)
      : Generator(parameters, options.generator, sizes),
        gate_(parameters, "generator.gate", sizes.state + sizes.context + sizes.embedding, 1) {
    if (!options.generator.own_attention) return;
    AttentionOptions copying = options.attention;
    copying.bias.clear();
    if (scores().find(copying.score).traits.looks_back) copying.score = "additive";  // keeps no history
    copying.select = "softmax";
    copying.heads = 1;
    copying.read = "sum";
    copying.rotary = false;
    own_.emplace(parameters, "generator.attention", copying, Attention::Sizes{sizes.state, sizes.memory, 0});
  }

  GeneratorSources prepare(Pass& pass, const Memory& memory, const CopyMapView& copy_map) const override {
    return {memory, copy_map, own_ ? own_->prepare(pass, memory) : Attention::Prepared(), {}};
  }

  Written write(Pass& pass, const Readout& readout, const GeneratorSources& sources) const override {
    const Tensor weights =
        own_ ? own_->attend(pass, readout.state, {0, 0}, sources.own, {}).selected.weights : readout.weights();
    const Tensor gate = sigmoid(gate_(pass, concat({readout.context, readout.state, readout.embedding})));
    const Tensor copying = scale_rows(weights, shift(scale(gate, -1), 1));
    const Tensor from_vocabulary = logits(pass, readout.features);
    return {log_mixture(from_vocabulary, gate, scatter_to_vocabulary(copying, sources.copy_map)), gate, copying,
            from_vocabulary};
  }

 private:
  Linear gate_;
  std::optional<Attention> own_;
};

}  // namespace

extern const GeneratorKind Generator_pointer_generator = {"pointer_generator",
                                                          "g p_vocabulary + (1 - g) sum_{x_i = w} a_i",
                                                          "See 2017",
                                                          made_generator<PointerGenerator>,
                                                          {.copies = true, .by_weights = true, .may_attend = true}};

}  // namespace fovea
