// Looking through long rows for the few values that matter.
#pragma once

#include "base/real.h"

namespace fovea::kernels {

// The index of the first value that is at least `least`; `count` if there is none. What is not a number is not.
int find_at_least(const Real* values, int count, Real least);

}  // namespace fovea::kernels
