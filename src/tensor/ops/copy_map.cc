#include <algorithm>
#include <cmath>

#include "kernels/rows.h"
#include "tensor/ops.h"

namespace fovea {

namespace {

template <class T>
std::span<const T> keep(Tape& tape, std::span<const T> values) {
  const auto kept = tape.arena().array<T>(values.size());
  std::ranges::copy(values, kept.begin());
  return kept;
}

void check_links(const Shape& weights, const CopyMapView& copy_map) {
  check(weights.axes() == 3 && std::ssize(copy_map.starts) == std::ptrdiff_t(weights[1]) * weights[2] + 1,
        "linked: {} starts for weights {}", copy_map.starts.size(), weights.text());
  check(copy_map.symbols.size() == copy_map.shares.size(), "linked: {} symbols with {} shares", copy_map.symbols.size(),
        copy_map.shares.size());
  check(copy_map.starts.front() >= 0 && copy_map.starts.back() <= std::ssize(copy_map.symbols) &&
            std::ranges::is_sorted(copy_map.starts),
        "linked: the starts do not ascend from 0 to at most {}", copy_map.symbols.size());
  for (const std::int32_t symbol : copy_map.symbols) {
    check(symbol >= 0 && symbol < copy_map.width, "linked: symbol {} of {}", symbol, copy_map.width);
  }
}

// visit(weight, symbol, share): places in [queries, batch, positions] and [queries, batch, width].
template <class Visit>
void each_link(const Shape& weights, const CopyMapView& copy_map, Visit visit) {
  const int queries = weights[0], batch = weights[1], positions = weights[2];
  for (int r = 0; r < queries * batch; ++r) {
    for (int i = 0; i < positions; ++i) {
      const int place = i * batch + r % batch;
      for (std::int32_t k = copy_map.starts[place]; k < copy_map.starts[place + 1]; ++k) {
        visit(std::ptrdiff_t(r) * positions + i, std::ptrdiff_t(r) * copy_map.width + copy_map.symbols[k],
              copy_map.shares[k]);
      }
    }
  }
}

}  // namespace

Tensor scatter_to_vocabulary(Tensor weights, const CopyMapView& copy_map) {
  check_links(weights.shape(), copy_map);
  Tape& tape = weights.tape();
  Tensor y = tape.make(weights.shape().with_last(copy_map.width), weights.wants_gradient());
  std::ranges::fill(y.values(), Real(0));
  each_link(weights.shape(), copy_map, [&](std::ptrdiff_t weight, std::ptrdiff_t symbol, Real share) {
    y.data()[symbol] += share * weights.data()[weight];
  });
  if (y.wants_gradient()) {
    const CopyMapView kept = {keep(tape, copy_map.starts), keep(tape, copy_map.symbols), keep(tape, copy_map.shares),
                              copy_map.width};
    tape.record([=] {
      if (!y.has_gradient()) return;
      each_link(weights.shape(), kept, [&](std::ptrdiff_t weight, std::ptrdiff_t symbol, Real share) {
        weights.gradient()[weight] += share * y.gradient()[symbol];
      });
    });
  }
  return y;
}

namespace {

constexpr Real least_mixed = Real(1e-30);

struct MixtureSize {
  int rows = 0;
  int n = 0;      // logits of a row
  int width = 0;  // results of a row
};

// What one row is mixed of.
struct MixtureRow {
  const Real* shares = nullptr;  // softmax(logits), [n]
  const Real* extra = nullptr;   // [width]
  Real gate = 0;

  Real mixed(int j, int n) const { return (j < n ? gate * shares[j] : Real(0)) + extra[j]; }
};

struct MixtureGradients {
  const Real* dy = nullptr;
  Real* dlogits = nullptr;  // these three may be null
  Real* dgate = nullptr;
  Real* dextra = nullptr;
};

void mixture_row_backward(MixtureSize size, const MixtureRow& row, const MixtureGradients& to) {
  const auto dmixed = [&](int j) {
    const Real mixed = row.mixed(j, size.n);
    return mixed > least_mixed ? to.dy[j] / mixed : Real(0);
  };
  Real dgate = 0;
  for (int j = 0; j < size.n; ++j) dgate += row.shares[j] * dmixed(j);
  if (to.dgate) *to.dgate += dgate;
  for (int j = 0; j < size.n && to.dlogits; ++j) to.dlogits[j] += row.gate * row.shares[j] * (dmixed(j) - dgate);
  for (int j = 0; j < size.width && to.dextra; ++j) to.dextra[j] += dmixed(j);
}

}  // namespace

Tensor log_mixture(Tensor logits, Tensor gate, Tensor extra) {
  const Shape shape = extra.shape();
  const MixtureSize size = {shape.rows(), logits.shape().last(), shape.last()};
  check(logits.shape().with_last(1) == shape.with_last(1) && gate.shape() == shape.with_last(1) && size.n <= size.width,
        "log_mixture: logits {}, gate {} and extra {}", logits.shape().text(), gate.shape().text(), shape.text());
  Tape& tape = logits.tape();
  const auto shares = tape.arena().array<Real>(logits.values().size());
  kernels::log_softmax({logits.data(), size.rows, size.n}, shares.data());
  for (Real& share : shares) share = std::exp(share);
  const auto row_at = [=](std::ptrdiff_t r) {
    return MixtureRow{shares.data() + r * size.n, extra.data() + r * size.width, gate.data()[r]};
  };
  Tensor y = tape.make(shape, logits.wants_gradient() || gate.wants_gradient() || extra.wants_gradient());
  for (std::ptrdiff_t r = 0; r < size.rows; ++r) {
    const MixtureRow row = row_at(r);
    for (int j = 0; j < size.width; ++j) {
      y.data()[r * size.width + j] = std::log(std::max(row.mixed(j, size.n), least_mixed));
    }
  }
  if (y.wants_gradient()) {
    tape.record([=] {
      if (!y.has_gradient()) return;
      for (std::ptrdiff_t r = 0; r < size.rows; ++r) {
        mixture_row_backward(
            size, row_at(r),
            {y.gradient() + r * size.width, logits.wants_gradient() ? logits.gradient() + r * size.n : nullptr,
             gate.wants_gradient() ? gate.gradient() + r : nullptr,
             extra.wants_gradient() ? extra.gradient() + r * size.width : nullptr});
      }
    });
  }
  return y;
}

}  // namespace fovea
