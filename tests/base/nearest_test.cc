#include "base/nearest.h"

#include <gtest/gtest.h>

namespace fovea {
namespace {

const std::vector<std::string> known = {"encoder.layers", "decoder.layers", "additive", "dot", "scaled_dot", "sum"};

TEST(Nearest, finds_one_slip_of_each_kind) {
  EXPECT_EQ(nearest("addtive", known), "additive");    // dropped
  EXPECT_EQ(nearest("addditive", known), "additive");  // added
  EXPECT_EQ(nearest("addotive", known), "additive");   // changed
  EXPECT_EQ(nearest("sclaed_dot", known), "scaled_dot");
  EXPECT_EQ(nearest("Scaled-Dot", known), "scaled_dot");
  EXPECT_EQ(nearest("dot", known), "dot");
}

TEST(Nearest, a_swap_is_one_slip_not_two) {
  // Three letters allow one slip only.
  EXPECT_EQ(nearest("smu", known), "sum");
  EXPECT_EQ(nearest("odt", known), "dot");
}

TEST(Nearest, takes_the_closest_and_of_equals_the_first) {
  EXPECT_EQ(nearest("ncoder.layers", known), "encoder.layers");
  EXPECT_EQ(nearest("dncoder.layers", known), "encoder.layers");
  EXPECT_EQ(nearest("dcoder.layers", known), "decoder.layers");
}

TEST(Nearest, is_silent_when_nothing_is_near) {
  EXPECT_EQ(nearest("", known), "");
  EXPECT_EQ(nearest("xyz", known), "");
  EXPECT_EQ(nearest("dxx", known), "");
  EXPECT_EQ(nearest("encoder.kindly", known), "");
  EXPECT_EQ(nearest("dot", {}), "");
  EXPECT_EQ(nearest(std::string(1 << 20, 'a'), known), "");
}

}  // namespace
}  // namespace fovea
