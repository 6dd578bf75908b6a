#include "tasks/metrics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "base/random.h"

namespace fovea::metrics_test {
namespace {

using Letters = std::vector<std::string>;

// By its definition, trying every way.
std::int64_t slow_distance(std::span<const std::string> a, std::span<const std::string> b) {
  if (a.empty() || b.empty()) return std::ssize(a) + std::ssize(b);
  const auto rest_a = a.subspan(1), rest_b = b.subspan(1);
  return std::min(
      {slow_distance(rest_a, b) + 1, slow_distance(a, rest_b) + 1, slow_distance(rest_a, rest_b) + (a[0] != b[0])});
}

std::string joined(const Letters& letters) {
  std::string text;
  for (const std::string& letter : letters) text += letter;
  return text;
}

// One, two, three and four bytes; two of them share their first byte.
Letters random_letters(std::uint64_t index) {
  const Letters alphabet = {"a", "é", "è", "€", "😀"};
  const Random random = Random(1, Purpose::data).at(index);
  Letters letters(random.below(7, 0));
  for (std::size_t i = 0; i < letters.size(); ++i) letters[i] = alphabet[random.below(alphabet.size(), i + 1)];
  return letters;
}

TEST(EditDistance, IsTheFewestChangesOfCharacters) {
  for (std::uint64_t i = 0; i < 300; ++i) {
    const Letters a = random_letters(2 * i), b = random_letters(2 * i + 1);
    EXPECT_EQ(edit_distance(joined(a), joined(b)), slow_distance(a, b)) << joined(a) << " and " << joined(b);
  }
}

TEST(EditDistance, KnownOnes) {
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(edit_distance("", ""), 0);
  EXPECT_EQ(edit_distance("", "äöü"), 3);
  EXPECT_EQ(edit_distance("äöü", ""), 3);
  EXPECT_EQ(edit_distance("日本", "日本語"), 1);
  EXPECT_EQ(edit_distance("ab", "ba"), 2);
  EXPECT_EQ(edit_distance(std::string(3000, 'a'), std::string(2990, 'a') + "b"), 10);
}

void add(Metrics& metrics, const std::string& target, const std::string& answer) {
  metrics.add({.references = {&target, 1}, .text = answer});
}

TEST(Metrics, CountsOverAllLines) {
  Metrics metrics;
  add(metrics, "abcd", "abcd");
  add(metrics, "日本語", "日本");
  add(metrics, "xyz", "");
  EXPECT_EQ(metrics.sources(), 3);
  EXPECT_EQ(metrics.right(), 1);
  EXPECT_DOUBLE_EQ(metrics.exact(), 1.0 / 3);
  EXPECT_DOUBLE_EQ(metrics.cer(), 4.0 / 10);
  EXPECT_DOUBLE_EQ(metrics.edit_distance(), 4.0 / 3);
  using Values = std::vector<std::pair<std::string, double>>;
  EXPECT_EQ(metrics.values(), (Values{{"exact", 1.0 / 3},
                                      {"cer", 0.4},
                                      {"edit_distance", 4.0 / 3},
                                      {"chrf", metrics.chrf()},
                                      {"unfinished", 0},
                                      {"sources", 3},
                                      {"lines", 3}}));
}

TEST(Metrics, AnyReferenceIsRightAndTheNearestCounts) {
  const std::vector<std::string> references = {"abcdefghijkl", "abc", "xyz"};
  Metrics metrics;
  metrics.add({.references = references, .text = "xyz", .lines = 3});
  EXPECT_EQ(metrics.exact(), 1);
  metrics.add({.references = references, .text = "ab", .finished = false, .lines = 4});
  EXPECT_DOUBLE_EQ(metrics.exact(), 0.5);
  EXPECT_DOUBLE_EQ(metrics.cer(), 1.0 / 6) << "one edit to abc, and three characters each";
  EXPECT_EQ(metrics.sources(), 2);
  EXPECT_EQ(metrics.unfinished(), 1);
  EXPECT_EQ(metrics.values().back().second, 7) << "lines";
  ASSERT_EQ(metrics.by_length().size(), 1u) << "of the nearest";
}

TEST(Metrics, NoLinesNoDivision) {
  const Metrics metrics;
  EXPECT_EQ(metrics.exact(), 0);
  EXPECT_EQ(metrics.cer(), 0);
  EXPECT_EQ(metrics.edit_distance(), 0);
  EXPECT_TRUE(metrics.by_length().empty());
}

TEST(Metrics, ByLengthOfTheTargetInCharacters) {
  Metrics metrics;
  std::string nine, ten;
  for (int i = 0; i < 9; ++i) nine += "é";
  ten = nine + "é";
  add(metrics, nine, nine);
  add(metrics, "a", "b");
  add(metrics, ten, nine);
  add(metrics, std::string(35, 'x'), std::string(35, 'x'));
  const auto rows = metrics.by_length();
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].shortest, 0);
  EXPECT_EQ(rows[0].longest, 9);
  EXPECT_EQ(rows[0].sources, 2);
  EXPECT_DOUBLE_EQ(rows[0].exact, 0.5);
  EXPECT_DOUBLE_EQ(rows[0].cer, 0.1);
  EXPECT_EQ(rows[1].shortest, 10);
  EXPECT_EQ(rows[1].sources, 1);
  EXPECT_DOUBLE_EQ(rows[1].cer, 0.1);
  EXPECT_EQ(rows[2].shortest, 30);
  EXPECT_EQ(rows[2].longest, 39);
  EXPECT_DOUBLE_EQ(rows[2].exact, 1);
}

}  // namespace
}  // namespace fovea::metrics_test
