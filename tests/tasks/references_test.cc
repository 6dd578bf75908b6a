#include "tasks/references.h"

#include <gtest/gtest.h>

#include <set>

#include "base/as_size.h"

namespace fovea::references_test {
namespace {

using Texts = std::vector<std::string>;

TEST(References, LinesThatAskTheSameAreOne) {
  const std::vector<Example> examples = {{"read", "R EH D", "", 1},  {"lead", "L EH D", "", 2},
                                         {"read", "R IY D", "", 3},  {"read", "R EH D", "", 4},
                                         {"read", "R EH D", "N", 5}, {"rea", "d", "", 6}};
  const auto all = group_references(examples, *make_tokenizer("char"));
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].source, "read");
  EXPECT_EQ(all[0].references, (Texts{"R EH D", "R IY D"}));
  EXPECT_EQ(all[0].line, 1);
  EXPECT_EQ(all[0].lines, 3);
  EXPECT_EQ(all[1].references, (Texts{"L EH D"}));
  EXPECT_EQ(all[2].features, "N") << "another question";
  EXPECT_EQ(all[2].line, 5);
  EXPECT_EQ(all[3].source, "rea");
}

TEST(References, AreWhatAModelCanWrite) {
  const std::vector<Example> examples = {{"a", " x  y ", "", 1}, {"a", "x y", "", 2}};
  EXPECT_EQ(group_references(examples, *make_tokenizer("char"))[0].references, (Texts{" x  y ", "x y"}));
  EXPECT_EQ(group_references(examples, *make_tokenizer("word"))[0].references, (Texts{"x y"}));
  const auto each = group_references(examples, *make_tokenizer("char"), true);
  ASSERT_EQ(each.size(), examples.size()) << "each line for itself";
  EXPECT_EQ(each[1].references, (Texts{examples[1].target}));
}

TEST(References, TheNearestCounts) {
  const Texts references = {"abcd", "abxx", "xyz"};
  EXPECT_EQ(nearest_reference(references, "xyz"), "xyz");
  EXPECT_EQ(nearest_reference(references, "xy"), "xyz");
  EXPECT_EQ(nearest_reference(references, "ab"), "abcd") << "the first of equals";
  EXPECT_EQ(nearest_reference(Texts{"a"}, "unlike"), "a");
}

TEST(References, SamplesHaveAllLengths) {
  std::vector<Referenced> all;
  for (int i = 0; i < 100; ++i) all.push_back({std::string(as_size(1 + i * 37 % 100), 'a'), "", {}, i, 1});
  const auto chosen = choose_samples(all, 4);
  ASSERT_EQ(chosen.size(), 4u);
  Texts lengths;
  for (const std::size_t i : chosen) lengths.push_back(std::to_string(all[i].source.size()));
  EXPECT_EQ(lengths, (Texts{"13", "38", "63", "88"}));
  EXPECT_EQ(choose_samples(all, 4), chosen);
  EXPECT_EQ(choose_samples(std::span(all).first(3), 4).size(), 3u);
  const auto few = choose_samples(std::span(all).first(5), 4);
  EXPECT_EQ(std::set(few.begin(), few.end()).size(), 4u) << "none twice";
  EXPECT_TRUE(choose_samples({}, 4).empty());
}

}  // namespace
}  // namespace fovea::references_test
