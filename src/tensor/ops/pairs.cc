#include <algorithm>
#include <cmath>

#include "base/as_size.h"
#include "kernels/pointwise.h"
#include "tensor/ops.h"
#include "tensor/ops/row.h"

namespace fovea {

namespace {

// visit(pair, query, key): rows of [positions, queries * batch], [queries, batch] and [positions, batch].
template <class Visit>
void each_pair(const Shape& queries, const Shape& keys, Visit visit) {
  const int rows = queries[0] * queries[1], batch = queries[1];
  for (int i = 0; i < keys[0]; ++i) {
    for (int r = 0; r < rows; ++r) visit(std::ptrdiff_t(i) * rows + r, r, std::ptrdiff_t(i) * batch + r % batch);
  }
}

Tensor make_pairs(const char* operation, Tensor queries, Tensor keys) {
  const Shape &q = queries.shape(), &k = keys.shape();
  check(q.axes() == 3 && k.axes() == 3 && q[1] == k[1] && q[2] == k[2], "{}: queries {} with keys {}", operation,
        q.text(), k.text());
  return queries.tape().make({k[0], q[0] * q[1], k[2]}, queries.wants_gradient() || keys.wants_gradient());
}

}  // namespace

Tensor broadcast_add(Tensor queries, Tensor keys) {
  Tensor y = make_pairs("broadcast_add", queries, keys);
  const int size = y.shape().last();
  each_pair(queries.shape(), keys.shape(), [&](std::ptrdiff_t pair, std::ptrdiff_t q, std::ptrdiff_t k) {
    std::ranges::copy(row(keys.data(), k, size), row(y.data(), pair, size).begin());
    kernels::add(row(queries.data(), q, size), row(y.data(), pair, size));
  });
  if (y.wants_gradient()) {
    y.tape().record([=] {
      if (!y.has_gradient()) return;
      each_pair(queries.shape(), keys.shape(), [&](std::ptrdiff_t pair, std::ptrdiff_t q, std::ptrdiff_t k) {
        const auto dy = row(y.gradient(), pair, size);
        if (queries.wants_gradient()) kernels::add(dy, row(queries.gradient(), q, size));
        if (keys.wants_gradient()) kernels::add(dy, row(keys.gradient(), k, size));
      });
    });
  }
  return y;
}

Tensor broadcast_multiply(Tensor queries, Tensor keys) {
  Tensor y = make_pairs("broadcast_multiply", queries, keys);
  const int size = y.shape().last();
  each_pair(queries.shape(), keys.shape(), [&](std::ptrdiff_t pair, std::ptrdiff_t q, std::ptrdiff_t k) {
    kernels::multiply(row(queries.data(), q, size), row(keys.data(), k, size), row(y.data(), pair, size));
  });
  if (y.wants_gradient()) {
    y.tape().record([=] {
      if (!y.has_gradient()) return;
      each_pair(queries.shape(), keys.shape(), [&](std::ptrdiff_t pair, std::ptrdiff_t q, std::ptrdiff_t k) {
        const auto dy = row(y.gradient(), pair, size);
        if (queries.wants_gradient()) {
          kernels::add_product(dy, row(keys.data(), k, size), row(queries.gradient(), q, size));
        }
        if (keys.wants_gradient()) {
          kernels::add_product(dy, row(queries.data(), q, size), row(keys.gradient(), k, size));
        }
      });
    });
  }
  return y;
}

namespace {

// x, seen as [rows, columns], turned over into a tensor of this shape.
Tensor transpose(Tensor x, int rows, int columns, Shape shape) {
  Tensor y = x.tape().make(shape, x.wants_gradient());
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c)
      y.data()[std::ptrdiff_t(c) * rows + r] = x.data()[std::ptrdiff_t(r) * columns + c];
  }
  if (y.wants_gradient()) {
    y.tape().record([=] {
      if (!y.has_gradient()) return;
      for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < columns; ++c) {
          x.gradient()[std::ptrdiff_t(r) * columns + c] += y.gradient()[std::ptrdiff_t(c) * rows + r];
        }
      }
    });
  }
  return y;
}

}  // namespace

Tensor from_pairs(Tensor x, int queries) {
  const Shape& s = x.shape();
  check(s.axes() == 3 && s[2] == 1 && queries > 0 && s[1] % queries == 0, "from_pairs: {} of {} queries", s.text(),
        queries);
  return transpose(x, s[0], s[1], {queries, s[1] / queries, s[0]});
}

Tensor to_pairs(Tensor scores) {
  const Shape& s = scores.shape();
  check(s.axes() == 3, "to_pairs: scores {}", s.text());
  return transpose(scores, s[0] * s[1], s[2], {s[2], s[0] * s[1], 1});
}

namespace {

// No query asks here, so that no causal limit applies.
bool is_real(Mask mask, int row, int position) { return mask.data[position * mask.batch + row]; }

void check_sequence(const char* operation, const Shape& shape, Mask mask) {
  check(shape.axes() == 3 && shape[0] == mask.positions && shape[1] == mask.batch, "{}: a mask [{}, {}] for {}",
        operation, mask.positions, mask.batch, shape.text());
}

// visit(here, there): a row of windows, [positions, rows, width], and the row of x, [positions, rows], that it shows;
// -1 where there is none.
template <class Visit>
void each_neighbour(const Shape& x, int width, Mask mask, Visit visit) {
  const int positions = x[0], rows = x[1], middle = (width - 1) / 2;
  for (int i = 0; i < positions; ++i) {
    for (int r = 0; r < rows; ++r) {
      for (int k = 0; k < width; ++k) {
        const int there = i + k - middle;
        const bool shown = there >= 0 && there < positions && is_real(mask, r, there);
        visit((std::ptrdiff_t(i) * rows + r) * width + k, shown ? std::ptrdiff_t(there) * rows + r : -1);
      }
    }
  }
}

}  // namespace

Tensor windows(Tensor x, int width, Mask mask) {
  const Shape s = x.shape();
  check_sequence("windows", s, mask);
  check(width > 0, "windows: a width of {}", width);
  const int size = s[2];
  Tensor y = x.tape().make({s[0], s[1], width * size}, x.wants_gradient());
  std::ranges::fill(y.values(), Real(0));
  each_neighbour(s, width, mask, [&](std::ptrdiff_t here, std::ptrdiff_t there) {
    if (there >= 0) std::ranges::copy(row(x.data(), there, size), row(y.data(), here, size).begin());
  });
  if (y.wants_gradient()) {
    y.tape().record([=] {
      if (!y.has_gradient()) return;
      each_neighbour(s, width, mask, [&](std::ptrdiff_t here, std::ptrdiff_t there) {
        if (there >= 0) kernels::add(row(y.gradient(), here, size), row(x.gradient(), there, size));
      });
    });
  }
  return y;
}

Tensor unit_sequences(Tensor x, Mask mask) {
  const Shape s = x.shape();
  check_sequence("unit_sequences", s, mask);
  const int positions = s[0], rows = s[1], size = s[2];
  const auto each_value = [=](int r, auto visit) {
    for (int i = 0; i < positions; ++i) {
      if (!is_real(mask, r, i)) continue;
      const std::ptrdiff_t start = (std::ptrdiff_t(i) * rows + r) * size;
      for (std::ptrdiff_t at = start; at < start + size; ++at) visit(at);
    }
  };
  const auto factors = x.tape().arena().array<Real>(as_size(rows));  // 1 / |x|
  Tensor y = x.tape().make(s, x.wants_gradient());
  std::ranges::fill(y.values(), Real(0));
  for (int r = 0; r < rows; ++r) {
    Real squares = 0;
    each_value(r, [&](std::ptrdiff_t at) { squares += x.data()[at] * x.data()[at]; });
    factors[r] = squares > 0 ? 1 / std::sqrt(squares) : Real(0);
    each_value(r, [&](std::ptrdiff_t at) { y.data()[at] = factors[r] * x.data()[at]; });
  }
  if (y.wants_gradient()) {
    y.tape().record([=] {
      if (!y.has_gradient()) return;
      for (int r = 0; r < rows; ++r) {
        Real along = 0;  // what changes the length alone has no effect
        each_value(r, [&](std::ptrdiff_t at) { along += y.data()[at] * y.gradient()[at]; });
        each_value(
            r, [&](std::ptrdiff_t at) { x.gradient()[at] += factors[r] * (y.gradient()[at] - along * y.data()[at]); });
      }
    });
  }
  return y;
}

}  // namespace fovea
