#include "tasks/confusions.h"

#include <gtest/gtest.h>

#include "base/utf8.h"
#include "data/tokenizer.h"

namespace fovea::confusions_test {
namespace {

void add(Confusions& confusions, const std::string& wanted, const std::string& written) {
  confusions.add(edit_path(characters(wanted), characters(written)));
}

TEST(Confusions, AreCountedAlongTheShortestWay) {
  Confusions confusions;
  add(confusions, "kitten", "sitting");
  add(confusions, "kitten", "sitten");
  add(confusions, "ab", "b");
  add(confusions, "same", "same");
  const auto top = confusions.top(10);
  ASSERT_EQ(top.size(), 4U);
  EXPECT_EQ(top[0].wanted, "k");
  EXPECT_EQ(top[0].written, "s");
  EXPECT_EQ(top[0].count, 2);
  const auto has = [&](const std::string& wanted, const std::string& written) {
    return std::ranges::count_if(top, [&](const Confusion& c) { return c.wanted == wanted && c.written == written; });
  };
  EXPECT_EQ(has("e", "i"), 1);
  EXPECT_EQ(has("", "g"), 1);
  EXPECT_EQ(has("a", ""), 1);
  EXPECT_EQ(confusions.top(1).size(), 1U);
}

TEST(Confusions, OfLabelsAreWhole) {
  Confusions confusions;
  const TokenizerPtr whole = make_tokenizer("whole");
  confusions.add(edit_path(whole->symbols("good"), whole->symbols("bad")));
  add(confusions, "ß", "s");
  const auto top = confusions.top(10);
  ASSERT_EQ(top.size(), 2U);
  EXPECT_EQ(top[0].wanted, "good");
  EXPECT_EQ(top[0].written, "bad");
  EXPECT_EQ(top[1].wanted, "ß") << "a character, not its bytes";
}

}  // namespace
}  // namespace fovea::confusions_test
