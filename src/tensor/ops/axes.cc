#include <algorithm>
#include <cstring>

#include "base/as_size.h"
#include "kernels/pointwise.h"
#include "tensor/ops.h"
#include "tensor/ops/row.h"

namespace fovea {

Tensor gather_batch(Tensor x, Ids rows) {
  check(x.shape().axes() == 3, "gather_batch: {} has not three axes", x.shape().text());
  const int steps = x.shape()[0], batch = x.shape()[1], size = x.shape()[2];
  const auto kept = x.tape().arena().array<std::int32_t>(rows.size());
  std::ranges::copy(rows, kept.begin());
  const int count = static_cast<int>(rows.size());
  for (const std::int32_t r : kept) check(r >= 0 && r < batch, "gather_batch: row {} of {}", r, x.shape().text());
  Tensor y = x.tape().make({steps, count, size}, x.wants_gradient());
  for (int t = 0; t < steps; ++t) {
    for (int r = 0; r < count; ++r) {
      std::ranges::copy(row(x.data(), std::ptrdiff_t(t) * batch + kept[r], size),
                        y.data() + (std::ptrdiff_t(t) * count + r) * size);
    }
  }
  if (y.wants_gradient()) {
    y.tape().record([=] {
      if (!y.has_gradient()) return;
      for (int t = 0; t < steps; ++t) {
        for (int r = 0; r < count; ++r) {
          kernels::add(row(y.gradient(), std::ptrdiff_t(t) * count + r, size),
                       row(x.gradient(), std::ptrdiff_t(t) * batch + kept[r], size));
        }
      }
    });
  }
  return y;
}

Tensor join_steps(Tensor a, Tensor b) {
  check(a.shape().tail() == b.shape().tail(), "join_steps: {} before {}", a.shape().text(), b.shape().text());
  const Shape& s = a.shape();
  const int steps = s[0] + b.shape()[0];
  Tensor y = a.tape().make(s.axes() == 2 ? Shape{steps, s[1]} : Shape{steps, s[1], s[2]},
                           a.wants_gradient() || b.wants_gradient());
  const auto first = as_size(s.count());
  std::ranges::copy(a.values(), y.data());
  std::ranges::copy(b.values(), y.data() + first);
  if (y.wants_gradient()) {
    y.tape().record([=] {
      if (!y.has_gradient()) return;
      if (a.wants_gradient()) kernels::add(y.gradients().first(first), a.gradients());
      if (b.wants_gradient()) kernels::add(y.gradients().subspan(first), b.gradients());
    });
  }
  return y;
}

Tensor swap_axes(Tensor x) {
  check(x.shape().axes() == 3, "swap_axes: {} has not three axes", x.shape().text());
  const int a = x.shape()[0], b = x.shape()[1], size = x.shape()[2];
  Tensor y = x.tape().make({b, a, size}, x.wants_gradient());
  for (int i = 0; i < a; ++i) {
    for (int j = 0; j < b; ++j) {
      const Real* from = x.data() + (std::ptrdiff_t(i) * b + j) * size;
      std::copy(from, from + size, y.data() + (std::ptrdiff_t(j) * a + i) * size);
    }
  }
  if (y.wants_gradient()) {
    y.tape().record([=] {
      if (!y.has_gradient()) return;
      for (int i = 0; i < a; ++i) {
        for (int j = 0; j < b; ++j) {
          kernels::add(row(y.gradient(), std::ptrdiff_t(j) * a + i, size),
                       row(x.gradient(), std::ptrdiff_t(i) * b + j, size));
        }
      }
    });
  }
  return y;
}

}  // namespace fovea
