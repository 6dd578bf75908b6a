#include "kernels/find.h"

#include <gtest/gtest.h>

#include <vector>

#include "kernels/kernel_test.h"

namespace fovea::kernels::find_test {
namespace {

class FindKernels : public KernelTest {};
INSTANTIATE_TEST_SUITE_P(Kernels, FindKernels, testing::ValuesIn(tested_instruction_sets()), instruction_set_name);

int find_at_least(const Buffer& values, Real least) {
  return kernels::find_at_least(values.data(), static_cast<int>(values.size()), least);
}

TEST_P(FindKernels, TheFirstThatIsLargeEnough) {
  std::vector<int> sizes = odd_sizes();
  sizes.push_back(0);
  for (const int n : sizes) {
    const Buffer values(n, "values");
    for (const Real least : {Real(-2), Real(-0.5), Real(0.5), Real(0.9), Real(2)}) {
      int first = 0;
      while (first < n && values[first] < least) ++first;
      EXPECT_EQ(find_at_least(values, least), first) << n << " values, at least " << least;
    }
  }
}

TEST_P(FindKernels, EveryPlaceIsLookedAtAndTheFirstWins) {
  for (const int n : odd_sizes()) {
    for (int place = 0; place < n; ++place) {
      Buffer values(n, Real(-1));
      for (int i = place; i < n; ++i) values[i] = Real(3);
      EXPECT_EQ(find_at_least(values, Real(3)), place) << n;
    }
  }
}

TEST_P(FindKernels, WhatIsNotANumberIsNotLargeEnough) {
  Buffer values(40, std::numeric_limits<Real>::quiet_NaN());
  EXPECT_EQ(find_at_least(values, -infinity), 40);
  values[37] = -infinity;
  EXPECT_EQ(find_at_least(values, -infinity), 37);
}

}  // namespace
}  // namespace fovea::kernels::find_test
