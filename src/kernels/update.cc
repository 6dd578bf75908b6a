#include "kernels/update.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/update.cc"
#include <hwy/foreach_target.h>
//
#include "kernels/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

void adam(AdamStep s, Values gradient, Results first, Results second, Results weights) {
  for_lanes(static_cast<int>(weights.size()), [&](auto d, int i) {
    const auto g = hn::Mul(hn::Set(d, s.factor), hn::LoadU(d, &gradient[i]));
    const auto m = hn::MulAdd(hn::Set(d, s.beta1), hn::LoadU(d, &first[i]), hn::Mul(hn::Set(d, 1 - s.beta1), g));
    const auto v =
        hn::MulAdd(hn::Set(d, s.beta2), hn::LoadU(d, &second[i]), hn::Mul(hn::Set(d, 1 - s.beta2), hn::Mul(g, g)));
    hn::StoreU(m, d, &first[i]);
    hn::StoreU(v, d, &second[i]);
    const auto change = hn::Div(hn::Mul(hn::Set(d, s.rate), m), hn::Add(hn::Sqrt(v), hn::Set(d, s.epsilon)));
    const auto w = hn::LoadU(d, &weights[i]);
    hn::StoreU(hn::Sub(hn::NegMulAdd(hn::Set(d, s.decay), w, w), change), d, &weights[i]);
  });
}

void momentum(MomentumStep s, Values gradient, Results velocity, Results weights) {
  for_lanes(static_cast<int>(weights.size()), [&](auto d, int i) {
    const auto g = hn::Mul(hn::Set(d, s.factor), hn::LoadU(d, &gradient[i]));
    const auto v = hn::MulAdd(hn::Set(d, s.momentum), hn::LoadU(d, &velocity[i]), g);
    hn::StoreU(v, d, &velocity[i]);
    const auto w = hn::LoadU(d, &weights[i]);
    hn::StoreU(hn::NegMulAdd(hn::Set(d, s.rate), v, hn::NegMulAdd(hn::Set(d, s.decay), w, w)), d, &weights[i]);
  });
}

void move_towards(Real share, Values goal, Results values) {
  for_lanes(static_cast<int>(values.size()), [&](auto d, int i) {
    const auto value = hn::LoadU(d, &values[i]);
    hn::StoreU(hn::MulAdd(hn::Set(d, share), hn::Sub(hn::LoadU(d, &goal[i]), value), value), d, &values[i]);
  });
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {

HWY_EXPORT(adam);
HWY_EXPORT(momentum);
HWY_EXPORT(move_towards);

void adam(AdamStep step, Values gradient, Results first, Results second, Results weights) {
  HWY_DYNAMIC_DISPATCH(adam)(step, gradient, first, second, weights);
}
void momentum(MomentumStep step, Values gradient, Results velocity, Results weights) {
  HWY_DYNAMIC_DISPATCH(momentum)(step, gradient, velocity, weights);
}
void move_towards(Real share, Values goal, Results values) { HWY_DYNAMIC_DISPATCH(move_towards)(share, goal, values); }

}  // namespace fovea::kernels
#endif
