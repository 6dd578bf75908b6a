// concat: e = w2' tanh(W1 [q ; k]). W1 [q ; k] is the sum of a part for q and one for k, and the part for k is prepared
// once for a source. Luong, Pham & Manning 2015, "Effective approaches to attention-based neural machine translation".
#include "attention/mechanism.h"
#include "layers/linear.h"

namespace fovea {

namespace {

class Concat : public Score {
 public:
  Concat(Parameters& parameters, const std::string& name, const AttentionSizes& sizes)
      : w1_query_(parameters, name + ".w1_query", sizes.query, sizes.hidden, false),
        w1_key_(parameters, name + ".w1_key", sizes.memory, sizes.hidden, false),
        w2_(parameters.add(name + ".w2", {sizes.hidden}, Initial::glorot(sizes.hidden, 1))) {}

  Tensor keys(Pass& pass, const Memory& memory) const override { return w1_key_(pass, memory.values); }

  Tensor scores(Pass& pass, const Question& question, Tensor keys) const override {
    return additive_scores(w1_query_(pass, question.queries), keys, pass(w2_), question.memory.mask);
  }

 private:
  Linear w1_query_;
  Linear w1_key_;
  ParameterId w2_;
};

}  // namespace

extern const Mechanism<Score> Score_concat = {"concat", "w2' tanh(W1 [q ; k])", "Luong 2015", made<Score, Concat>};

}  // namespace fovea
