// additive_coverage: e_i = v' tanh(W q + U k_i + w cov_i + b), cov_i = sum_{t' < t} a_{t'i}: as additive, but what a
// position has been looked at so far enters inside the tanh. See, Liu & Manning 2017, "Get to the point: summarization
// with pointer-generator networks". Their loss on looking twice is objective.repetition.
#include "attention/score/hidden_layer.h"

namespace fovea {

namespace {

class AdditiveCoverage : public HiddenLayerScore {
 public:
  AdditiveCoverage(Parameters& parameters, const std::string& name, const AttentionSizes& sizes)
      : HiddenLayerScore(parameters, name + ".query", name + ".key", sizes),
        coverage_(parameters.add(name + ".coverage", {1, sizes.hidden}, Initial::glorot(1, sizes.hidden))),
        v_(parameters, name + ".v", sizes.hidden, 1, false) {}

  Tensor scores(Pass& pass, const Question& question, Tensor keys) const override {
    Tensor hidden = of_pairs(pass, question, keys);
    if (question.history.total) {
      hidden = add_products(hidden, {{to_pairs(question.history.total), pass(coverage_)}});
    }
    return from_pairs(v_(pass, tanh(hidden)), question.queries.shape()[0]);
  }

 private:
  ParameterId coverage_;
  Linear v_;
};

}  // namespace

extern const Mechanism<Score> Score_additive_coverage = {
    "additive_coverage",
    "v' tanh(W q + U k_i + w cov_i + b), cov_i = sum_{t' < t} a_{t'i}",
    "See 2017",
    made<Score, AdditiveCoverage>,
    {.looks_back = true}};

}  // namespace fovea
