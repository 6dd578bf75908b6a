#include "base/base64.h"

#include <gtest/gtest.h>

namespace fovea::base64_test {
namespace {

// RFC 4648, section 10, and all bits set.
TEST(Base64, IsAsTheStandardHasIt) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foob"), "Zm9vYg==");
  EXPECT_EQ(base64("fooba"), "Zm9vYmE=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64(std::string("\xFB\xFF\xFF\x00", 4)), "+///AA==");
}

}  // namespace
}  // namespace fovea::base64_test
