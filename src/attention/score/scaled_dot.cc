// scaled_dot: e = q' k / sqrt(d), so that scores of large vectors do not drown the softmax; queries and keys of
// different sizes are projected to one.
// Vaswani et al. 2017, "Attention is all you need".
#include <cmath>

#include "attention/mechanism.h"

namespace fovea {

namespace {

class ScaledDot : public Score {
 public:
  ScaledDot(Parameters&, const std::string&, const AttentionSizes& sizes)
      : factor_(Real(1) / std::sqrt(static_cast<Real>(sizes.query))) {}

  Tensor scores(Pass&, const Question& question, Tensor keys) const override {
    return dot_scores(question.queries, keys, factor_, question.memory.mask);
  }

 private:
  Real factor_;
};

}  // namespace

extern const Mechanism<Score> Score_scaled_dot = {"scaled_dot",
                                                  "q' k / sqrt(d), of projections if sizes differ",
                                                  "Vaswani 2017",
                                                  made<Score, ScaledDot>,
                                                  {.equal_sizes = true}};

}  // namespace fovea
