// Products with weights in whole numbers, as prediction may ask for: how far they are from those in floats.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "support/random_values.h"
#include "tensor/op_cases.h"
#include "tensor/ops.h"
#include "tensor/packed.h"

namespace fovea::int8_test {
namespace {

// What an operation gives in prediction, with or without weights in whole numbers.
std::vector<Real> output(const OpCase& op, bool int8) {
  Arena arena;
  Tape tape(arena);
  NamedInputs inputs = op.inputs;
  std::vector<std::unique_ptr<Packed>> packed(inputs.size());
  std::vector<Tensor> tensors;
  for (int i = 0; i < std::ssize(inputs); ++i) {
    const Shape& shape = inputs[i].shape;
    if (gradient_check::contains(op.weights, i)) {
      packed[i] = std::make_unique<Packed>(inputs[i].values.data(), shape[0], shape[1]);
      if (int8) packed[i]->use_int8();
    }
    tensors.push_back(tape.borrow(shape, inputs[i].values.data(), nullptr, packed[i].get()));
  }
  const Tensor y = op.apply(tensors);
  return {y.values().begin(), y.values().end()};
}

double largest_difference(const std::vector<Real>& a, const std::vector<Real>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(double(a[i]) - double(b[i])));
  return largest;
}

TEST(Int8, EveryOperationWithWeightsUsesItAndIsNearlyTheSame) {
  int operations = 0;
  for (const OpCase& op : op_cases()) {
    if (op.weights.empty()) continue;
    ++operations;
    const double difference = largest_difference(output(op, true), output(op, false));
    EXPECT_GT(difference, 1e-5) << op.name();
    EXPECT_LT(difference, 0.03) << op.name();
  }
  EXPECT_GT(operations, 5);
}

// A weight is off by half its column's scale at most, an input by half its row's.
TEST(Int8, LinearIsWithinTheBoundOfTheScales) {
  constexpr int rows = 9, in = 300, out = 21;
  const auto bound = [](const std::vector<Real>& x, const std::vector<Real>& w, int r, auto weight_at) {
    double largest_x = 0, largest_w = 0, sum_x = 0, sum_w = 0;
    for (int k = 0; k < in; ++k) {
      const double a = std::abs(x[r * in + k]), b = std::abs(w[weight_at(k)]);
      largest_x = std::max(largest_x, a), largest_w = std::max(largest_w, b);
      sum_x += a, sum_w += b;
    }
    const double half_x = largest_x / kernels::left_limit(in) / 2, half_w = largest_w / kernels::int8_limit / 2;
    return 1e-4 + sum_x * half_w + sum_w * half_x + in * half_x * half_w;
  };
  for (const bool transposed : {false, true}) {
    const NamedInputs inputs = {
        {"x", {rows, in}}, {"w", transposed ? Shape({out, in}) : Shape({in, out})}, {"b", {out}}};
    const auto apply = [=](Ts t) {
      return transposed ? linear_transposed(t[0], t[1], t[2]) : linear(t[0], t[1], t[2]);
    };
    const OpCase op = {"linear", "", inputs, apply, {1}};
    const std::vector<Real> real = output(op, false), whole = output(op, true);
    for (int r = 0; r < rows; ++r) {
      for (int c = 0; c < out; ++c) {
        const auto weight_at = [&](int k) { return transposed ? c * in + k : k * out + c; };
        EXPECT_NEAR(whole[r * out + c], real[r * out + c], bound(inputs[0].values, inputs[1].values, r, weight_at));
      }
    }
  }
}

TEST(Int8, FormsFollowAChange) {
  std::vector<Real> x = {1, 2}, w = {1, 2, 3, 4};
  Packed packed(w.data(), 2, 2);
  const auto product = [&] {
    Arena arena;
    Tape tape(arena);
    const Tensor y = linear(tape.borrow({1, 2}, x.data(), nullptr), tape.borrow({2, 2}, w.data(), nullptr, &packed));
    return std::vector<Real>(y.values().begin(), y.values().end());
  };
  EXPECT_EQ(product(), (std::vector<Real>{7, 10}));
  packed.use_int8();
  EXPECT_NE(product(), (std::vector<Real>{7, 10})) << "still the form from before";
  EXPECT_LT(largest_difference(product(), {7, 10}), 0.05);
  w = {10, 20, 30, 40};
  packed.invalidate();
  EXPECT_LT(largest_difference(product(), {70, 100}), 0.5);
}

}  // namespace
}  // namespace fovea::int8_test
