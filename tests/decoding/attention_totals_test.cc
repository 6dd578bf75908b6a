// Where was looked is added up over the heads that count.
#include "decoding/attention_totals.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"

namespace fovea::attention_totals_test {
namespace {

TEST(AttentionTotals, AreTheMeanOverTheHeadsOfTheLastLayer) {
  Arena arena;
  Tape tape(arena);
  const auto look = [&](int layer, int head, std::vector<Real> weights) {  // [2 rows, 3 positions]
    const Tensor x = tape.make({2, 3});
    std::ranges::copy(weights, x.data());
    return StepLook{x, x, x, layer, head};
  };
  StepResult result;
  result.looks = {look(1, 0, {9, 9, 9, 0.5, 0.25, 7}), look(0, 0, {9, 9, 9, 9, 9, 9}),
                  look(1, 1, {9, 9, 9, 0.25, 0.75, 7})};
  AttentionTotals totals = {1, 0};  // the third position is a pad
  add_attention(result, 1, "coverage_penalty", totals);
  EXPECT_EQ(totals, AttentionTotals({1.375, 0.5}));
}

}  // namespace
}  // namespace fovea::attention_totals_test
