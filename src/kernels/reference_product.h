// The product of oneDNN, single-threaded: what the benchmark takes for the rate this machine can reach.
#pragma once

#include "base/real.h"

namespace fovea::kernels {

// out += left' right, all [size, size]
void add_reference_product(const Real* left, const Real* right, int size, Real* out);

}  // namespace fovea::kernels
