#include "base/nearest.h"

#include <gtest/gtest.h>

namespace fovea::nearest_test {
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

TEST(Nearest, takes_a_beginning_for_the_first_name_that_has_it) {
  EXPECT_EQ(nearest("scale", known), "scaled_dot");
  EXPECT_EQ(nearest("Encoder", known), "encoder.layers");
  EXPECT_EQ(nearest("sc", known), "");
}

TEST(Nearest, a_name_of_one_letter_is_not_near_all_others) {
  EXPECT_EQ(nearest("Q", {"S", "M"}), "");
  EXPECT_EQ(nearest("m", {"S", "M"}), "M");
}

TEST(Nearest, an_unknown_name_is_said_in_words) {
  EXPECT_STREQ(unknown_name("mode", "dto", known).what(), "no mode \"dto\"; did you mean dot?");
  EXPECT_STREQ(unknown_name("mode", "x", {"a", "b", "c"}).what(), "no mode \"x\"; there are a, b and c");
  EXPECT_STREQ(unknown_name("mode", "x", {"a"}, "see here").what(), "no mode \"x\"; see here");
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
}  // namespace fovea::nearest_test
