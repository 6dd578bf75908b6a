// Exponential, sigmoid and tanh of a vector, and loops that finish with the same arithmetic on single lanes: a value
// never depends on where in the array it stands. Included once per target by the kernels.
#if defined(FOVEA_KERNELS_VECTOR_MATH_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_VECTOR_MATH_INL_H
#undef FOVEA_KERNELS_VECTOR_MATH_INL_H
#else
#define FOVEA_KERNELS_VECTOR_MATH_INL_H
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "base/real.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Full = hn::ScalableTag<Real>;
using Single = hn::CappedTag<Real, 1>;

// body(tag, i) for whole vectors, then for the lanes that are left.
template <class Body>
HWY_INLINE void for_lanes(int count, const Body& body) {
  const int width = static_cast<int>(hn::Lanes(Full()));
  int i = 0;
  for (; i + width <= count; i += width) body(Full(), i);
  for (; i < count; ++i) body(Single(), i);
}

// Sum over i of term(tag, i). The lane of an element depends on its index alone, so trailing zeros change nothing.
template <class Term>
HWY_INLINE Real sum_lanes(int count, const Term& term) {
  const Full d;
  const int width = static_cast<int>(hn::Lanes(d));
  hn::Vec<Full> sum = hn::Zero(d);
  int i = 0;
  for (; i + width <= count; i += width) sum = hn::Add(sum, term(d, i));
  if (i < count) {
    alignas(64) Real rest[HWY_MAX_BYTES / sizeof(Real)] = {};
    for (int lane = 0; i + lane < count; ++lane) rest[lane] = hn::GetLane(term(Single(), i + lane));
    sum = hn::Add(sum, hn::Load(d, rest));
  }
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

template <class D, class V>
HWY_INLINE V sigmoid(D d, V x) {
  const V one = hn::Set(d, Real(1));
  return hn::Div(one, hn::Add(one, hn::Exp(d, hn::Min(hn::Neg(x), hn::Set(d, Real(80))))));
}

// (1 - e) / (1 + e) with e = exp(-2 |x|): right to one unit in the last place of 1.
template <class D, class V>
HWY_INLINE V tanh(D d, V x) {
  const V one = hn::Set(d, Real(1));
  const V e = hn::Exp(d, hn::Mul(hn::Abs(x), hn::Set(d, Real(-2))));
  return hn::CopySign(hn::Div(hn::Sub(one, e), hn::Add(one, e)), x);
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
