// What holds for every operation, row by row of op_cases.h.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <ostream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "support/gradient_check.h"
#include "support/source_files.h"
#include "tensor/op_cases.h"

namespace fovea::ops_test {

void PrintTo(const OpCase& op, std::ostream* out) { *out << op.name(); }

namespace {

std::string case_name(const testing::TestParamInfo<OpCase>& info) { return info.param.name(); }

bool all_finite(const std::vector<Real>& values) {
  return std::ranges::all_of(values, [](Real v) { return std::isfinite(v); });
}

class EveryOperation : public testing::TestWithParam<OpCase> {};
INSTANTIATE_TEST_SUITE_P(Ops, EveryOperation, testing::ValuesIn(op_cases()), case_name);

TEST_P(EveryOperation, PassesBackTheDifferenceQuotient) { check_gradient(GetParam().inputs, GetParam().apply); }

TEST_P(EveryOperation, ResultsAreFinite) {
  const RunResult result = run(GetParam().inputs, GetParam().apply);
  EXPECT_TRUE(result.output_wants_gradient);
  EXPECT_TRUE(all_finite(result.output));
  for (const auto& gradient : result.gradients) EXPECT_TRUE(all_finite(gradient));
}

TEST_P(EveryOperation, GivesTheSameBitsWhenNobodyWantsAGradient) {
  const OpCase& op = GetParam();
  const RunResult silent = run(op.inputs, op.apply, {.any_wanted = false});
  EXPECT_FALSE(silent.output_wants_gradient);
  EXPECT_EQ(silent.output, run(op.inputs, op.apply).output);
}

TEST_P(EveryOperation, PassesBackTheSameToOneInputAsToAll) {
  const OpCase& op = GetParam();
  const RunResult all = run(op.inputs, op.apply);
  for (int i = 0; i < std::ssize(op.inputs); ++i) {
    const RunResult alone = run(op.inputs, op.apply, {.wanted = {i}});
    expect_close(alone.gradients[i], all.gradients[i], op.inputs[i].name);
  }
}

std::vector<OpCase> cases_with_weights() {
  std::vector<OpCase> cases = op_cases();
  std::erase_if(cases, [](const OpCase& op) { return op.weights.empty(); });
  return cases;
}

class OperationWithWeights : public testing::TestWithParam<OpCase> {};
INSTANTIATE_TEST_SUITE_P(Ops, OperationWithWeights, testing::ValuesIn(cases_with_weights()), case_name);

// A packed weight's gradient waits for the end of the pass and is then one product over all uses.
TEST_P(OperationWithWeights, PackedWeightsChangeNothing) {
  const OpCase& op = GetParam();
  const RunResult plain = run(op.inputs, op.apply);
  const RunResult packed = run(op.inputs, op.apply, {.packed = op.weights});
  EXPECT_EQ(packed.output, plain.output);
  expect_same_gradients(op.inputs, packed, plain);
}

TEST(OpCases, CoverEveryOperationOfTheHeader) {
  std::istringstream header(read_text(std::filesystem::path(FOVEA_SOURCE_DIR) / "src/tensor/ops.h"));
  std::set<std::string> declared;
  for (std::string line; std::getline(header, line);) {
    if (!line.starts_with("Tensor ") && !line.starts_with("LstmState ") && !line.starts_with("Posterior ")) continue;
    const std::size_t name = line.find(' ') + 1;
    declared.insert(line.substr(name, line.find('(') - name));
  }
  std::set<std::string> covered;
  for (const OpCase& op : op_cases()) covered.insert(op.operation);
  EXPECT_EQ(covered, declared);
}

// The check itself: it must see what it is there to see.

template <class Backward>
Operation square_with(Backward backward) {
  return [=](std::span<const Tensor> in) {
    const Tensor x = in[0];
    const Tensor y = x.tape().make(x.shape(), x.wants_gradient());
    for (std::size_t i = 0; i < x.values().size(); ++i) y.data()[i] = x.data()[i] * x.data()[i];
    if (y.wants_gradient()) {
      y.tape().record([=] {
        for (std::size_t i = 0; i < x.values().size(); ++i) backward(x.data()[i], y.gradient()[i], x.gradient()[i]);
      });
    }
    return y;
  };
}

double error_of(const Operation& operation) { return largest_gradient_error({{"x", {3, 5}}}, operation).size; }

TEST(GradientCheck, AcceptsTheRightGradient) {
  EXPECT_LE(error_of(square_with([](Real x, Real dy, Real& dx) { dx += 2 * x * dy; })), gradient_tolerance);
}

TEST(GradientCheck, SeesAMissingFactor) {
  EXPECT_GT(error_of(square_with([](Real x, Real dy, Real& dx) { dx += x * dy; })), 0.1);
}

TEST(GradientCheck, SeesAGradientAssignedInsteadOfAdded) {
  EXPECT_GT(error_of(square_with([](Real x, Real dy, Real& dx) { dx = 2 * x * dy; })), 0.1);
}

TEST(GradientCheck, SeesASmallErrorOfAFactor) {
  constexpr Real factor = static_cast<Real>(2 + 100 * gradient_tolerance);
  EXPECT_GT(error_of(square_with([](Real x, Real dy, Real& dx) { dx += factor * x * dy; })), 10 * gradient_tolerance);
}

TEST(GradientCheck, SeesNotANumber) {
  EXPECT_EQ(error_of(square_with([](Real, Real, Real& dx) { dx = NAN; })), HUGE_VAL);
}

}  // namespace
}  // namespace fovea::ops_test
