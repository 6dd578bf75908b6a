// deep: a network of attention.depth hidden layers on [q ; k] gives the score. Its first layer is a sum of a part for q
// and one for k.
// Pavlopoulos, Malakasiotis & Androutsopoulos 2017, "Deeper attention to abusive user content moderation".
#include <fmt/core.h>

#include "attention/score/hidden_layer.h"

namespace fovea {

namespace {

class Deep : public HiddenLayerScore {
 public:
  Deep(Parameters& parameters, const std::string& name, const AttentionSizes& sizes)
      : HiddenLayerScore(parameters, name + ".query", name + ".key", sizes),
        last_(parameters, name + ".last", sizes.hidden, 1) {
    for (int layer = 1; layer < sizes.options.depth; ++layer) {
      const std::string place = layer == 1 ? ".middle" : fmt::format(".middle{}", layer);
      middle_.emplace_back(parameters, name + place, sizes.hidden, sizes.hidden);
    }
  }

  Tensor scores(Pass& pass, const Question& question, Tensor keys) const override {
    Tensor x = tanh(of_pairs(pass, question, keys));
    for (const Linear& layer : middle_) x = tanh(layer(pass, x));
    return from_pairs(last_(pass, x), question.queries.shape()[0]);
  }

 private:
  std::vector<Linear> middle_;
  Linear last_;
};

}  // namespace

extern const Mechanism<Score> Score_deep = {"deep", "w' tanh(W2 tanh(W1 [q ; k])), in attention.depth layers",
                                            "Pavlopoulos 2017", made<Score, Deep>};

}  // namespace fovea
