#include "kernels/limit.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/limit.cc"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Twelve chains: two units with a latency of five want ten, and sixteen registers hold them beside the two factors.
MultiplyAdds multiply_add_registers(int rounds) {
  const hn::ScalableTag<Real> d;
  constexpr int chains = 12;
  const auto x = hn::Set(d, Real(0.5)), y = hn::Set(d, Real(1) / static_cast<Real>(rounds));
  // Each begins elsewhere: chains that are alike a compiler makes one.
  const auto at = [&](int start) { return hn::Set(d, static_cast<Real>(start)); };
  auto a = at(1), b = at(2), c = at(3), e = at(4), f = at(5), g = at(6);
  auto h = at(-1), i = at(-2), j = at(-3), k = at(-4), l = at(-5), m = at(-6);
  for (int round = 0; round < rounds; ++round) {
    a = hn::MulAdd(x, y, a), b = hn::MulAdd(x, y, b), c = hn::MulAdd(x, y, c), e = hn::MulAdd(x, y, e);
    f = hn::MulAdd(x, y, f), g = hn::MulAdd(x, y, g), h = hn::MulAdd(x, y, h), i = hn::MulAdd(x, y, i);
    j = hn::MulAdd(x, y, j), k = hn::MulAdd(x, y, k), l = hn::MulAdd(x, y, l), m = hn::MulAdd(x, y, m);
  }
  const auto sum = hn::Add(hn::Add(hn::Add(hn::Add(a, b), hn::Add(c, e)), hn::Add(hn::Add(f, g), hn::Add(h, i))),
                           hn::Add(hn::Add(j, k), hn::Add(l, m)));
  return {2.0 * chains * static_cast<double>(hn::Lanes(d)) * rounds, hn::GetLane(hn::SumOfLanes(d, sum))};
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {

HWY_EXPORT(multiply_add_registers);

MultiplyAdds multiply_add_registers(int rounds) { return HWY_DYNAMIC_DISPATCH(multiply_add_registers)(rounds); }

}  // namespace fovea::kernels
#endif
