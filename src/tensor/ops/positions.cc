#include <algorithm>
#include <cmath>

#include "base/as_size.h"
#include "tensor/ops.h"

namespace fovea {

Tensor relative_bias(Tensor x, int positions, When when) {
  const Shape& shape = x.shape();
  check(shape.axes() == 3 && shape[2] % 2 == 1, "relative_bias: {} is not [queries, batch, 2 reach + 1]", shape.text());
  const int batch = shape[1], width = shape[2], reach = width / 2;
  Tensor y = x.tape().make(shape.with_last(positions), x.wants_gradient());
  // Where in x, and in its gradient, the value of query q, row b and position i stands.
  const auto at = [=](int q, int b, int i) {
    const int distance = std::clamp(i - (when.first + q * when.stride), -reach, reach);
    return (std::ptrdiff_t(q) * batch + b) * width + reach + distance;
  };
  const auto for_each = [=, queries = shape[0]](const auto& body) {
    std::ptrdiff_t out = 0;
    for (int q = 0; q < queries; ++q) {
      for (int b = 0; b < batch; ++b) {
        for (int i = 0; i < positions; ++i) body(at(q, b, i), out++);
      }
    }
  };
  for_each([&](std::ptrdiff_t from, std::ptrdiff_t to) { y.data()[to] = x.data()[from]; });
  if (y.wants_gradient()) {
    y.tape().record([=] {
      if (!y.has_gradient()) return;
      const Real* dy = y.gradient();
      Real* dx = x.gradient();
      for_each([&](std::ptrdiff_t from, std::ptrdiff_t to) { dx[from] += dy[to]; });
    });
  }
  return y;
}

namespace {

struct Turn {
  Real cosine;
  Real sine;
};

// The turn of every pair of every step, [steps, size / 2].
const Turn* make_turns(Arena& arena, int steps, int size, When when) {
  Turn* turns = arena.array<Turn>(as_size(steps) * (size / 2)).data();
  for (int t = 0; t < steps; ++t) {
    for (int i = 0; i < size / 2; ++i) {
      const double angle = (when.first + t * when.stride) * std::pow(10000.0, -2.0 * i / size);
      turns[t * (size / 2) + i] = {static_cast<Real>(std::cos(angle)), static_cast<Real>(std::sin(angle))};
    }
  }
  return turns;
}

}  // namespace

// Values 2i and 2i + 1 of a row are a point in the plane, turned by step * 10000^(-2i / size).
Tensor rotate(Tensor x, When when) {
  const Shape& shape = x.shape();
  check(shape.axes() == 3 && shape[2] % 2 == 0, "rotate: {} is not [steps, batch, size] with an even size",
        shape.text());
  const int steps = shape[0], batch = shape[1], pairs = shape[2] / 2;
  const Turn* turns = make_turns(x.tape().arena(), steps, shape[2], when);
  Tensor y = x.tape().make(shape, x.wants_gradient());
  const auto for_each = [=](const auto& body) {  // body(where a pair starts, how it turns)
    for (int row = 0; row < steps * batch; ++row) {
      for (int i = 0; i < pairs; ++i) {
        body((std::ptrdiff_t(row) * pairs + i) * 2, turns[row / batch * pairs + i]);
      }
    }
  };
  for_each([in = x.data(), out = y.data()](std::ptrdiff_t at, Turn turn) {
    out[at] = in[at] * turn.cosine - in[at + 1] * turn.sine;
    out[at + 1] = in[at] * turn.sine + in[at + 1] * turn.cosine;
  });
  if (y.wants_gradient()) {
    y.tape().record([=] {
      if (!y.has_gradient()) return;
      // The same turn the other way round.
      for_each([dy = y.gradient(), dx = x.gradient()](std::ptrdiff_t at, Turn turn) {
        dx[at] += dy[at] * turn.cosine + dy[at + 1] * turn.sine;
        dx[at + 1] += dy[at + 1] * turn.cosine - dy[at] * turn.sine;
      });
    });
  }
  return y;
}

}  // namespace fovea
