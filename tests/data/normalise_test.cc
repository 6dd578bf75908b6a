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

TEST(Normaliser, SetsPunctuationApart) {
  const Normaliser apart("punctuation");
  EXPECT_EQ(apart("Good, \"old\" (new)... yes!No"), "Good , \" old \" ( new ) . . . yes ! No");
  EXPECT_EQ(apart("it isn't the dogs' well-known 3.14, 1,000 or 7:40 one-"),
            "it isn't the dogs ' well-known 3.14 , 1,000 or 7:40 one -");
  EXPECT_EQ(apart("the end.Then 2.x, a:b"), "the end . Then 2 . x , a : b");
  EXPECT_EQ(apart("<br /> 8/10 a_b @me #1 5% $3"), "<br /> 8/10 a_b @me #1 5% $3");
  EXPECT_EQ(apart("¿qué? «oui» 日。本 l’an"), "¿ qué ? « oui » 日 。 本 l’an");
  EXPECT_EQ(apart("-"), "-");
  EXPECT_EQ(apart(" a  . b"), " a  . b") << "spaces are as they were";
}

TEST(Normaliser, DoneTwiceIsDoneOnce) {
  const Normaliser all("nfkc,lower,spaces,punctuation");
  for (const char* text : {"A\u0308  \uFB01X", "İstanbul", "Σίσυφος ΣΑΣ", "", " x", "a.b '-' 3.,4 (x)"}) {
    EXPECT_EQ(all(all(text)), all(text)) << text;
  }
}

TEST(Normaliser, TakesAListAsAnyOther) {
  for (const char* setting : {"nfc,lower", "nfc+lower", "nfc, lower", " nfc ,lower "}) {
    EXPECT_EQ(Normaliser(setting)("A\u0308"), "\u00E4") << setting;
  }
}

TEST(Normaliser, RefusesWhatItDoesNotKnow) {
  for (const char* setting : {"upper", "nfc,", ",nfc", "nfc lower", "nfc,,lower"}) {
    EXPECT_THROW(Normaliser{setting}, Error) << setting;
  }
}

}  // namespace
}  // namespace fovea::normalise_test
