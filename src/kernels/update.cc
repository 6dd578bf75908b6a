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
    hn::StoreU(hn::Sub(hn::LoadU(d, &weights[i]), change), d, &weights[i]);
  });
}

void momentum(MomentumStep s, Values gradient, Results velocity, Results weights) {
  for_lanes(static_cast<int>(weights.size()), [&](auto d, int i) {
    const auto g = hn::Mul(hn::Set(d, s.factor), hn::LoadU(d, &gradient[i]));
    const auto v = hn::MulAdd(hn::Set(d, s.momentum), hn::LoadU(d, &velocity[i]), g);
    hn::StoreU(v, d, &velocity[i]);
    hn::StoreU(hn::NegMulAdd(hn::Set(d, s.rate), v, hn::LoadU(d, &weights[i])), d, &weights[i]);
  });
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {

HWY_EXPORT(adam);
HWY_EXPORT(momentum);

void adam(AdamStep step, Values gradient, Results first, Results second, Results weights) {
  HWY_DYNAMIC_DISPATCH(adam)(step, gradient, first, second, weights);
}
void momentum(MomentumStep step, Values gradient, Results velocity, Results weights) {
  HWY_DYNAMIC_DISPATCH(momentum)(step, gradient, velocity, weights);
}

}  // namespace fovea::kernels
#endif
