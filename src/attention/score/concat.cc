// concat: e = w2' tanh(W1 [q ; k]). W1 [q ; k] is the sum of a part for q and one for k, and the part for k is prepared
// once for a source. Luong, Pham & Manning 2015, "Effective approaches to attention-based neural machine translation".
#include "attention/score/hidden_layer.h"

namespace fovea {

namespace {

class Concat : public HiddenLayerScore {
 public:
  Concat(Parameters& parameters, const std::string& name, const AttentionSizes& sizes)
      : HiddenLayerScore(parameters, name + ".w1_query", name + ".w1_key", sizes, false),
        w2_(parameters.add(name + ".w2", {sizes.hidden}, Initial::glorot(sizes.hidden, 1))) {}

  Tensor scores(Pass& pass, const Question& question, Tensor keys) const override {
    return additive_scores(of_query(pass, question), keys, pass(w2_), question.memory.mask);
  }

 private:
  ParameterId w2_;
};

}  // namespace

extern const Mechanism<Score> Score_concat = {"concat", "w2' tanh(W1 [q ; k])", "Luong 2015", made<Score, Concat>};

}  // namespace fovea
