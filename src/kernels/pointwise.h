// Element by element over arrays of equal length. Backward functions add to their gradients.
#pragma once

#include <cstdint>
#include <span>

#include "base/real.h"

namespace fovea::kernels {

using Values = std::span<const Real>;
using Results = std::span<Real>;

void add(Values x, Results sum);                      // sum += x
void add_scaled(Real factor, Values x, Results sum);  // sum += factor x
void add_product(Values x, Values y, Results sum);    // sum += x y
void multiply(Values x, Values y, Results product);   // product = x y
void scale(Real factor, Results x);                   // x *= factor
void tanh(Values x, Results y);
void tanh_backward(Values y, Values dy, Results dx);
void sigmoid(Values x, Results y);
void sigmoid_backward(Values y, Values dy, Results dx);
void relu(Values x, Results y);
void relu_backward(Values y, Values dy, Results dx);
Real dot(Values x, Values y);
double sum_of_squares(Values x);

}  // namespace fovea::kernels
