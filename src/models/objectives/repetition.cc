// repetition: sum_ti min(a_ti, sum_{t' < t} a_t'i): looking again where one has looked before costs. See, Liu & Manning
// 2017, "Get to the point: summarization with pointer-generator networks".
#include "models/objective.h"

namespace fovea {

namespace {

class Repetition : public Objective {
 public:
  using Objective::Objective;

 private:
  Tensor value(Pass& pass, const ObjectiveBatch& batch) const override {
    const Tensor weights = batch.forced.weights;
    const Tensor real = multiply(weights, step_mask(pass, batch.steps, weights.shape()[2]));
    Tensor before = step(real, 0), total;
    for (int t = 1; t < weights.shape()[0]; ++t) {
      const Tensor now = step(real, t);
      const Tensor again = sum(minimum(now, before));
      total = total ? add(total, again) : again;
      before = add(before, now);
    }
    return total ? total : scale(sum(before), 0);
  }
};

}  // namespace

extern const ObjectiveKind Objective_repetition = {"repetition",
                                                   "sum_ti min(a_ti, sum_{t' < t} a_t'i)",
                                                   "See 2017",
                                                   made_objective<Repetition>,
                                                   {.holds_attention = true}};

}  // namespace fovea
