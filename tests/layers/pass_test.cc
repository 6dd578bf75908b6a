#include "layers/pass.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/as_size.h"

namespace fovea::pass_test {
namespace {

std::vector<Real> copy(Tensor x) { return {x.values().begin(), x.values().end()}; }

std::vector<Real> dropped(std::vector<std::int64_t> samples, const std::string& place, std::uint64_t update) {
  Parameters parameters;
  parameters.allocate();
  const int batch = static_cast<int>(samples.size());
  std::vector<Real> ones(as_size(2 * batch * 8), 1);
  Arena arena;
  const TrainingPass training = {{}, Random(1, Purpose::dropout).at(update), samples, 0.5};
  Pass pass(parameters, arena, training);
  return copy(pass.drop(pass.tape().borrow({2, batch, 8}, ones.data(), nullptr), place));
}

TEST(Pass, DropsTheSameOfAnExampleWhateverItsRow) {
  const auto pair = dropped({5, 9}, "here", 1), turned = dropped({9, 5}, "here", 1), alone = dropped({9}, "here", 1);
  for (std::size_t t = 0; t < 2; ++t) {
    for (std::size_t j = 0; j < 8; ++j) {
      EXPECT_EQ(pair[t * 16 + j], turned[t * 16 + 8 + j]);
      EXPECT_EQ(pair[t * 16 + 8 + j], alone[t * 8 + j]);
    }
  }
}

TEST(Pass, DropsDifferentlyByPlaceAndUpdate) {
  const auto here = dropped({5, 9}, "here", 1);
  EXPECT_EQ(here, dropped({5, 9}, "here", 1));
  EXPECT_NE(here, dropped({5, 9}, "there", 1));
  EXPECT_NE(here, dropped({5, 9}, "here", 2));
  EXPECT_GT(std::ranges::count(here, Real(0)), 0);
  EXPECT_EQ(std::ranges::count(here, Real(0)) + std::ranges::count(here, Real(2)), std::ssize(here));
}

TEST(Pass, DropsNothingInPrediction) {
  Parameters parameters;
  parameters.allocate();
  std::vector<Real> values = {1, 2, 3};
  Arena arena;
  Pass pass(parameters, arena);
  EXPECT_EQ(copy(pass.drop(pass.tape().borrow({1, 3}, values.data(), nullptr), "here")), values);
}

}  // namespace
}  // namespace fovea::pass_test
