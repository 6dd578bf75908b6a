// agreement: both directions trained together look at the same pairs: -Tr(A_xy A_yx) is small where they do. Cohn et
// al. 2016.
#include "attention/mechanism.h"
#include "models/objective.h"

namespace fovea {

namespace {

class Agreement : public Objective {
 public:
  using Objective::Objective;

 private:
  Tensor value_of_both(Pass&, Tensor forward, Tensor backward) const override {
    const int target = forward.shape()[0], batch = forward.shape()[1], source = forward.shape()[2];
    check(backward.shape() == Shape({source, batch, target}), "agreement of {} and {}", forward.shape().text(),
          backward.shape().text());
    // [target, batch, source] -> [source, target * batch, 1], beside [source, batch, target]
    const Tensor turned = swap_axes(as_shape(to_pairs(forward), {source * target, batch, 1}));  // [batch, s * t, 1]
    const Tensor other = swap_axes(backward);  // [batch, source, target]
    return scale(sum(multiply(as_shape(turned, {batch, source * target}), as_shape(other, {batch, source * target}))),
                 -1);
  }
};

struct AgreementSettings : Copied<AgreementSettings, ObjectiveSettings> {
  using Copied::Copied;

  void check(const ModelOptions& options) const override {
    if (generators().find(options.generator.kind).traits.reads_memory) {
      throw usage_error(
          "objective.agreement with generator.kind = {}: what symbols of the source stand for is known in one "
          "direction only; set generator.kind = softmax",
          options.generator.kind);
    }
    if (scores().find(options.attention.score).traits.counts_positions) {
      throw usage_error(
          "objective.agreement with attention.score = {}: targets are sources too, and may have more places "
          "than it knows; choose another score",
          options.attention.score);
    }
  }
};

}  // namespace

extern const ObjectiveKind Objective_agreement = {
    "agreement",
    "-Tr(A_xy A_yx): trains both directions together",
    "Cohn 2016",
    made_objective<Agreement>,
    {.holds_attention = true, .by_position = true, .both_directions = true},
    objective_settings<AgreementSettings>};

}  // namespace fovea
