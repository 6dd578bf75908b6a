// deep: a network of three layers on [q ; k] gives the score. Its first layer is a sum of a part for q and one for k.
// Pavlopoulos, Malakasiotis & Androutsopoulos 2017, "Deeper attention to abusive user content moderation".
#include "attention/mechanism.h"
#include "layers/linear.h"

namespace fovea {

namespace {

class Deep : public Score {
 public:
  Deep(Parameters& parameters, const std::string& name, const AttentionSizes& sizes)
      : query_(parameters, name + ".query", sizes.query, sizes.hidden, false),
        key_(parameters, name + ".key", sizes.memory, sizes.hidden),
        middle_(parameters, name + ".middle", sizes.hidden, sizes.hidden),
        last_(parameters, name + ".last", sizes.hidden, 1) {}

  Tensor keys(Pass& pass, const Memory& memory) const override { return key_(pass, memory.values); }

  Tensor scores(Pass& pass, const Question& question, Tensor keys) const override {
    const Tensor first = tanh(add_pairs(query_(pass, question.queries), keys));
    return from_pairs(last_(pass, tanh(middle_(pass, first))), question.queries.shape()[0]);
  }

 private:
  Linear query_;
  Linear key_;
  Linear middle_;
  Linear last_;
};

}  // namespace

extern const Mechanism<Score> Score_deep = {"deep", "w' tanh(W2 tanh(W1 [q ; k]))", "Pavlopoulos 2017",
                                            made<Score, Deep>};

}  // namespace fovea
