// The loop that measures the limit does what it says: all its multiply-adds arrive in the sum.
#include "kernels/limit.h"

#include "kernels/kernel_test.h"

namespace fovea::kernels::limit_test {
namespace {

using Limit = KernelTest;

TEST_P(Limit, EveryMultiplyAddCounts) {
  for (const int rounds : {64, 1024}) {  // powers of two: all sums are exact
    const MultiplyAdds done = multiply_add_registers(rounds);
    EXPECT_GT(done.operations, 0);
    EXPECT_EQ(done.sum, done.operations / 2 * 0.5 / rounds);
  }
}

INSTANTIATE_TEST_SUITE_P(Each, Limit, testing::ValuesIn(tested_instruction_sets()), instruction_set_name);

}  // namespace
}  // namespace fovea::kernels::limit_test
