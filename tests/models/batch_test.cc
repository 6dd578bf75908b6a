#include "models/batch.h"

#include <gtest/gtest.h>

#include <vector>

namespace fovea::batch_test {
namespace {

const std::vector<std::int32_t> longer = {5, 6, 7}, shorter = {8}, none = {};

TEST(FillSide, PutsSequencesSideBySide) {
  Side side;
  const std::vector<std::span<const std::int32_t>> rows = {longer, shorter, none};
  fill_side(rows, {.pad = 9, .first = 1, .last = 2}, side);
  EXPECT_EQ(side.length, 5);
  EXPECT_EQ(side.batch, 3);
  EXPECT_EQ(side.ids, (std::vector<std::int32_t>{1, 1, 1,  //
                                                 5, 8, 2,  //
                                                 6, 2, 9,  //
                                                 7, 9, 9,  //
                                                 2, 9, 9}));
  EXPECT_EQ(side.real, (std::vector<std::uint8_t>{1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 0, 0, 1, 0, 0}));
}

TEST(FillSide, KeepsNothingOfTheBatchBefore) {
  Side side;
  const std::vector<std::span<const std::int32_t>> rows = {longer, longer, longer}, one = {shorter};
  fill_side(rows, {.first = 1, .last = 2}, side);
  fill_side(one, {}, side);
  EXPECT_EQ(side.length, 1);
  EXPECT_EQ(side.batch, 1);
  EXPECT_EQ(side.ids, shorter);
  EXPECT_EQ(side.real, std::vector<std::uint8_t>{1});
  EXPECT_EQ(side.mask().positions, 1);
  EXPECT_EQ(side.mask().batch, 1);
}

}  // namespace
}  // namespace fovea::batch_test
