// location_aware: e_i = v' tanh(W q + U k_i + F a_{t-1, i-k..i+k} + b): as additive, but what the step before looked at
// around a position enters inside the tanh. F is the filters of the paper and what projects them, in one matrix, since
// nothing stands between them; they are 2 k + 1 positions wide. Chorowski, Bahdanau, Serdyuk, Cho & Bengio 2015,
// "Attention-based models for speech recognition".
#include "attention/attention.h"
#include "attention/score/hidden_layer.h"

namespace fovea {

namespace {

class LocationAware : public HiddenLayerScore {
 public:
  LocationAware(Parameters& parameters, const std::string& name, const AttentionSizes& sizes)
      : HiddenLayerScore(parameters, name + ".query", name + ".key", sizes),
        width_(2 * sizes.options.reach + 1),
        filters_(parameters.add(name + ".filters", {width_, sizes.hidden}, Initial::glorot(width_, sizes.hidden))),
        v_(parameters, name + ".v", sizes.hidden, 1, false) {}

  Tensor scores(Pass& pass, const Question& question, Tensor keys) const override {
    const int queries = question.queries.shape()[0];
    Tensor hidden = of_pairs(pass, question, keys);
    if (const Tensor last = question.history.last) {
      const Tensor around = windows(to_pairs(last), width_, pair_mask(pass, question.memory.mask, queries));
      hidden = add_products(hidden, {{around, pass(filters_)}});
    }
    return from_pairs(v_(pass, tanh(hidden)), queries);
  }

 private:
  int width_;
  ParameterId filters_;
  Linear v_;
};

}  // namespace

extern const Mechanism<Score> Score_location_aware = {"location_aware",
                                                      "v' tanh(W q + U k_i + F a_{t-1, i-k..i+k} + b)",
                                                      "Chorowski 2015",
                                                      made<Score, LocationAware>,
                                                      {.looks_back = true}};

}  // namespace fovea
