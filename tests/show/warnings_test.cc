#include "show/warnings.h"

#include <gtest/gtest.h>

#include <cmath>

#include "examples.h"

namespace fovea::warnings_test {
namespace {

TEST(Warnings, NothingToSayAboutASharpMap) { EXPECT_TRUE(warnings(date_example(), 0).empty()); }

TEST(Warnings, MassOnTheStopSymbol) {
  const auto lines = warnings(example("abc", "xyz", {3}), 0);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0], "90 % of the weight lies on the stop symbol: the map says little about the source.");
  // Only the step that stops looks there: as it should.
  EXPECT_TRUE(warnings(example("abc", "xyz", {0, 1, 2, 3}), 0).empty());
  EXPECT_TRUE(warnings(example("abc", "", {3}), 0).empty());
}

TEST(Warnings, FlatMap) {
  Output output = example("abcdefg", "xy");
  for (OutputStep& step : output.steps) step.looks[0].weights.assign(8, 0.125f);
  const auto lines = warnings(output, 0);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("nearly flat (100 %"), std::string::npos);
  // Weights that do not sum to one are judged by their shares.
  for (OutputStep& step : output.steps) step.looks[0].weights.assign(8, 0.9f);
  EXPECT_EQ(warnings(output, 0), lines);
}

TEST(Warnings, MissingAndBrokenWeights) {
  Output output = date_example();
  output.steps[2].looks[0].weights[3] = std::nanf("");
  ASSERT_EQ(warnings(output, 0).size(), 1u);
  output = date_example();
  output.steps[1].looks.clear();
  ASSERT_EQ(warnings(output, 0).size(), 1u);
}

TEST(Warnings, OnePositionIsNoNews) { EXPECT_TRUE(warnings(example("", "x"), 0).empty()); }

}  // namespace
}  // namespace fovea::warnings_test
