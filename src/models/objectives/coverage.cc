// coverage: sum_i (1 - sum_t a_ti)^2: the attention a position gets in all is held near one. Xu et al. 2015, "Show,
// attend and tell".
#include "models/objective.h"

namespace fovea {

namespace {

class CoverageObjective : public Objective {
 public:
  using Objective::Objective;

 private:
  Tensor value(Pass& pass, const ObjectiveBatch& batch) const override {
    const Mask source = batch.source();
    const Tensor total = total_attention(pass, batch.forced.weights, batch.steps);  // [batch, positions]
    Tensor real = pass.tape().make(total.shape());
    for (int b = 0; b < source.batch; ++b) {
      for (int i = 0; i < source.positions; ++i) {
        real.data()[std::ptrdiff_t(b) * source.positions + i] = Real(source.data[i * source.batch + b]);
      }
    }
    const Tensor missing = multiply(shift(scale(total, -1), 1), real);
    return sum(multiply(missing, missing));
  }
};

}  // namespace

extern const ObjectiveKind Objective_coverage = {
    "coverage", "sum_i (1 - sum_t a_ti)^2", "Xu 2015", made_objective<CoverageObjective>, {.holds_attention = true}};

}  // namespace fovea
