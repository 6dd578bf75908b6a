#include "kernels/rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/as_size.h"
#include "kernels/pointwise.h"
#include "tensor/ops.h"
#include "tensor/ops/row.h"

namespace fovea {

Tensor add_row(Tensor x, Tensor added) {
  const int rows = x.shape().rows(), columns = x.shape().last();
  check(added.shape().count() == columns, "add_row: {} plus a row {}", x.shape().text(), added.shape().text());
  Tensor y = x.tape().make(x.shape(), x.wants_gradient() || added.wants_gradient());
  std::ranges::copy(x.values(), y.data());
  for (int r = 0; r < rows; ++r) kernels::add(added.values(), row(y.data(), r, columns));
  if (y.wants_gradient()) {
    y.tape().record([=] {
      if (!y.has_gradient()) return;
      if (x.wants_gradient()) kernels::add(y.gradients(), x.gradients());
      if (added.wants_gradient()) kernels::add_rows(y.gradient(), rows, columns, added.gradient());
    });
  }
  return y;
}

Tensor scale_rows(Tensor x, Tensor factors) {
  const int rows = x.shape().rows(), columns = x.shape().last();
  check(factors.shape() == x.shape().with_last(1), "scale_rows: {} times {}", x.shape().text(), factors.shape().text());
  Tensor y = x.tape().make(x.shape(), x.wants_gradient() || factors.wants_gradient());
  std::ranges::copy(x.values(), y.data());
  for (int r = 0; r < rows; ++r) kernels::scale(factors.data()[r], row(y.data(), r, columns));
  if (y.wants_gradient()) {
    y.tape().record([=] {
      if (!y.has_gradient()) return;
      for (int r = 0; r < rows; ++r) {
        const std::span<Real> dy = row(y.gradient(), r, columns);
        if (x.wants_gradient()) kernels::add_scaled(factors.data()[r], dy, row(x.gradient(), r, columns));
        if (factors.wants_gradient()) factors.gradient()[r] += kernels::dot(dy, row(x.data(), r, columns));
      }
    });
  }
  return y;
}

Tensor layer_norm(Tensor x, Tensor gain, Tensor bias) {
  const int rows = x.shape().rows(), columns = x.shape().last();
  check(columns > 0 && gain.shape().count() == columns && bias.shape().count() == columns,
        "layer_norm: gain {} and bias {} for {}", gain.shape().text(), bias.shape().text(), x.shape().text());
  Tape& tape = x.tape();
  Tensor y = tape.make(x.shape(), x.wants_gradient() || gain.wants_gradient() || bias.wants_gradient());
  const auto moments = tape.arena().array<Real>(2 * as_size(rows));
  const kernels::LayerNorm norm = {x.data(), rows, columns, gain.data(), moments.data(), moments.data() + rows};
  kernels::layer_norm(norm, bias.data(), y.data());
  if (y.wants_gradient()) {
    tape.record([=] {
      if (!y.has_gradient()) return;
      kernels::layer_norm_backward(norm, y.gradient(), x.gradient_if_wanted(), gain.gradient_if_wanted());
      if (bias.wants_gradient()) kernels::add_rows(y.gradient(), rows, columns, bias.gradient());
    });
  }
  return y;
}

Tensor unit_rows(Tensor x) {
  const int rows = x.shape().rows(), columns = x.shape().last();
  Tensor y = x.tape().make(x.shape(), x.wants_gradient());
  const auto factors = x.tape().arena().array<Real>(as_size(rows));  // 1 / |x|
  std::ranges::copy(x.values(), y.data());
  for (int r = 0; r < rows; ++r) {
    const double norm = std::sqrt(kernels::sum_of_squares(row(x.data(), r, columns)));
    factors[r] = norm > 0 ? static_cast<Real>(1 / norm) : Real(0);
    kernels::scale(factors[r], row(y.data(), r, columns));
  }
  if (y.wants_gradient()) {
    // dx = (dy - y (y . dy)) / |x|: what would change the length is lost.
    y.tape().record([=] {
      if (!y.has_gradient()) return;
      for (int r = 0; r < rows; ++r) {
        const std::span<Real> unit = row(y.data(), r, columns), dy = row(y.gradient(), r, columns);
        const std::span<Real> dx = row(x.gradient(), r, columns);
        kernels::add_scaled(factors[r], dy, dx);
        kernels::add_scaled(-factors[r] * kernels::dot(unit, dy), unit, dx);
      }
    });
  }
  return y;
}

Tensor log_sum(Tensor x) {
  const kernels::LogitRows rows = {x.data(), x.shape().rows(), x.shape().last()};
  check(rows.columns > 0, "log_sum: nothing to sum in {}", x.shape().text());
  Tensor y = x.tape().make(x.shape().with_last(1), x.wants_gradient());
  kernels::log_sums(rows, y.data());
  if (y.wants_gradient()) {
    y.tape().record([=] {
      if (y.has_gradient()) kernels::log_sums_backward(rows, y.data(), y.gradient(), x.gradient());
    });
  }
  return y;
}

Tensor pick(Tensor x, Ids ids, int ignored) {
  const int rows = x.shape().rows(), columns = x.shape().last();
  check(static_cast<int>(ids.size()) == rows, "pick: {} ids for {}", ids.size(), x.shape().text());
  const auto kept = x.tape().arena().array<std::int32_t>(ids.size());
  std::ranges::copy(ids, kept.begin());
  Tensor y = x.tape().make(x.shape().with_last(1), x.wants_gradient());
  for (int r = 0; r < rows; ++r) {
    const bool counts = kept[r] != ignored;
    check(!counts || (kept[r] >= 0 && kept[r] < columns), "pick: id {} of {}", kept[r], columns);
    y.data()[r] = counts ? x.data()[std::ptrdiff_t(r) * columns + kept[r]] : Real(0);
  }
  if (y.wants_gradient()) {
    y.tape().record([=] {
      if (!y.has_gradient()) return;
      for (int r = 0; r < rows; ++r) {
        if (kept[r] != ignored) x.gradient()[std::ptrdiff_t(r) * columns + kept[r]] += y.gradient()[r];
      }
    });
  }
  return y;
}

Tensor sum(Tensor x) {
  Tensor y = x.tape().make({1}, x.wants_gradient());
  const std::span<Real> values = x.values();
  *y.data() = static_cast<Real>(std::accumulate(values.begin(), values.end(), 0.0));
  if (y.wants_gradient()) {
    y.tape().record([=] {
      if (!y.has_gradient()) return;
      for (Real& dx : x.gradients()) dx += *y.gradient();
    });
  }
  return y;
}

Tensor sum_steps(Tensor x) {
  check(x.shape().axes() > 1, "sum_steps: {} has no steps", x.shape().text());
  const int steps = x.shape()[0];
  Tensor y = x.tape().make(x.shape().tail(), x.wants_gradient());
  const int count = y.shape().count();
  std::ranges::fill(y.values(), Real(0));
  kernels::add_rows(x.data(), steps, count, y.data());
  if (y.wants_gradient()) {
    y.tape().record([=] {
      if (!y.has_gradient()) return;
      for (int t = 0; t < steps; ++t) kernels::add(y.gradients(), row(x.gradient(), t, count));
    });
  }
  return y;
}

}  // namespace fovea
