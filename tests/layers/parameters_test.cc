#include "layers/parameters.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/as_size.h"
#include "layers/linear.h"
#include "layers/pass.h"

namespace fovea::parameters_test {
namespace {

std::vector<Real> values_of(const Parameters& parameters, const std::string& name) {
  for (const Parameters::Entry& entry : parameters.entries()) {
    if (entry.name != name) continue;
    const auto values = parameters.values(entry);
    return {values.begin(), values.end()};
  }
  ADD_FAILURE() << "no weight " << name;
  return {};
}

Parameters filled(const std::vector<std::string>& names, std::uint64_t seed) {
  Parameters parameters;
  for (const std::string& name : names) parameters.add(name, {4, 5}, Initial::uniform(0.5));
  parameters.allocate();
  parameters.initialise(seed);
  return parameters;
}

TEST(Parameters, RefusesASecondWeightOfTheSameName) {
  Parameters parameters;
  parameters.add("a.weight", {2, 3}, Initial::constant(0));
  parameters.add("a.bias", {3}, Initial::constant(0));
  EXPECT_THROW(parameters.add("a.weight", {2, 3}, Initial::constant(0)), Error);
  EXPECT_EQ(parameters.entries().size(), 2u);
}

TEST(Parameters, RefusesAWeightAfterTheMemory) {
  Parameters parameters;
  parameters.add("a", {2}, Initial::constant(0));
  parameters.allocate();
  EXPECT_THROW(parameters.add("b", {2}, Initial::constant(0)), Error);
}

TEST(Parameters, LieOneAfterAnother) {
  Parameters parameters;
  parameters.add("a", {2, 3}, Initial::constant(1));
  parameters.add("b", {4}, Initial::constant(2));
  parameters.add("c", {2, 2, 2}, Initial::constant(3));
  parameters.allocate();
  parameters.initialise(1);
  EXPECT_EQ(parameters.count(), 18);
  const std::vector<Real> wanted = {1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3};
  EXPECT_TRUE(std::ranges::equal(parameters.values(), wanted));
}

TEST(Parameters, StartDependsOnNameAndSeedAlone) {
  const Parameters first = filled({"a", "b", "c"}, 7);
  const Parameters other_place = filled({"z", "c", "y", "a"}, 7);
  EXPECT_EQ(values_of(first, "a"), values_of(other_place, "a"));
  EXPECT_EQ(values_of(first, "c"), values_of(other_place, "c"));
  EXPECT_NE(values_of(first, "a"), values_of(first, "b"));
  EXPECT_NE(values_of(first, "a"), values_of(filled({"a"}, 8), "a"));
}

// Names that a careless hash would mix up.
TEST(Parameters, SimilarNamesStartDifferently) {
  const std::vector<std::string> names = {"ab", "ba", "a", "aa", "aab", "layer1.h", "layer.h1", "x.1", "x.11"};
  const Parameters parameters = filled(names, 1);
  for (const std::string& a : names) {
    for (const std::string& b : names) {
      EXPECT_EQ(values_of(parameters, a) == values_of(parameters, b), a == b) << a << " and " << b;
    }
  }
}

TEST(Parameters, StartInsideTheirBoundAndNotAllOnOneSide) {
  Parameters parameters;
  parameters.add("w", {50, 40}, Initial::glorot(50, 40));
  parameters.allocate();
  parameters.initialise(3);
  const double bound = std::sqrt(6.0 / 90);
  const auto [low, high] = std::ranges::minmax(parameters.values());
  EXPECT_GE(static_cast<double>(low), -bound);
  EXPECT_LT(static_cast<double>(low), -0.98 * bound);
  EXPECT_LE(static_cast<double>(high), bound);
  EXPECT_GT(static_cast<double>(high), 0.98 * bound);
  double sum = 0;
  for (const Real value : parameters.values()) sum += static_cast<double>(value);
  EXPECT_LT(std::abs(sum / 2000), 0.03 * bound * 2);
}

// x W and its gradient for x after the pass has packed W both ways.
struct Products {
  std::vector<Real> y, dx;
};
Products multiply_once(const Parameters& parameters, const Linear& linear_layer) {
  std::vector<Real> x = {1, 2, 3, 4, 5, 6}, dx(6), gradient(as_size(parameters.count()));
  Arena arena;
  const TrainingPass training = {gradient, Random(1, Purpose::dropout), {}};
  Pass pass(parameters, arena, training);
  const Tensor y = linear_layer(pass, pass.tape().borrow({2, 3}, x.data(), dx.data()));
  std::vector<Real> ones(4, 1);
  pass.tape().backward(linear(as_shape(y, {1, 4}), pass.tape().borrow({4, 1}, ones.data(), nullptr)));
  return {{y.values().begin(), y.values().end()}, dx};
}

TEST(Parameters, PackedFormsFollowAChange) {
  Parameters parameters;
  const Linear linear_layer(parameters, "linear", 3, 2, false);
  parameters.allocate();
  std::ranges::fill(parameters.values(), Real(1));
  parameters.invalidate_packed();
  EXPECT_EQ(multiply_once(parameters, linear_layer).y, (std::vector<Real>{6, 6, 15, 15}));
  std::ranges::fill(parameters.values(), Real(2));
  parameters.invalidate_packed();
  const Products after = multiply_once(parameters, linear_layer);
  EXPECT_EQ(after.y, (std::vector<Real>{12, 12, 30, 30}));
  EXPECT_EQ(after.dx, std::vector<Real>(6, 4));
  std::ranges::fill(parameters.values(), Real(3));
  Workers workers(2);
  parameters.refresh_packed(workers);
  const Products refreshed = multiply_once(parameters, linear_layer);
  EXPECT_EQ(refreshed.y, (std::vector<Real>{18, 18, 45, 45}));
  EXPECT_EQ(refreshed.dx, std::vector<Real>(6, 6));
}

TEST(Parameters, PackedFormsFollowInitialise) {
  Parameters parameters;
  const Linear linear_layer(parameters, "linear", 3, 2, false);
  parameters.allocate();
  parameters.initialise(1);
  const Products one = multiply_once(parameters, linear_layer);
  parameters.initialise(2);
  EXPECT_NE(multiply_once(parameters, linear_layer).y, one.y);
  parameters.initialise(1);
  EXPECT_EQ(multiply_once(parameters, linear_layer).y, one.y);
}

}  // namespace
}  // namespace fovea::parameters_test
