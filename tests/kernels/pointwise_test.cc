#include "kernels/pointwise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "kernels/kernel_test.h"
#include "kernels/update.h"

namespace fovea::kernels::pointwise_test {
namespace {

class PointwiseKernels : public KernelTest {};
INSTANTIATE_TEST_SUITE_P(Kernels, PointwiseKernels, testing::ValuesIn(tested_instruction_sets()), instruction_set_name);

std::vector<int> sizes_from_zero() {
  std::vector<int> sizes = odd_sizes();
  sizes.push_back(0);
  return sizes;
}

template <class F>
std::vector<double> expected(int n, const F& f) {
  std::vector<double> values;
  for (int i = 0; i < n; ++i) values.push_back(f(i));
  return values;
}

TEST_P(PointwiseKernels, ArithmeticIsThatOfDouble) {
  for (const int n : sizes_from_zero()) {
    const Buffer x(n, "x", 3), y(n, "y", 3), start(n, "start");
    Buffer sum = start, scaled_sum = start, product_sum = start, product = start, scaled = start;
    add(x, sum);
    add_scaled(Real(-1.7), x, scaled_sum);
    add_product(x, y, product_sum);
    multiply(x, y, product);
    scale(Real(0.3), scaled);
    const auto check = [&](const Buffer& found, const char* what, auto formula) {
      expect_near(found, expected(n, formula), 2 * epsilon, what + std::to_string(n));
    };
    check(sum, "add", [&](int i) { return double(start[i]) + double(x[i]); });
    check(scaled_sum, "add_scaled", [&](int i) { return start[i] + double(Real(-1.7)) * x[i]; });
    check(product_sum, "add_product", [&](int i) { return start[i] + double(x[i]) * y[i]; });
    check(product, "multiply", [&](int i) { return double(x[i]) * y[i]; });
    check(scaled, "scale", [&](int i) { return double(Real(0.3)) * start[i]; });
  }
}

TEST_P(PointwiseKernels, TanhAndSigmoidAreRightToAFewUnitsOfOne) {
  for (const int n : sizes_from_zero()) {
    const Buffer x(n, "x", 9), dy(n, "dy"), start(n, "start");
    Buffer t(n, Real(0)), s(n, Real(0)), dt = start, ds = start;
    tanh(x, t);
    sigmoid(x, s);
    tanh_backward(t, dy, dt);
    sigmoid_backward(s, dy, ds);
    expect_near(t, expected(n, [&](int i) { return std::tanh(double(x[i])); }), 3 * epsilon, "tanh");
    expect_near(s, expected(n, [&](int i) { return sigmoid_of(x[i]); }), 3 * epsilon, "sigmoid");
    const auto tanh_slope = [&](int i) { return start[i] + dy[i] * (1 - std::pow(std::tanh(double(x[i])), 2)); };
    const auto sigmoid_slope = [&](int i) { return start[i] + dy[i] * sigmoid_of(x[i]) * sigmoid_of(-x[i]); };
    expect_near(dt, expected(n, tanh_slope), 8 * epsilon, "tanh_backward");
    expect_near(ds, expected(n, sigmoid_slope), 8 * epsilon, "sigmoid_backward");
  }
}

TEST_P(PointwiseKernels, TanhAndSigmoidOfExtremes) {
  const Real smallest = std::numeric_limits<Real>::denorm_min();
  const Buffer x({infinity, -infinity, Real(1e30), Real(-1e30), Real(100), Real(-100), Real(0), Real(-0.0), smallest,
                  -smallest, Real(88), Real(-88), Real(200), Real(-1000)});
  Buffer t(14, Real(5)), s(14, Real(5));
  tanh(x, t);
  sigmoid(x, s);
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(t[i], std::tanh(double(x[i])), epsilon) << x[i];
    EXPECT_NEAR(s[i], sigmoid_of(x[i]), epsilon) << x[i];
    EXPECT_LE(std::abs(t[i]), 1) << x[i];
    EXPECT_TRUE(s[i] >= 0 && s[i] <= 1) << x[i];
    EXPECT_EQ(std::signbit(t[i]), std::signbit(x[i])) << x[i];
  }
}

// Neither the lane nor the vector's width show in a result.
TEST_P(PointwiseKernels, AValueDoesNotDependOnItsPlace) {
  const Buffer x(65, "x", 9);
  Buffer t(65, Real(0)), s(65, Real(0));
  tanh(x, t);
  sigmoid(x, s);
  for (std::size_t i = 0; i < x.size(); ++i) {
    Buffer alone(1, Real(0));
    tanh({&x.data()[i], 1}, alone);
    EXPECT_EQ(alone[0], t[i]) << i;
    sigmoid({&x.data()[i], 1}, alone);
    EXPECT_EQ(alone[0], s[i]) << i;
  }
}

TEST_P(PointwiseKernels, ReluPassesWhatIsPositive) {
  for (const int n : sizes_from_zero()) {
    const Buffer x(n, "x", 9), dy(n, "dy"), start(n, "start");
    Buffer y(n, Real(5)), dx = start;
    relu(x, y);
    relu_backward(y, dy, dx);
    expect_near(y, expected(n, [&](int i) { return x[i] > 0 ? x[i] : Real(0); }), 0, "relu");
    expect_near(dx, expected(n, [&](int i) { return start[i] + (x[i] > 0 ? dy[i] : Real(0)); }), 0, "relu_backward");
  }
  const Buffer extremes({infinity, -infinity, Real(0), std::numeric_limits<Real>::quiet_NaN()});
  Buffer y(4, Real(5));
  relu(extremes, y);
  EXPECT_TRUE(y[0] == infinity && y[1] == 0 && y[2] == 0 && std::isnan(y[3]));
}

TEST_P(PointwiseKernels, DotIsThatOfDouble) {
  for (const int n : sizes_from_zero()) {
    const Buffer x(n, "x"), y(n, "y");
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += double(x[i]) * y[i];
    EXPECT_NEAR(dot(x, y), sum, epsilon * (n + 1)) << n;
  }
}

TEST_P(PointwiseKernels, SumOfSquaresOfFewAndMany) {
  for (const int n : {0, 1, 2, 7, 8, 9, 17, 33, 4095, 4096, 4097, 100003}) {
    const Buffer x(n, "x");
    long double sum = 0;
    for (int i = 0; i < n; ++i) sum += static_cast<long double>(x[i]) * x[i];
    EXPECT_NEAR(sum_of_squares(x), static_cast<double>(sum), 16 * epsilon * static_cast<double>(sum)) << n;
  }
}

TEST_P(PointwiseKernels, AdamIsItsFormula) {
  const AdamStep step = {
      .rate = Real(0.01), .beta1 = Real(0.9), .beta2 = Real(0.99), .epsilon = Real(1e-3), .factor = Real(0.5)};
  for (const int n : sizes_from_zero()) {
    const Buffer gradient(n, "gradient"), m(n, "m"), w(n, "w");
    Buffer v(n, "v");
    for (int i = 0; i < n; ++i) v[i] = std::abs(v[i]);
    Buffer first = m, second = v, weights = w;
    adam(step, gradient, first, second, weights);
    const auto g = [&](int i) { return 0.5 * gradient[i]; };
    const auto next_m = [&](int i) { return double(step.beta1) * m[i] + (1 - double(step.beta1)) * g(i); };
    const auto next_v = [&](int i) { return double(step.beta2) * v[i] + (1 - double(step.beta2)) * g(i) * g(i); };
    const auto next_w = [&](int i) {
      return w[i] - double(step.rate) * next_m(i) / (std::sqrt(next_v(i)) + double(step.epsilon));
    };
    expect_near(first, expected(n, next_m), 4 * epsilon, "first");
    expect_near(second, expected(n, next_v), 4 * epsilon, "second");
    expect_near(weights, expected(n, next_w), 8 * epsilon, "weights");
  }
}

TEST_P(PointwiseKernels, MomentumIsItsFormula) {
  const MomentumStep step = {.rate = Real(0.1), .momentum = Real(0.9), .factor = Real(0.5)};
  for (const int n : sizes_from_zero()) {
    const Buffer gradient(n, "gradient"), v(n, "v"), w(n, "w");
    Buffer velocity = v, weights = w;
    momentum(step, gradient, velocity, weights);
    const auto next_v = [&](int i) { return double(step.momentum) * v[i] + 0.5 * gradient[i]; };
    expect_near(velocity, expected(n, next_v), 4 * epsilon, "velocity");
    const auto next_w = [&](int i) { return w[i] - double(step.rate) * next_v(i); };
    expect_near(weights, expected(n, next_w), 4 * epsilon, "weights");
  }
}

}  // namespace
}  // namespace fovea::kernels::pointwise_test
