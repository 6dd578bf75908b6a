#include "layers/state.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace fovea {
namespace {

std::vector<Real> copy(Tensor x) { return {x.values().begin(), x.values().end()}; }

TEST(State, RowsAreChosenRepeatedAndReordered) {
  Parameters parameters;
  parameters.allocate();
  std::vector<Real> two = {1, 2, 3, 4, 5, 6}, three = {10, 11, 20, 21, 30, 31};
  Arena before, after;
  Pass old_pass(parameters, before);
  State state;
  state.set("two", old_pass.tape().borrow({3, 2}, two.data(), nullptr));
  state.set("three", old_pass.tape().borrow({3, 1, 2}, three.data(), nullptr));
  Pass pass(parameters, after);
  const std::vector<std::int32_t> rows = {2, 0, 0, 1};
  const State chosen = state.rows(pass, rows);
  EXPECT_EQ(copy(chosen.get("two")), (std::vector<Real>{5, 6, 1, 2, 1, 2, 3, 4}));
  EXPECT_EQ(copy(chosen.get("three")), (std::vector<Real>{30, 31, 10, 11, 10, 11, 20, 21}));
  EXPECT_EQ(chosen.get("three").shape(), (Shape{4, 1, 2}));
  EXPECT_FALSE(chosen.get("four"));
}

// Two passes take turns: the rows must not lie in memory that the next reset gives away.
TEST(State, RowsLiveInThePassTheyWereMadeIn) {
  Parameters parameters;
  parameters.allocate();
  Arena before, after;
  State chosen;
  std::optional<Pass> pass;
  {
    Pass old_pass(parameters, before);
    State state;
    const Tensor x = old_pass.tape().make({2, 3});
    std::ranges::fill(x.values(), Real(7));
    state.set("x", x);
    pass.emplace(parameters, after);
    chosen = state.rows(*pass, std::vector<std::int32_t>{1, 0});
  }
  before.reset();
  std::ranges::fill(before.array<Real>(64), Real(-1));
  EXPECT_EQ(copy(chosen.get("x")), std::vector<Real>(6, 7));
}

}  // namespace
}  // namespace fovea
