// lexicon_bias: p = softmax(V t + b + log(p_lex + eps)), p_lex = L a: what a lexicon says about the words looked at.
// Arthur, Neubig & Nakamura 2016, "Incorporating discrete translation lexicons into neural machine translation".
#include "models/generator.h"

namespace fovea {

namespace {

class LexiconBias : public Generator {
 public:
  LexiconBias(Parameters& parameters, const ModelOptions& options, const GeneratorSizes& sizes)
      : Generator(parameters, options.generator, sizes), floor_(options.generator.lexicon_floor) {}

  Written write(Pass& pass, const Readout& readout, const GeneratorSources& sources) const override {
    const Tensor by_lexicon =
        log(scatter_to_vocabulary(readout.weights(), sources.copy_map), static_cast<Real>(floor_));
    return {log_softmax(add(logits(pass, readout.features), by_lexicon)), {}, {}};
  }

 private:
  double floor_;
};

}  // namespace

extern const GeneratorKind Generator_lexicon_bias = {"lexicon_bias",
                                                     "softmax(V t + b + log(L a + eps))",
                                                     "Arthur 2016",
                                                     made_generator<LexiconBias>,
                                                     {.lexicon = true, .by_weights = true}};

}  // namespace fovea
