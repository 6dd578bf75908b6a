#include "data/normalise.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace fovea::normalise_test {
namespace {

TEST(Normaliser, DoesWhatIsNamedInThatOrder) {
  EXPECT_TRUE(Normaliser("").does_nothing());
  EXPECT_EQ(Normaliser("")(" A\u0308 "), " A\u0308 ");
  EXPECT_EQ(Normaliser("nfc")("A\u0308"), "\u00C4");
  EXPECT_EQ(Normaliser("nfc")("\uFB01"), "\uFB01") << "a ligature is the same only to nfkc";
  EXPECT_EQ(Normaliser("nfkc")("\uFB01\uFF21"), "fiA");
  EXPECT_EQ(Normaliser("lower")("ÄÉЖ ABC ß 日"), "äéж abc ß 日");
  EXPECT_EQ(Normaliser("nfc,lower")("A\u0308B"), "\u00E4b");
  EXPECT_EQ(Normaliser("spaces")("  a \u00A0 b\u3000c  "), "a b c");
  EXPECT_EQ(Normaliser("spaces")("   "), "");
}

TEST(Normaliser, DoneTwiceIsDoneOnce) {
  const Normaliser all("nfkc,lower,spaces");
  for (const char* text : {"A\u0308  \uFB01X", "İstanbul", "Σίσυφος ΣΑΣ", "", " x"}) {
    EXPECT_EQ(all(all(text)), all(text)) << text;
  }
}

TEST(Normaliser, RefusesWhatItDoesNotKnow) {
  for (const char* setting : {"upper", "nfc,", ",nfc", "nfc lower", "nfc,,lower"}) {
    EXPECT_THROW(Normaliser{setting}, Error) << setting;
  }
}

}  // namespace
}  // namespace fovea::normalise_test
