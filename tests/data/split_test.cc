#include "data/split.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"

namespace fovea::split_test {
namespace {

std::vector<Example> examples_of(const std::vector<std::string>& sources) {
  std::vector<Example> examples;
  for (const auto& source : sources) examples.push_back({source, "target", "", 0});
  return examples;
}

std::vector<Example> numbered(int count, int different) {
  std::vector<std::string> sources;
  for (int i = 0; i < count; ++i) sources.push_back("source " + std::to_string(i % different));
  return examples_of(sources);
}

std::set<std::string> sources(const std::vector<Example>& examples, const std::vector<std::size_t>& places) {
  std::set<std::string> texts;
  for (const std::size_t i : places) texts.insert(examples[i].source);
  return texts;
}

void expect_apart(const std::vector<Example>& examples, const Split& result) {
  EXPECT_EQ(result.training.size() + result.held_out.size(), examples.size());
  EXPECT_TRUE(std::is_sorted(result.training.begin(), result.training.end()));
  EXPECT_TRUE(std::is_sorted(result.held_out.begin(), result.held_out.end()));
  const auto held_out = sources(examples, result.held_out);
  for (const auto& source : sources(examples, result.training)) EXPECT_FALSE(held_out.contains(source)) << source;
}

TEST(Split, ShareAndSides) {
  for (const int different : {10, 37, 500, 1000}) {
    const auto examples = numbered(1000, different);
    const Split result = split(examples);
    expect_apart(examples, result);
    EXPECT_LE(result.held_out.size(), 100u);
    EXPECT_GE(result.held_out.size(), 70u) << different;
  }
}

// Whatever their targets and features: each is judged by all targets it has.
TEST(Split, LinesOfOneSourceStayTogether) {
  auto examples = numbered(600, 200);
  for (std::size_t i = 0; i < examples.size(); ++i) {
    examples[i].target = "target " + std::to_string(i);
    examples[i].features = i % 2 == 0 ? "V;PST" : "V;PRS";
  }
  const Split result = split(examples);
  expect_apart(examples, result);
  EXPECT_EQ(result.held_out.size() % 3, 0u);
  EXPECT_GT(result.held_out.size(), 0u);
}

TEST(Split, IsNoFixedPlaceInTheFile) {
  const auto examples = numbered(10000, 10000);
  const Split result = split(examples);
  const auto& places = result.held_out;
  const auto first_half = std::count_if(places.begin(), places.end(), [](std::size_t i) { return i < 5000; });
  EXPECT_NEAR(static_cast<double>(first_half), 500, 80);
}

TEST(Split, OrderOfLinesDoesNotMatter) {
  auto examples = numbered(2000, 900);
  const auto before = sources(examples, split(examples).held_out);
  for (std::size_t i = examples.size() - 1; i > 0; --i) std::swap(examples[i], examples[mix(7, i) % (i + 1)]);
  EXPECT_EQ(sources(examples, split(examples).held_out), before);
}

TEST(Split, AtMostTheGivenLines) {
  const auto examples = numbered(5000, 5000);
  EXPECT_EQ(split(examples, {.share = 0.5, .max_lines = 100}).held_out.size(), 100u);
  EXPECT_EQ(split(numbered(30000, 30000)).held_out.size(), 2000u);
}

TEST(Split, MostOfItStaysWhenTheCorpusGrows) {
  const auto small = numbered(1000, 1000);
  const auto large = numbered(1100, 1100);
  const auto before = sources(small, split(small).held_out);
  const auto after = sources(large, split(large).held_out);
  const auto kept = std::count_if(before.begin(), before.end(), [&](const auto& s) { return after.contains(s); });
  EXPECT_GE(kept, 90);
}

TEST(Split, SmallCorpora) {
  for (int count = 2; count < 30; ++count) {
    const auto examples = numbered(count, count);
    const Split result = split(examples);
    expect_apart(examples, result);
    EXPECT_GE(result.held_out.size(), 1u) << count;
    EXPECT_GE(result.training.size(), 1u) << count;
  }
  EXPECT_TRUE(split({}).training.empty());
  EXPECT_TRUE(split(numbered(5, 1)).held_out.empty());
  EXPECT_EQ(split(numbered(5, 1)).training.size(), 5u);
}

TEST(Split, SourceThatFillsTheCorpus) {
  std::vector<std::string> texts(1000, "the same");
  texts.push_back("another");
  const auto examples = examples_of(texts);
  EXPECT_EQ(split(examples).held_out, (std::vector<std::size_t>{1000}));
  // Even the smallest group is beyond the quota here.
  const auto two = numbered(100, 2);
  expect_apart(two, split(two));
  EXPECT_EQ(split(two).held_out.size(), 50u);
}

TEST(Split, ShareIsChecked) {
  EXPECT_TRUE(split(numbered(100, 100), {.share = 0}).held_out.empty());
  EXPECT_EQ(split(numbered(100, 100), {.share = 0.999}).held_out.size(), 99u);
  for (const double share : {-0.1, 1.0, std::numeric_limits<double>::quiet_NaN()}) {
    try {
      split(numbered(10, 10), {.share = share});
      ADD_FAILURE() << share;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
    }
  }
}

TEST(Split, LinesWithoutASourceAreToldApartByTheirTargets) {
  std::vector<Example> lines;
  for (int i = 0; i < 100; ++i) lines.push_back({"", "line " + std::to_string(i / 2), "", i + 1});
  const Split parts = split(lines);
  EXPECT_FALSE(parts.held_out.empty());
  EXPECT_GT(parts.training.size(), parts.held_out.size());
  for (const std::size_t held : parts.held_out) {
    for (const std::size_t i : parts.training) EXPECT_NE(lines[i].target, lines[held].target);
  }
}

}  // namespace
}  // namespace fovea::split_test
