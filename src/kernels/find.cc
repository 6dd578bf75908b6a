#include "kernels/find.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/find.cc"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

int find_at_least(const Real* values, int count, Real least) {
  const hn::ScalableTag<Real> d;
  const int width = static_cast<int>(hn::Lanes(d));
  const auto bound = hn::Set(d, least);
  const auto found = [&](int i) { return hn::Ge(hn::LoadU(d, values + i), bound); };
  int i = 0;
  // Four vectors at a time until one of them has it.
  for (; i + 4 * width <= count; i += 4 * width) {
    const auto first = hn::Or(found(i), found(i + width)), second = hn::Or(found(i + 2 * width), found(i + 3 * width));
    if (!hn::AllFalse(d, hn::Or(first, second))) break;
  }
  for (; i + width <= count; i += width) {
    const auto lane = hn::FindFirstTrue(d, found(i));
    if (lane >= 0) return i + static_cast<int>(lane);
  }
  while (i < count && !(values[i] >= least)) ++i;
  return i;
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {

HWY_EXPORT(find_at_least);

int find_at_least(const Real* values, int count, Real least) {
  return HWY_DYNAMIC_DISPATCH(find_at_least)(values, count, least);
}

}  // namespace fovea::kernels
#endif
