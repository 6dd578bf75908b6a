#include "kernels/pointwise.h"

#include <algorithm>

#include "tensor/ops.h"

namespace fovea {

namespace {

Tensor like(Tensor x, bool wants_gradient) { return x.tape().make(x.shape(), wants_gradient); }

void check_equal(const char* operation, Tensor a, Tensor b) {
  check(a.shape() == b.shape(), "{}: {} and {} differ", operation, a.shape().text(), b.shape().text());
}

}  // namespace

Tensor add(Tensor a, Tensor b) {
  check_equal("add", a, b);
  Tensor y = like(a, a.wants_gradient() || b.wants_gradient());
  std::ranges::copy(a.values(), y.data());
  kernels::add(b.values(), y.values());
  if (y.wants_gradient()) {
    y.tape().record([=] {
      if (!y.has_gradient()) return;
      if (a.wants_gradient()) kernels::add(y.gradients(), a.gradients());
      if (b.wants_gradient()) kernels::add(y.gradients(), b.gradients());
    });
  }
  return y;
}

Tensor multiply(Tensor a, Tensor b) {
  check_equal("multiply", a, b);
  Tensor y = like(a, a.wants_gradient() || b.wants_gradient());
  kernels::multiply(a.values(), b.values(), y.values());
  if (y.wants_gradient()) {
    y.tape().record([=] {
      if (!y.has_gradient()) return;
      if (a.wants_gradient()) kernels::add_product(y.gradients(), b.values(), a.gradients());
      if (b.wants_gradient()) kernels::add_product(y.gradients(), a.values(), b.gradients());
    });
  }
  return y;
}

Tensor scale(Tensor x, Real factor) {
  Tensor y = like(x, x.wants_gradient());
  std::ranges::copy(x.values(), y.data());
  kernels::scale(factor, y.values());
  if (y.wants_gradient()) {
    y.tape().record([=] {
      if (y.has_gradient()) kernels::add_scaled(factor, y.gradients(), x.gradients());
    });
  }
  return y;
}

Tensor tanh(Tensor x) {
  Tensor y = like(x, x.wants_gradient());
  kernels::tanh(x.values(), y.values());
  if (y.wants_gradient()) {
    y.tape().record([=] {
      if (y.has_gradient()) kernels::tanh_backward(y.values(), y.gradients(), x.gradients());
    });
  }
  return y;
}

Tensor sigmoid(Tensor x) {
  Tensor y = like(x, x.wants_gradient());
  kernels::sigmoid(x.values(), y.values());
  if (y.wants_gradient()) {
    y.tape().record([=] {
      if (y.has_gradient()) kernels::sigmoid_backward(y.values(), y.gradients(), x.gradients());
    });
  }
  return y;
}

}  // namespace fovea
