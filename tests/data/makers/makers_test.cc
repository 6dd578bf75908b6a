#include "data/makers/maker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "base/error.h"
#include "base/utf8.h"

namespace fovea::makers_test {
namespace {

TEST(Makers, EachIsNamedDescribedAndPure) {
  std::set<std::string_view> names;
  for (const Maker* entry : makers()) {
    const Maker& maker = *entry;
    EXPECT_TRUE(names.insert(maker.name).second) << maker.name;
    EXPECT_FALSE(maker.description.empty());
    EXPECT_EQ(&makers().find(maker.name), &maker);
    std::set<std::string> sources;
    std::size_t differs = 0;
    for (std::uint64_t i = 0; i < 1000; ++i) {
      const Example example = maker.make(1, i);
      const Example again = maker.make(1, i);
      EXPECT_EQ(again.source, example.source);
      EXPECT_EQ(again.target, example.target);
      EXPECT_EQ(example.line, static_cast<std::int64_t>(i) + 1);
      for (const std::string& text : {example.source, example.target}) {
        EXPECT_FALSE(text.empty());
        EXPECT_EQ(text.find_first_of("\t\n\r"), std::string::npos);
        EXPECT_FALSE(find_invalid_utf8(text));
      }
      sources.insert(example.source);
      differs += maker.make(2, i).source != example.source ? 1 : 0;
    }
    EXPECT_GT(sources.size(), 980u) << maker.name;
    EXPECT_GT(differs, 980u) << maker.name;
  }
}

TEST(Makers, UnknownNameListsTheKnownOnes) {
  try {
    makers().find("data");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_STREQ(error.what(), "no maker \"data\"; there are dates, copy and reverse");
  }
}

TEST(Makers, CopyAndReverse) {
  std::set<std::size_t> lengths;
  std::set<char> letters;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const Example copy = makers().find("copy").make(3, i);
    EXPECT_EQ(copy.target, copy.source);
    const Example reverse = makers().find("reverse").make(3, i);
    EXPECT_EQ(reverse.target, std::string(reverse.source.rbegin(), reverse.source.rend()));
    lengths.insert(copy.source.size());
    letters.insert(copy.source.begin(), copy.source.end());
  }
  EXPECT_EQ(lengths, (std::set<std::size_t>{3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
  EXPECT_EQ(letters.size(), 26u);
  EXPECT_EQ(*letters.begin(), 'a');
  EXPECT_EQ(*letters.rbegin(), 'z');
}

}  // namespace
}  // namespace fovea::makers_test
