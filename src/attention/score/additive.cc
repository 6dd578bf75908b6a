// additive: e = v' tanh(W q + U k + b), with U k + b prepared once for a source; v / |v| with attention.normalized.
// Bahdanau, Cho & Bengio 2015, "Neural machine translation by jointly learning to align and translate".
#include "attention/mechanism.h"
#include "layers/linear.h"

namespace fovea {

namespace {

class Additive : public Score {
 public:
  Additive(Parameters& parameters, const std::string& name, const AttentionSizes& sizes)
      : query_(parameters, name + ".query", sizes.query, sizes.hidden, false),
        key_(parameters, name + ".key", sizes.memory, sizes.hidden),
        normalized_(sizes.options.normalized),
        v_(parameters.add(name + ".v", {sizes.hidden}, Initial::glorot(sizes.hidden, 1))) {}

  Tensor keys(Pass& pass, const Memory& memory) const override { return key_(pass, memory.values); }

  Tensor scores(Pass& pass, const Question& question, Tensor keys) const override {
    const Tensor v = normalized_ ? unit_rows(pass(v_)) : pass(v_);
    return additive_scores(query_(pass, question.queries), keys, v, question.memory.mask);
  }

 private:
  Linear query_;
  Linear key_;
  bool normalized_;
  ParameterId v_;
};

}  // namespace

extern const Mechanism<Score> Score_additive = {"additive", "v' tanh(W q + U k + b)", "Bahdanau 2015",
                                                made<Score, Additive>};

}  // namespace fovea
