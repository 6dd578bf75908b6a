#include "layers/state.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace fovea::state_test {
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

class GrowingState : public testing::Test {
 protected:
  GrowingState() { parameters_.allocate(); }

  // `before` with one more step of one number a row.
  State grown(Pass& pass, const State& before, const std::vector<Real>& now) {
    const Tensor x = pass.tape().make({static_cast<int>(now.size()), 1});
    std::ranges::copy(now, x.data());
    State next;
    const Tensor all = next.grow(pass, before, "x", x);
    EXPECT_EQ(copy(all), copy(next.get("x")));
    return next;
  }

  Parameters parameters_;
  Arena arena_;
};

TEST_F(GrowingState, HasAllStepsHoweverMany) {
  Arena arenas[2];
  State state;
  std::vector<Real> expected;
  for (int step = 0; step < 150; ++step) {
    Pass pass(parameters_, arenas[step % 2]);
    const State here = state.rows(pass, std::vector<std::int32_t>{0, 1});
    state = grown(pass, here, {Real(step), Real(-step)});
    expected.insert(expected.end(), {Real(step), Real(-step)});
    ASSERT_EQ(state.get("x").shape(), (Shape{step + 1, 2, 1}));
    ASSERT_EQ(copy(state.get("x")), expected);
  }
}

TEST_F(GrowingState, EarlierStepsAreSharedUntilRowsMove) {
  Pass pass(parameters_, arena_);
  const State first = grown(pass, {}, {1, 2});
  const State second = grown(pass, first.rows(pass, std::vector<std::int32_t>{0, 1}), {3, 4});
  EXPECT_EQ(second.get("x").data(), first.get("x").data());
  const State moved = second.rows(pass, std::vector<std::int32_t>{1, 1, 0});
  EXPECT_EQ(copy(moved.get("x")), (std::vector<Real>{2, 2, 1, 4, 4, 3}));
  EXPECT_EQ(copy(grown(pass, moved, {5, 6, 7}).get("x")), (std::vector<Real>{2, 2, 1, 4, 4, 3, 5, 6, 7}));
  const State fewer = second.rows(pass, std::vector<std::int32_t>{0});
  EXPECT_EQ(copy(fewer.get("x")), (std::vector<Real>{1, 3}));
  EXPECT_EQ(copy(second.get("x")), (std::vector<Real>{1, 2, 3, 4}));
}

TEST_F(GrowingState, TwoMayGoOnFromOne) {
  Pass pass(parameters_, arena_);
  const State first = grown(pass, {}, {1, 2});
  const State one = grown(pass, first, {3, 4}), other = grown(pass, first, {5, 6});
  EXPECT_EQ(copy(grown(pass, one, {7, 8}).get("x")), (std::vector<Real>{1, 2, 3, 4, 7, 8}));
  EXPECT_EQ(copy(one.get("x")), (std::vector<Real>{1, 2, 3, 4}));
  EXPECT_EQ(copy(other.get("x")), (std::vector<Real>{1, 2, 5, 6}));
}

}  // namespace
}  // namespace fovea::state_test
