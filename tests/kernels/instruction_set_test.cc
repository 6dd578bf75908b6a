#include "kernels/instruction_set.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "kernels/kernel_test.h"

namespace fovea::kernels::target_test {
namespace {

TEST(InstructionSets, TheBestIsUsed) {
  ASSERT_FALSE(instruction_sets().empty());
  EXPECT_EQ(instruction_set(), instruction_sets().front());
  EXPECT_EQ(instruction_sets().back(), "baseline");
}

TEST(InstructionSets, EveryOneHereIsTested) {
  for (const std::string& name : instruction_sets()) {
    EXPECT_TRUE(std::ranges::count(tested_instruction_sets(), name) == 1) << name;
  }
}

TEST(InstructionSets, OneCanBeChosenAndGivenUp) {
  const std::vector<std::string> all = instruction_sets();
  for (const std::string& name : all) {
    use_instruction_set(name);
    EXPECT_EQ(instruction_set(), name);
  }
  use_instruction_set("");
  EXPECT_EQ(instruction_sets(), all);
  EXPECT_EQ(instruction_set(), all.front());
}

TEST(InstructionSets, AnUnknownNameIsRefused) {
  EXPECT_THROW(use_instruction_set("AVX-9000"), Error);
  EXPECT_EQ(instruction_set(), instruction_sets().front());
}

}  // namespace
}  // namespace fovea::kernels::target_test
