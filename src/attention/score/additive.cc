// additive: e = v' tanh(W q + U k + b), with U k + b prepared once for a source; v / |v| with attention.normalized.
// Bahdanau, Cho & Bengio 2015, "Neural machine translation by jointly learning to align and translate".
#include "attention/score/hidden_layer.h"

namespace fovea {

namespace {

class Additive : public HiddenLayerScore {
 public:
  Additive(Parameters& parameters, const std::string& name, const AttentionSizes& sizes)
      : HiddenLayerScore(parameters, name + ".query", name + ".key", sizes),
        normalized_(sizes.options.normalized),
        v_(parameters.add(name + ".v", {sizes.hidden}, Initial::glorot(sizes.hidden, 1))) {}

  Tensor scores(Pass& pass, const Question& question, Tensor keys) const override {
    const Tensor v = normalized_ ? unit_rows(pass(v_)) : pass(v_);
    return additive_scores(of_query(pass, question), keys, v, question.memory.mask);
  }

 private:
  bool normalized_;
  ParameterId v_;
};

}  // namespace

extern const Mechanism<Score> Score_additive = {"additive", "v' tanh(W q + U k + b)", "Bahdanau 2015",
                                                made<Score, Additive>};

}  // namespace fovea
