// lexicon_bias: p = softmax(V t + b + log(p_lex + eps)), p_lex = L a: what a lexicon says about the words looked at.
// Arthur, Neubig & Nakamura 2016, "Incorporating discrete translation lexicons into neural machine translation".
#include "models/output.h"

namespace fovea {

namespace {

class LexiconBias : public OutputLayer {
 public:
  LexiconBias(Parameters& parameters, const ModelOptions& options, const OutputSizes& sizes)
      : OutputLayer(parameters, options.output, sizes), floor_(options.output.lexicon_floor) {}

  Written write(Pass& pass, const Readout& readout, const OutputSources& sources) const override {
    const Tensor by_lexicon = log(linked(readout.weights(), sources.links), static_cast<Real>(floor_));
    return {log_softmax(add(logits(pass, readout.features), by_lexicon)), {}, {}};
  }

 private:
  double floor_;
};

}  // namespace

extern const OutputKind Output_lexicon_bias = {
    "lexicon_bias", "softmax(V t + b + log(L a + eps))", "Arthur 2016", made_output<LexiconBias>, {.lexicon = true}};

}  // namespace fovea
