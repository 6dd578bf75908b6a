#include <algorithm>
#include <cstring>

#include "base/as_size.h"
#include "kernels/pointwise.h"
#include "tensor/ops.h"
#include "tensor/ops/row.h"

namespace fovea {

namespace {

bool any_wants_gradient(std::span<const Tensor> parts) {
  return std::ranges::any_of(parts, [](Tensor x) { return x.wants_gradient(); });
}

// Parts outlive the call in the arena, where closures can hold them.
std::span<Tensor> keep(Tape& tape, std::span<const Tensor> parts) {
  const auto kept = tape.arena().array<Tensor>(parts.size());
  std::ranges::copy(parts, kept.begin());
  return kept;
}

}  // namespace

Tensor concat(std::initializer_list<Tensor> parts) {
  check(parts.size() > 0, "concat: nothing to join");
  Tape& tape = parts.begin()->tape();
  const std::span<Tensor> kept = keep(tape, parts);
  const Shape shape = kept[0].shape();
  const int rows = shape.rows();
  int width = 0;
  for (Tensor part : kept) {
    check(part.shape().with_last(1) == shape.with_last(1), "concat: {} beside {}", part.shape().text(), shape.text());
    width += part.shape().last();
  }
  Tensor y = tape.make(shape.with_last(width), any_wants_gradient(kept));
  int column = 0;
  for (Tensor part : kept) {
    const int size = part.shape().last();
    for (int r = 0; r < rows; ++r) {
      std::memcpy(y.data() + std::ptrdiff_t(r) * width + column, part.data() + std::ptrdiff_t(r) * size,
                  sizeof(Real) * size);
    }
    column += size;
  }
  if (y.wants_gradient()) {
    tape.record([=] {
      if (!y.has_gradient()) return;
      int start = 0;
      for (Tensor part : kept) {
        const int size = part.shape().last();
        for (int r = 0; r < rows && part.wants_gradient(); ++r) {
          kernels::add({y.gradient() + std::ptrdiff_t(r) * width + start, as_size(size)},
                       row(part.gradient(), r, size));
        }
        start += size;
      }
    });
  }
  return y;
}

Tensor columns(Tensor x, int start, int count) {
  const int rows = x.shape().rows(), width = x.shape().last();
  check(start >= 0 && count >= 0 && start + count <= width, "columns: {} from {} on of {}", count, start,
        x.shape().text());
  Tensor y = x.tape().make(x.shape().with_last(count), x.wants_gradient());
  const auto part = [=](Real* data, int r) {
    return std::span<Real>(data + std::ptrdiff_t(r) * width + start, as_size(count));
  };
  for (int r = 0; r < rows; ++r) std::ranges::copy(part(x.data(), r), row(y.data(), r, count).begin());
  if (y.wants_gradient()) {
    y.tape().record([=] {
      if (!y.has_gradient()) return;
      for (int r = 0; r < rows; ++r) kernels::add(row(y.gradient(), r, count), part(x.gradient(), r));
    });
  }
  return y;
}

Tensor step(Tensor sequence, int t) {
  const Shape entry = sequence.shape().tail();
  check(t >= 0 && t < sequence.shape()[0], "step {} of {}", t, sequence.shape().text());
  return sequence.tape().view(sequence, std::ptrdiff_t(t) * entry.count(), entry);
}

Tensor as_shape(Tensor x, Shape shape) {
  check(shape.count() == x.shape().count(), "{} seen as {}", x.shape().text(), shape.text());
  return x.tape().view(x, 0, shape);
}

Tensor stack(std::span<const Tensor> steps) {
  check(!steps.empty() && steps[0].shape().axes() < Shape::max_axes, "stack: nothing to stack, or too many axes");
  Tape& tape = steps[0].tape();
  const std::span<Tensor> kept = keep(tape, steps);
  const Shape entry = kept[0].shape();
  const int count = entry.count();
  const int length = static_cast<int>(kept.size());
  const Shape shape = entry.axes() == 1   ? Shape{length, entry[0]}
                      : entry.axes() == 2 ? Shape{length, entry[0], entry[1]}
                                          : Shape{length, entry[0], entry[1], entry[2]};
  Tensor y = tape.make(shape, any_wants_gradient(kept));
  for (int t = 0; t < length; ++t) {
    check(kept[t].shape() == entry, "stack: step {} is {}, not {}", t, kept[t].shape().text(), entry.text());
    std::ranges::copy(kept[t].values(), y.data() + std::ptrdiff_t(t) * count);
  }
  if (y.wants_gradient()) {
    tape.record([=] {
      if (!y.has_gradient()) return;
      for (int t = 0; t < length; ++t) {
        if (kept[t].wants_gradient()) kernels::add(row(y.gradient(), t, count), kept[t].gradients());
      }
    });
  }
  return y;
}

Tensor gather_rows(Tensor x, Ids rows) {
  const int size = x.shape().tail().count();
  const auto kept = x.tape().arena().array<std::int32_t>(rows.size());
  std::ranges::copy(rows, kept.begin());
  const int count = static_cast<int>(rows.size());
  const Shape& s = x.shape();
  const Shape shape = s.axes() == 1   ? Shape{count}
                      : s.axes() == 2 ? Shape{count, s[1]}
                      : s.axes() == 3 ? Shape{count, s[1], s[2]}
                                      : Shape{count, s[1], s[2], s[3]};
  Tensor y = x.tape().make(shape, x.wants_gradient());
  for (int r = 0; r < count; ++r) {
    check(kept[r] >= 0 && kept[r] < s[0], "gather_rows: row {} of {}", kept[r], s.text());
    std::ranges::copy(row(x.data(), kept[r], size), y.data() + std::ptrdiff_t(r) * size);
  }
  if (y.wants_gradient()) {
    y.tape().record([=] {
      if (!y.has_gradient()) return;
      for (int r = 0; r < count; ++r) kernels::add(row(y.gradient(), r, size), row(x.gradient(), kept[r], size));
    });
  }
  return y;
}

Tensor masked_mean(Tensor x, Mask mask) {
  const int positions = x.shape()[0], batch = x.shape()[1], size = x.shape()[2];
  check(mask.positions == positions && mask.batch == batch, "masked_mean: a mask [{}, {}] for {}", mask.positions,
        mask.batch, x.shape().text());
  const auto shares = x.tape().arena().array<Real>(as_size(batch));  // 1 / number of real positions
  Tensor y = x.tape().make({batch, size}, x.wants_gradient());
  std::ranges::fill(y.values(), Real(0));
  for (int b = 0; b < batch; ++b) {
    int count = 0;
    for (int i = 0; i < positions; ++i) count += mask.data[i * batch + b];
    shares[b] = count ? Real(1) / Real(count) : Real(0);
  }
  for (int i = 0; i < positions; ++i) {
    for (int b = 0; b < batch; ++b) {
      if (mask.data[i * batch + b]) {
        kernels::add_scaled(shares[b], row(x.data(), std::ptrdiff_t(i) * batch + b, size), row(y.data(), b, size));
      }
    }
  }
  if (y.wants_gradient()) {
    y.tape().record([=] {
      if (!y.has_gradient()) return;
      for (int i = 0; i < positions; ++i) {
        for (int b = 0; b < batch; ++b) {
          if (!mask.data[i * batch + b]) continue;
          kernels::add_scaled(shares[b], row(y.gradient(), b, size),
                              row(x.gradient(), std::ptrdiff_t(i) * batch + b, size));
        }
      }
    });
  }
  return y;
}

}  // namespace fovea
