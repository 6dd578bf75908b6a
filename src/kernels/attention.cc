#include "kernels/attention.h"

#include <algorithm>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/attention.cc"
#include <hwy/foreach_target.h>
//
#include "kernels/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

// Row b of query q, and of position i: rows of the batch lie side by side.
std::ptrdiff_t row(const AttentionSize& a, int outer, int b) { return std::ptrdiff_t(outer) * a.batch + b; }
bool real(const AttentionSize& a, int i, int b) { return a.mask[row(a, i, b)] != 0; }
// Query q sees the real ones among this many positions.
int reach(const AttentionSize& a, int q) {
  return a.causal < 0 ? a.positions : std::min(a.positions, q + a.causal + 1);
}

void additive_scores(AttentionSize a, const Real* queries, const Real* keys, const Real* v, Real* scores) {
  for (int q = 0; q < a.queries; ++q) {
    for (int b = 0; b < a.batch; ++b) {
      const Real* query = queries + row(a, q, b) * a.size;
      Real* out = scores + row(a, q, b) * a.positions;
      const int count = reach(a, q);
      std::fill(out + count, out + a.positions, Real(0));
      for (int i = 0; i < count; ++i) {
        const Real* key = keys + row(a, i, b) * a.size;
        out[i] = !real(a, i, b) ? Real(0) : sum_lanes(a.size, [&](auto d, int j) {
          return hn::Mul(hn::LoadU(d, v + j), tanh(d, hn::Add(hn::LoadU(d, query + j), hn::LoadU(d, key + j))));
        });
      }
    }
  }
}

void additive_scores_backward(AttentionSize a, const Real* queries, const Real* keys, const Real* v,
                              AdditiveGradient gradient) {
  for (int q = 0; q < a.queries; ++q) {
    for (int b = 0; b < a.batch; ++b) {
      const Real* query = queries + row(a, q, b) * a.size;
      Real* dquery = gradient.dqueries ? gradient.dqueries + row(a, q, b) * a.size : nullptr;
      for (int i = 0; i < reach(a, q); ++i) {
        if (!real(a, i, b)) continue;
        const Real dscore = gradient.dscores[row(a, q, b) * a.positions + i];
        const Real* key = keys + row(a, i, b) * a.size;
        Real* dkey = gradient.dkeys ? gradient.dkeys + row(a, i, b) * a.size : nullptr;
        for_lanes(a.size, [&](auto d, int j) {
          const auto t = tanh(d, hn::Add(hn::LoadU(d, query + j), hn::LoadU(d, key + j)));
          const auto ds = hn::Set(d, dscore);
          const auto dx = hn::Mul(hn::Mul(ds, hn::LoadU(d, v + j)), hn::NegMulAdd(t, t, hn::Set(d, Real(1))));
          if (dquery) hn::StoreU(hn::Add(hn::LoadU(d, dquery + j), dx), d, dquery + j);
          if (dkey) hn::StoreU(hn::Add(hn::LoadU(d, dkey + j), dx), d, dkey + j);
          if (gradient.dv) hn::StoreU(hn::MulAdd(ds, t, hn::LoadU(d, gradient.dv + j)), d, gradient.dv + j);
        });
      }
    }
  }
}

void masked_softmax(AttentionSize a, const Real* scores, Real* weights) {
  for (int q = 0; q < a.queries; ++q) {
    const int count = reach(a, q);
    for (int b = 0; b < a.batch; ++b) {
      const Real* in = scores + row(a, q, b) * a.positions;
      Real* out = weights + row(a, q, b) * a.positions;
      std::fill(out + count, out + a.positions, Real(0));
      Real largest = std::numeric_limits<Real>::lowest();
      for (int i = 0; i < count; ++i) {
        if (real(a, i, b)) largest = std::max(largest, std::min(in[i], std::numeric_limits<Real>::max()));
      }
      for_lanes(count, [&](auto d, int i) {
        // A pad's score may be anything; it is cleared below.
        const auto shifted = hn::Sub(hn::LoadU(d, in + i), hn::Set(d, largest));
        hn::StoreU(hn::Exp(d, hn::Min(hn::Max(shifted, hn::Set(d, Real(-200))), hn::Zero(d))), d, out + i);
      });
      for (int i = 0; i < count; ++i) {
        if (!real(a, i, b) || in[i] < Real(-1e29)) out[i] = 0;
      }
      const Real sum = sum_lanes(count, [&](auto d, int i) { return hn::LoadU(d, out + i); });
      if (sum <= 0) continue;  // nothing to see: zeros
      for (int i = 0; i < count; ++i) out[i] /= sum;
    }
  }
}

void masked_softmax_backward(AttentionSize a, const Real* weights, const Real* dweights, Real* dscores) {
  for (std::ptrdiff_t r = 0; r < std::ptrdiff_t(a.queries) * a.batch; ++r) {
    const Real* w = weights + r * a.positions;
    const Real* dw = dweights + r * a.positions;
    Real* ds = dscores + r * a.positions;
    const Real mean =
        sum_lanes(a.positions, [&](auto d, int i) { return hn::Mul(hn::LoadU(d, w + i), hn::LoadU(d, dw + i)); });
    for_lanes(a.positions, [&](auto d, int i) {
      const auto centred = hn::Sub(hn::LoadU(d, dw + i), hn::Set(d, mean));
      hn::StoreU(hn::MulAdd(hn::LoadU(d, w + i), centred, hn::LoadU(d, ds + i)), d, ds + i);
    });
  }
}

// Rows of one entry of the batch.
struct EntryRows {
  const Real* data;
  std::ptrdiff_t stride;
  const Real* operator[](int index) const { return data + index * stride; }
};

// Rows of entry b of data [count, batch, size], gathered in `room` if there is any, else where they are. A single query
// touches each row once: nothing would be gained.
EntryRows entry_rows(const AttentionSize& a, const Real* data, int count, int size, int b, Real* room) {
  const std::ptrdiff_t stride = std::ptrdiff_t(a.batch) * size;
  const Real* first = data + std::ptrdiff_t(b) * size;
  if (!room || a.queries == 1) return {first, stride};
  for (int r = 0; r < count; ++r) std::copy_n(first + r * stride, size, room + std::ptrdiff_t(r) * size);
  return {room, size};
}
EntryRows position_rows(const AttentionSize& a, const Real* memory, int b) {
  return entry_rows(a, memory, a.positions, a.size, b, a.room);
}

// One term of a sum of rows: weight times row, or nothing where the row is null.
struct Term {
  Real weight;
  const Real* row;
};

// sum += the terms `begin` to `end`, on `vectors` vectors of columns that stay in registers meanwhile.
template <int vectors, class D, class Terms>
HWY_INLINE void add_columns(D d, int begin, int end, const Terms& term, int column, Real* sum) {
  const int width = static_cast<int>(hn::Lanes(d));
  hn::Vec<D> sums[vectors];
  for (int v = 0; v < vectors; ++v) sums[v] = hn::LoadU(d, sum + column + v * width);
  for (int k = begin; k < end; ++k) {
    const Term t = term(k);
    if (!t.row) continue;
    const auto weight = hn::Set(d, t.weight);
    for (int v = 0; v < vectors; ++v) {
      sums[v] = hn::MulAdd(weight, hn::LoadU(d, t.row + column + v * width), sums[v]);
    }
  }
  for (int v = 0; v < vectors; ++v) hn::StoreU(sums[v], d, sum + column + v * width);
}

// From column j on: as many columns at a time as there are registers for, then fewer.
template <int vectors = 8, class Terms>
HWY_INLINE void add_terms(int size, int begin, int end, const Terms& term, Real* sum, int j = 0) {
  const int block = vectors * static_cast<int>(hn::Lanes(Full()));
  for (; j + block <= size; j += block) add_columns<vectors>(Full(), begin, end, term, j, sum);
  if constexpr (vectors > 1) {
    add_terms<vectors / 2>(size, begin, end, term, sum, j);
  } else {
    for (; j < size; ++j) add_columns<1>(Single(), begin, end, term, j, sum);
  }
}

// out[i] = factor query' row, or that much more; what is not seen is 0, or stays.
template <bool adds>
void dot_row(const AttentionSize& a, int q, int b, const Real* query, EntryRows rows, Real factor, Real* out) {
  const int count = reach(a, q);
  if (!adds) std::fill(out, out + a.positions, Real(0));
  for (int i = 0; i < count; ++i) {
    if (!real(a, i, b)) continue;
    const Real dot = factor * sum_lanes(a.size, [&, key = rows[i]](auto d, int j) {
                       return hn::Mul(hn::LoadU(d, query + j), hn::LoadU(d, key + j));
                     });
    out[i] = adds ? out[i] + dot : dot;
  }
}

// sum += factor weights[i] rows[i] over the positions that query q sees.
void add_weighted_rows(const AttentionSize& a, int q, int b, const Real* weights, EntryRows rows, Real factor,
                       Real* sum) {
  const auto term = [&](int i) { return Term{factor * weights[i], real(a, i, b) ? rows[i] : nullptr}; };
  add_terms(a.size, 0, reach(a, q), term, sum);
}

// sums [positions, batch, size] += factor weights[q, b, i] x[q, b], over the queries that see the position.
void add_to_positions(const AttentionSize& a, int b, const Real* weights, const Real* x, Real factor, Real* sums) {
  const EntryRows x_rows = entry_rows(a, x, a.queries, a.size, b, a.room);
  Real* more_room = a.room ? a.room + std::ptrdiff_t(a.queries) * a.size : nullptr;
  const EntryRows weight_rows = entry_rows(a, weights, a.queries, a.positions, b, more_room);
  for (int i = 0; i < a.positions; ++i) {
    if (!real(a, i, b)) continue;
    const int first = a.causal < 0 ? 0 : std::max(0, i - a.causal);
    const auto term = [&](int q) { return Term{factor * weight_rows[q][i], x_rows[q]}; };
    add_terms(a.size, first, a.queries, term, sums + row(a, i, b) * a.size);
  }
}

void dot_scores(AttentionSize a, const Real* queries, const Real* keys, Real factor, Real* scores) {
  for (int b = 0; b < a.batch; ++b) {
    const EntryRows rows = position_rows(a, keys, b);
    for (int q = 0; q < a.queries; ++q) {
      dot_row<false>(a, q, b, queries + row(a, q, b) * a.size, rows, factor, scores + row(a, q, b) * a.positions);
    }
  }
}

void dot_scores_backward(AttentionSize a, const Real* queries, const Real* keys, Real factor, DotGradient gradient) {
  for (int b = 0; b < a.batch; ++b) {
    if (gradient.dqueries) {
      const EntryRows rows = position_rows(a, keys, b);
      for (int q = 0; q < a.queries; ++q) {
        add_weighted_rows(a, q, b, gradient.dscores + row(a, q, b) * a.positions, rows, factor,
                          gradient.dqueries + row(a, q, b) * a.size);
      }
    }
    if (gradient.dkeys) add_to_positions(a, b, gradient.dscores, queries, factor, gradient.dkeys);
  }
}

void weighted_sum(AttentionSize a, const Real* weights, const Real* values, Real* contexts) {
  std::fill_n(contexts, std::ptrdiff_t(a.queries) * a.batch * a.size, Real(0));
  for (int b = 0; b < a.batch; ++b) {
    const EntryRows rows = position_rows(a, values, b);
    for (int q = 0; q < a.queries; ++q) {
      add_weighted_rows(a, q, b, weights + row(a, q, b) * a.positions, rows, Real(1), contexts + row(a, q, b) * a.size);
    }
  }
}

void weighted_sum_backward(AttentionSize a, const Real* weights, const Real* values, const Real* dcontexts,
                           Real* dweights, Real* dvalues) {
  for (int b = 0; b < a.batch; ++b) {
    if (dweights) {
      const EntryRows rows = position_rows(a, values, b);
      for (int q = 0; q < a.queries; ++q) {
        dot_row<true>(a, q, b, dcontexts + row(a, q, b) * a.size, rows, Real(1), dweights + row(a, q, b) * a.positions);
      }
    }
    if (dvalues) add_to_positions(a, b, weights, dcontexts, Real(1), dvalues);
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {

HWY_EXPORT(additive_scores);
HWY_EXPORT(additive_scores_backward);
HWY_EXPORT(dot_scores);
HWY_EXPORT(dot_scores_backward);
HWY_EXPORT(masked_softmax);
HWY_EXPORT(masked_softmax_backward);
HWY_EXPORT(weighted_sum);
HWY_EXPORT(weighted_sum_backward);

void additive_scores(AttentionSize a, const Real* queries, const Real* keys, const Real* v, Real* scores) {
  HWY_DYNAMIC_DISPATCH(additive_scores)(a, queries, keys, v, scores);
}
void additive_scores_backward(AttentionSize a, const Real* queries, const Real* keys, const Real* v,
                              AdditiveGradient gradient) {
  HWY_DYNAMIC_DISPATCH(additive_scores_backward)(a, queries, keys, v, gradient);
}
void dot_scores(AttentionSize a, const Real* queries, const Real* keys, Real factor, Real* scores) {
  HWY_DYNAMIC_DISPATCH(dot_scores)(a, queries, keys, factor, scores);
}
void dot_scores_backward(AttentionSize a, const Real* queries, const Real* keys, Real factor, DotGradient gradient) {
  HWY_DYNAMIC_DISPATCH(dot_scores_backward)(a, queries, keys, factor, gradient);
}
void masked_softmax(AttentionSize a, const Real* scores, Real* weights) {
  HWY_DYNAMIC_DISPATCH(masked_softmax)(a, scores, weights);
}
void masked_softmax_backward(AttentionSize a, const Real* weights, const Real* dweights, Real* dscores) {
  HWY_DYNAMIC_DISPATCH(masked_softmax_backward)(a, weights, dweights, dscores);
}
void weighted_sum(AttentionSize a, const Real* weights, const Real* values, Real* contexts) {
  HWY_DYNAMIC_DISPATCH(weighted_sum)(a, weights, values, contexts);
}
void weighted_sum_backward(AttentionSize a, const Real* weights, const Real* values, const Real* dcontexts,
                           Real* dweights, Real* dvalues) {
  HWY_DYNAMIC_DISPATCH(weighted_sum_backward)(a, weights, values, dcontexts, dweights, dvalues);
}

}  // namespace fovea::kernels
#endif
