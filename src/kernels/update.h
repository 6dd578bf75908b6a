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
};
void adam(AdamStep step, Values gradient, Results first, Results second, Results weights);

struct MomentumStep {
  Real rate = 0;
  Real momentum = 0;
  Real factor = 1;
};
void momentum(MomentumStep step, Values gradient, Results velocity, Results weights);

}  // namespace fovea::kernels
