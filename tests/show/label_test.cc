#include "show/label.h"

#include <gtest/gtest.h>

#include "base/utf8.h"

namespace fovea::label_test {
namespace {

TEST(Label, LeavesPlainTokensAlone) {
  EXPECT_EQ(label_of("a").text, "a");
  EXPECT_EQ(label_of("été").text, "été");
  EXPECT_EQ(label_of("日").width, 2);
  EXPECT_EQ(label_of("e\u0301").text, "e\u0301");
  EXPECT_EQ(label_of("e\u0301").width, 1);
}

TEST(Label, ShowsWhatIsInvisible) {
  EXPECT_EQ(label_of(" ").text, "␣");
  EXPECT_EQ(label_of(" ").name, "space (U+0020)");
  EXPECT_EQ(label_of("\u3000").text, "␣");
  EXPECT_EQ(label_of("\x1b").text, "␛");
  EXPECT_EQ(label_of("\x7f").text, "␡");
  EXPECT_EQ(label_of("\u202e").text, "□");
  EXPECT_EQ(label_of("\u202e").name, "“□” (U+202E)");
  EXPECT_EQ(label_of("\u200d").text, "□");
  EXPECT_EQ(label_of("").text, "∅");
  EXPECT_EQ(label_of("\xff").text, "\uFFFD");
}

TEST(Label, PutsMarksOnACircle) {
  EXPECT_EQ(label_of("\u0301").text, "◌\u0301");
  EXPECT_EQ(label_of("\u0301").width, 1);
  EXPECT_EQ(label_of("\u05b8").text, "◌\u05b8");
  EXPECT_EQ(label_of("\u093f").text, "◌\u093f");
  EXPECT_EQ(label_of("\u0301a").text, "◌\u0301a");
}

TEST(Label, KeepsJoinersInsideWords) { EXPECT_EQ(label_of("می\u200cخواهم").text, "می\u200cخواهم"); }

TEST(Label, IsolatesRightToLeftTextOnly) {
  EXPECT_EQ(isolate("abc"), "abc");
  EXPECT_EQ(isolate("ש"), "\u2068ש\u2069");
  EXPECT_EQ(isolate("م"), "\u2068م\u2069");
  EXPECT_EQ(display_width(isolate("ש")), 1);
}

TEST(Label, ShortensByColumns) {
  EXPECT_EQ(shorten("abc", 3), "abc");
  EXPECT_EQ(shorten("abcd", 3), "ab…");
  EXPECT_EQ(shorten("日本語", 5), "日本…");
  EXPECT_EQ(shorten("日本語", 4), "日…");
  EXPECT_EQ(shorten("e\u0301e\u0301e\u0301", 2), "e\u0301…");
}

}  // namespace
}  // namespace fovea::label_test
