// One update of a stretch of weights.
#pragma once

#include "base/real.h"
#include "kernels/pointwise.h"

namespace fovea::kernels {

struct AdamStep {
  Real rate = 0;  // learning rate with both bias corrections folded in
  Real beta1 = 0;
  Real beta2 = 0;
  Real epsilon = 0;  // scaled by the second correction
  Real factor = 1;   // on the gradient: clipping
  Real decay = 0;    // share of each weight that is taken away
};
void adam(AdamStep step, Values gradient, Results first, Results second, Results weights);

struct MomentumStep {
  Real rate = 0;
  Real momentum = 0;
  Real factor = 1;
  Real decay = 0;
};
void momentum(MomentumStep step, Values gradient, Results velocity, Results weights);

// values += share * (goal - values)
void move_towards(Real share, Values goal, Results values);

}  // namespace fovea::kernels
