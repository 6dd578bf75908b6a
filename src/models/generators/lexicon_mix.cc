// lexicon_mix: p = (1 - lambda) p_vocabulary + lambda L a, lambda fixed or learned. What the lexicon does not know
// about a word is left to the vocabulary: its share is what the lexicon leaves. Arthur, Neubig &
// Nakamura 2016 (linear interpolation).
#include "models/generator.h"

namespace fovea {

namespace {

class LexiconMix : public Generator {
 public:
  LexiconMix(Parameters& parameters, const ModelOptions& options, const GeneratorSizes& sizes)
      : Generator(parameters, options.generator, sizes), fixed_(options.generator.lexicon_share) {
    if (fixed_ == 0) share_ = parameters.add("generator.lexicon_share", {1}, Initial::constant(0));
  }

  Written write(Pass& pass, const Readout& readout, const GeneratorSources& sources) const override {
    const Tensor weights = readout.weights();
    const Shape rows = {weights.shape()[0], weights.shape()[1], 1};
    Tensor share = pass.tape().make(rows);
    for (Real& value : share.values()) value = fixed_ > 0 ? static_cast<Real>(fixed_) : Real(0);
    if (fixed_ == 0) share = sigmoid(add_row(share, pass(share_)));
    const Tensor copying = scale_rows(weights, share);
    const Tensor by_lexicon = scatter_to_vocabulary(copying, sources.copy_map);
    Tensor ones = pass.tape().make({by_lexicon.shape().last(), 1});
    for (Real& value : ones.values()) value = 1;
    const Tensor gate = shift(scale(linear(by_lexicon, ones), -1), 1);
    const Tensor from_vocabulary = logits(pass, readout.features);
    return {log_mixture(from_vocabulary, gate, by_lexicon), gate, copying, from_vocabulary};
  }

 private:
  double fixed_;
  ParameterId share_;
};

}  // namespace

extern const GeneratorKind Generator_lexicon_mix = {"lexicon_mix",
                                                    "(1 - lambda) p_vocabulary + lambda L a",
                                                    "Arthur 2016",
                                                    made_generator<LexiconMix>,
                                                    {.lexicon = true, .by_weights = true}};

}  // namespace fovea
