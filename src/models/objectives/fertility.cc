// fertility: sum_i (f_i - sum_t a_ti)^2, f_i = softplus(w' h_i + b): the attention a position gets is held near a
// fertility that is predicted from the position, a Gaussian around it. Cohn et al. 2016 (global fertility).
#include "layers/linear.h"
#include "models/objective.h"

namespace fovea {

namespace {

class FertilityObjective : public Objective {
 public:
  explicit FertilityObjective(const ObjectiveParts& parts)
      : Objective(parts), fertility_(parts.parameters, "objective.fertility", parts.memory, 1) {}

 private:
  Tensor value(Pass& pass, const ObjectiveBatch& batch) const override {
    const Mask source = batch.source();
    const Tensor fertilities = softplus(fertility_(pass, batch.forced.encoded.memory.values));  // [positions, batch, 1]
    const Tensor total = total_attention(pass, batch.forced.weights, batch.steps);              // [batch, positions]
    const Tensor by_position = to_pairs(as_shape(total, {1, source.batch, source.positions}));
    const Tensor missing = multiply(add(fertilities, scale(by_position, -1)), step_mask(pass, source, 1));
    return sum(multiply(missing, missing));
  }

  Linear fertility_;
};

}  // namespace

extern const ObjectiveKind Objective_fertility = {"fertility",
                                                  "sum_i (f_i - sum_t a_ti)^2 with a predicted fertility f",
                                                  "Cohn 2016",
                                                  made_objective<FertilityObjective>,
                                                  {.holds_attention = true}};

}  // namespace fovea
