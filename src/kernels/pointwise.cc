#include "kernels/pointwise.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/pointwise.cc"
#include <hwy/foreach_target.h>
//
#include "kernels/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

int length(Values x) { return static_cast<int>(x.size()); }

void add(Values x, Results sum) {
  for_lanes(length(x),
            [&](auto d, int i) { hn::StoreU(hn::Add(hn::LoadU(d, &sum[i]), hn::LoadU(d, &x[i])), d, &sum[i]); });
}

void add_scaled(Real factor, Values x, Results sum) {
  for_lanes(length(x), [&](auto d, int i) {
    hn::StoreU(hn::MulAdd(hn::Set(d, factor), hn::LoadU(d, &x[i]), hn::LoadU(d, &sum[i])), d, &sum[i]);
  });
}

void add_product(Values x, Values y, Results sum) {
  for_lanes(length(x), [&](auto d, int i) {
    hn::StoreU(hn::MulAdd(hn::LoadU(d, &x[i]), hn::LoadU(d, &y[i]), hn::LoadU(d, &sum[i])), d, &sum[i]);
  });
}

void multiply_values(Values x, Values y, Results product) {
  for_lanes(length(x),
            [&](auto d, int i) { hn::StoreU(hn::Mul(hn::LoadU(d, &x[i]), hn::LoadU(d, &y[i])), d, &product[i]); });
}

void scale(Real factor, Results x) {
  for_lanes(length(x), [&](auto d, int i) { hn::StoreU(hn::Mul(hn::Set(d, factor), hn::LoadU(d, &x[i])), d, &x[i]); });
}

void tanh_values(Values x, Results y) {
  for_lanes(length(x), [&](auto d, int i) { hn::StoreU(tanh(d, hn::LoadU(d, &x[i])), d, &y[i]); });
}

void tanh_backward(Values y, Values dy, Results dx) {
  for_lanes(length(y), [&](auto d, int i) {
    const auto v = hn::LoadU(d, &y[i]);
    const auto slope = hn::NegMulAdd(v, v, hn::Set(d, Real(1)));
    hn::StoreU(hn::MulAdd(hn::LoadU(d, &dy[i]), slope, hn::LoadU(d, &dx[i])), d, &dx[i]);
  });
}

void sigmoid_values(Values x, Results y) {
  for_lanes(length(x), [&](auto d, int i) { hn::StoreU(sigmoid(d, hn::LoadU(d, &x[i])), d, &y[i]); });
}

void sigmoid_backward(Values y, Values dy, Results dx) {
  for_lanes(length(y), [&](auto d, int i) {
    const auto v = hn::LoadU(d, &y[i]);
    const auto slope = hn::NegMulAdd(v, v, v);
    hn::StoreU(hn::MulAdd(hn::LoadU(d, &dy[i]), slope, hn::LoadU(d, &dx[i])), d, &dx[i]);
  });
}

void relu_values(Values x, Results y) {
  for_lanes(length(x), [&](auto d, int i) {
    const auto v = hn::LoadU(d, &x[i]);
    hn::StoreU(hn::IfThenZeroElse(hn::Lt(v, hn::Zero(d)), v), d, &y[i]);  // what is not a number stays so
  });
}

void relu_backward(Values y, Values dy, Results dx) {
  for_lanes(length(y), [&](auto d, int i) {
    const auto passed = hn::IfThenElseZero(hn::Gt(hn::LoadU(d, &y[i]), hn::Zero(d)), hn::LoadU(d, &dy[i]));
    hn::StoreU(hn::Add(hn::LoadU(d, &dx[i]), passed), d, &dx[i]);
  });
}

Real dot(Values x, Values y) {
  return sum_lanes(length(x), [&](auto d, int i) { return hn::Mul(hn::LoadU(d, &x[i]), hn::LoadU(d, &y[i])); });
}

// In chunks, so that the float sum of a few lanes never grows long.
double sum_of_squares(Values x) {
  constexpr int chunk = 4096;
  double sum = 0;
  for (int start = 0; start < length(x); start += chunk) {
    const int count = length(x) - start < chunk ? length(x) - start : chunk;
    sum += static_cast<double>(sum_lanes(count, [&](auto d, int i) {
      const auto v = hn::LoadU(d, &x[start + i]);
      return hn::Mul(v, v);
    }));
  }
  return sum;
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {

HWY_EXPORT(add);
HWY_EXPORT(add_scaled);
HWY_EXPORT(add_product);
HWY_EXPORT(multiply_values);
HWY_EXPORT(scale);
HWY_EXPORT(tanh_values);
HWY_EXPORT(tanh_backward);
HWY_EXPORT(sigmoid_values);
HWY_EXPORT(sigmoid_backward);
HWY_EXPORT(relu_values);
HWY_EXPORT(relu_backward);
HWY_EXPORT(dot);
HWY_EXPORT(sum_of_squares);

void add(Values x, Results sum) { HWY_DYNAMIC_DISPATCH(add)(x, sum); }
void add_scaled(Real factor, Values x, Results sum) { HWY_DYNAMIC_DISPATCH(add_scaled)(factor, x, sum); }
void add_product(Values x, Values y, Results sum) { HWY_DYNAMIC_DISPATCH(add_product)(x, y, sum); }
void multiply(Values x, Values y, Results product) { HWY_DYNAMIC_DISPATCH(multiply_values)(x, y, product); }
void scale(Real factor, Results x) { HWY_DYNAMIC_DISPATCH(scale)(factor, x); }
void tanh(Values x, Results y) { HWY_DYNAMIC_DISPATCH(tanh_values)(x, y); }
void tanh_backward(Values y, Values dy, Results dx) { HWY_DYNAMIC_DISPATCH(tanh_backward)(y, dy, dx); }
void sigmoid(Values x, Results y) { HWY_DYNAMIC_DISPATCH(sigmoid_values)(x, y); }
void sigmoid_backward(Values y, Values dy, Results dx) { HWY_DYNAMIC_DISPATCH(sigmoid_backward)(y, dy, dx); }
void relu(Values x, Results y) { HWY_DYNAMIC_DISPATCH(relu_values)(x, y); }
void relu_backward(Values y, Values dy, Results dx) { HWY_DYNAMIC_DISPATCH(relu_backward)(y, dy, dx); }
Real dot(Values x, Values y) { return HWY_DYNAMIC_DISPATCH(dot)(x, y); }
double sum_of_squares(Values x) { return HWY_DYNAMIC_DISPATCH(sum_of_squares)(x); }

}  // namespace fovea::kernels
#endif
