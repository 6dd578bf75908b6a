#include "layers/cell.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/gradient_check.h"

namespace fovea::cell_test {
namespace {

std::vector<Real> copy(Tensor x) { return {x.values().begin(), x.values().end()}; }

class EveryCell : public testing::TestWithParam<std::string> {
 protected:
  Cell made(int in, int size) {
    const Cell cell(parameters_, "cell", GetParam(), in, size);
    parameters_.allocate();
    parameters_.initialise(1);
    for (Real& value : parameters_.values()) value += Real(0.1);  // biases too
    parameters_.invalidate_packed();
    return cell;
  }

  Parameters parameters_;
  Arena arena_;
};

TEST_P(EveryCell, StepByStepIsTheWholeSequence) {
  constexpr int steps = 4, batch = 3, in = 5, size = 6;
  const Cell cell = made(in, size);
  auto inputs = random_values(steps * batch * in, "x");
  auto h = random_values(batch * size, "h"), c = random_values(batch * size, "c");
  const std::vector<std::uint8_t> real(steps * batch, 1);
  Pass pass(parameters_, arena_);
  const Tensor x = pass.tape().borrow({steps, batch, in}, inputs.data(), nullptr);
  CellState state = {pass.tape().borrow({batch, size}, h.data(), nullptr), {}};
  if (cell.has_c()) state.c = pass.tape().borrow({batch, size}, c.data(), nullptr);
  const Cell::Sequence whole = cell.run(pass, x, state, {real.data(), steps, batch}, Direction::forward);
  for (int t = 0; t < steps; ++t) {
    state = cell.step(pass, cell.project(pass, step(x, t)), {}, state);
    expect_close(copy(state.h), copy(step(whole.h, t)), "h");
  }
  expect_close(copy(state.h), copy(whole.last.h), "last h");
  if (cell.has_c()) expect_close(copy(state.c), copy(whole.last.c), "last c");
}

TEST_P(EveryCell, LastIsTheStateAfterEachRowsLastRealStep) {
  constexpr int steps = 4, batch = 3, in = 2, size = 3;
  const int lengths[batch] = {4, 1, 2};
  const Cell cell = made(in, size);
  auto inputs = random_values(steps * batch * in, "x");
  std::vector<std::uint8_t> real;
  for (int t = 0; t < steps; ++t) {
    for (const int length : lengths) real.push_back(t < length);
  }
  Pass pass(parameters_, arena_);
  const Tensor x = pass.tape().borrow({steps, batch, in}, inputs.data(), nullptr);
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    const Cell::Sequence all = cell.run(pass, x, {}, {real.data(), steps, batch}, direction);
    for (int b = 0; b < batch; ++b) {
      const int last = direction == Direction::forward ? lengths[b] - 1 : 0;
      for (int j = 0; j < size; ++j) {
        EXPECT_EQ(all.last.h.data()[b * size + j], step(all.h, last).data()[b * size + j]) << "row " << b;
      }
    }
  }
}

// To the last bit, so that it does not matter which way a line is read.
TEST_P(EveryCell, ProjectedBeforehandIsTheSame) {
  constexpr int steps = 4, batch = 3, in = 2, size = 3;
  const Cell cell = made(in, size);
  auto inputs = random_values(steps * batch * in, "x");
  const std::vector<std::uint8_t> real = {1, 1, 1, 1, 0, 1, 1, 0, 1, 1, 0, 0};
  Pass pass(parameters_, arena_);
  const Tensor x = pass.tape().borrow({steps, batch, in}, inputs.data(), nullptr);
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    const Mask mask = {real.data(), steps, batch};
    const Cell::Sequence whole = cell.run(pass, x, {}, mask, direction);
    const Cell::Sequence projected = cell.run_projected(pass, cell.project(pass, x), {}, mask, direction);
    EXPECT_EQ(copy(projected.h), copy(whole.h));
    EXPECT_EQ(copy(projected.last.h), copy(whole.last.h));
  }
  EXPECT_THROW(cell.run_projected(pass, x, {}, {real.data(), steps, batch}, Direction::forward), Error);
}

INSTANTIATE_TEST_SUITE_P(Cells, EveryCell, testing::ValuesIn(cell_names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace fovea::cell_test
