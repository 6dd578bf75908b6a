#include "kernels/pointwise.h"

#include <algorithm>
#include <cmath>

#include "tensor/ops.h"

namespace fovea {

namespace {

Tensor like(Tensor x, bool wants_gradient) { return x.tape().make(x.shape(), wants_gradient); }

void check_equal(const char* operation, Tensor a, Tensor b) {
  check(a.shape() == b.shape(), "{}: {} and {} differ", operation, a.shape().text(), b.shape().text());
}

// y = value(x); dx += dy slope(x). For what is too rare to have a kernel.
template <class Value, class Slope>
Tensor each_value(Tensor x, Value value, Slope slope) {
  Tensor y = like(x, x.wants_gradient());
  std::ranges::transform(x.values(), y.data(), value);
  if (y.wants_gradient()) {
    y.tape().record([=] {
      if (!y.has_gradient()) return;
      const std::span<Real> in = x.values(), dy = y.gradients(), dx = x.gradients();
      for (std::size_t i = 0; i < in.size(); ++i) dx[i] += dy[i] * slope(in[i]);
    });
  }
  return y;
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

Tensor relu(Tensor x) {
  Tensor y = like(x, x.wants_gradient());
  kernels::relu(x.values(), y.values());
  if (y.wants_gradient()) {
    y.tape().record([=] {
      if (y.has_gradient()) kernels::relu_backward(y.values(), y.gradients(), x.gradients());
    });
  }
  return y;
}

Tensor exp(Tensor x) {
  Tensor y = like(x, x.wants_gradient());
  std::ranges::transform(x.values(), y.data(), [](Real v) { return std::exp(v); });
  if (y.wants_gradient()) {
    y.tape().record([=] {
      if (y.has_gradient()) kernels::add_product(y.gradients(), y.values(), x.gradients());
    });
  }
  return y;
}

Tensor reciprocal(Tensor x) {
  Tensor y = like(x, x.wants_gradient());
  std::ranges::transform(x.values(), y.data(), [](Real v) { return 1 / v; });
  if (y.wants_gradient()) {
    y.tape().record([=] {
      if (!y.has_gradient()) return;
      for (std::size_t i = 0; i < y.values().size(); ++i) {
        x.gradient()[i] -= y.gradient()[i] * y.data()[i] * y.data()[i];
      }
    });
  }
  return y;
}

Tensor softplus(Tensor x) {
  return each_value(
      x, [](Real v) { return std::max(v, Real(0)) + std::log1p(std::exp(-std::abs(v))); },
      [](Real v) { return Real(1) / (Real(1) + std::exp(-v)); });
}

Tensor log(Tensor x, Real plus) {
  return each_value(x, [=](Real v) { return std::log(v + plus); }, [=](Real v) { return Real(1) / (v + plus); });
}

Tensor shift(Tensor x, Real by) {
  return each_value(x, [=](Real v) { return v + by; }, [](Real) { return Real(1); });
}

// Of two equal values the first is taken.
Tensor minimum(Tensor a, Tensor b) {
  check_equal("minimum", a, b);
  Tensor y = like(a, a.wants_gradient() || b.wants_gradient());
  std::ranges::transform(a.values(), b.values(), y.data(), [](Real v, Real w) { return w < v ? w : v; });
  if (y.wants_gradient()) {
    y.tape().record([=] {
      if (!y.has_gradient()) return;
      Real* da = a.gradient_if_wanted();
      Real* db = b.gradient_if_wanted();
      for (int i = 0; i < y.shape().count(); ++i) {
        Real* taken = b.data()[i] < a.data()[i] ? db : da;
        if (taken) taken[i] += y.gradient()[i];
      }
    });
  }
  return y;
}

Tensor detach(Tensor x) { return x.tape().borrow(x.shape(), x.data(), nullptr); }

}  // namespace fovea
