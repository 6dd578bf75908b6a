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

void additive_scores(AttentionSize a, const Real* queries, const Real* keys, const Real* v, Real* scores) {
  for (int q = 0; q < a.queries; ++q) {
    for (int b = 0; b < a.batch; ++b) {
      const Real* query = queries + row(a, q, b) * a.size;
      Real* out = scores + row(a, q, b) * a.positions;
      for (int i = 0; i < a.positions; ++i) {
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
      for (int i = 0; i < a.positions; ++i) {
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
    for (int b = 0; b < a.batch; ++b) {
      const Real* in = scores + row(a, q, b) * a.positions;
      Real* out = weights + row(a, q, b) * a.positions;
      Real largest = std::numeric_limits<Real>::lowest();
      for (int i = 0; i < a.positions; ++i) {
        if (real(a, i, b)) largest = std::max(largest, std::min(in[i], std::numeric_limits<Real>::max()));
      }
      for_lanes(a.positions, [&](auto d, int i) {
        // A pad's score may be anything; it is cleared below.
        const auto shifted = hn::Sub(hn::LoadU(d, in + i), hn::Set(d, largest));
        hn::StoreU(hn::Exp(d, hn::Min(hn::Max(shifted, hn::Set(d, Real(-200))), hn::Zero(d))), d, out + i);
      });
      for (int i = 0; i < a.positions; ++i) {
        if (!real(a, i, b) || in[i] == -std::numeric_limits<Real>::infinity()) out[i] = 0;
      }
      const Real sum = sum_lanes(a.positions, [&](auto d, int i) { return hn::LoadU(d, out + i); });
      if (sum <= 0) continue;  // no real position: zeros
      for (int i = 0; i < a.positions; ++i) out[i] /= sum;
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

void weighted_sum(AttentionSize a, const Real* weights, const Real* values, Real* contexts) {
  for (int q = 0; q < a.queries; ++q) {
    for (int b = 0; b < a.batch; ++b) {
      const Real* w = weights + row(a, q, b) * a.positions;
      Real* context = contexts + row(a, q, b) * a.size;
      std::fill(context, context + a.size, Real(0));
      for (int i = 0; i < a.positions; ++i) {
        if (!real(a, i, b)) continue;
        const Real* value = values + row(a, i, b) * a.size;
        for_lanes(a.size, [&](auto d, int j) {
          const auto sum = hn::MulAdd(hn::Set(d, w[i]), hn::LoadU(d, value + j), hn::LoadU(d, context + j));
          hn::StoreU(sum, d, context + j);
        });
      }
    }
  }
}

void weighted_sum_backward(AttentionSize a, const Real* weights, const Real* values, const Real* dcontexts,
                           Real* dweights, Real* dvalues) {
  for (int q = 0; q < a.queries; ++q) {
    for (int b = 0; b < a.batch; ++b) {
      const Real* w = weights + row(a, q, b) * a.positions;
      const Real* dcontext = dcontexts + row(a, q, b) * a.size;
      for (int i = 0; i < a.positions; ++i) {
        if (!real(a, i, b)) continue;
        const Real* value = values + row(a, i, b) * a.size;
        if (dweights) {
          dweights[row(a, q, b) * a.positions + i] += sum_lanes(
              a.size, [&](auto d, int j) { return hn::Mul(hn::LoadU(d, dcontext + j), hn::LoadU(d, value + j)); });
        }
        if (!dvalues) continue;
        Real* dvalue = dvalues + row(a, i, b) * a.size;
        for_lanes(a.size, [&](auto d, int j) {
          const auto sum = hn::MulAdd(hn::Set(d, w[i]), hn::LoadU(d, dcontext + j), hn::LoadU(d, dvalue + j));
          hn::StoreU(sum, d, dvalue + j);
        });
      }
    }
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {

HWY_EXPORT(additive_scores);
HWY_EXPORT(additive_scores_backward);
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
