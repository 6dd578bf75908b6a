#include "tasks/metrics/edits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "base/random.h"

namespace fovea::edits_test {
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

TEST(EditPath, LeadsFromOneToTheOtherInAsManyEdits) {
  for (std::uint64_t i = 0; i < 300; ++i) {
    const Letters a = random_letters(2 * i), b = random_letters(2 * i + 1);
    const std::vector<std::string_view> wanted(a.begin(), a.end()), given(b.begin(), b.end());
    std::string all_wanted, all_given;
    std::int64_t edits = 0;
    for (const Edit& edit : edit_path(wanted, given)) {
      all_wanted += edit.wanted;
      all_given += edit.given;
      edits += !edit.same();
    }
    EXPECT_EQ(all_wanted, joined(a));
    EXPECT_EQ(all_given, joined(b));
    EXPECT_EQ(edits, edit_distance(wanted, given)) << joined(a) << " and " << joined(b);
  }
}

TEST(EditPath, OfWhatIsTooLongIsStillWhole) {
  const std::vector<std::string_view> many(5000, "a"), more(5000, "b");
  EXPECT_EQ(edit_path(many, more).size(), 10000u);
}

TEST(EditDistance, OfWordsToo) {
  const std::vector<std::string_view> a = {"the", "cat", "sat"}, b = {"cat", "sat", "down"};
  EXPECT_EQ(edit_distance(a, b), 2);
  EXPECT_EQ(edit_distance(a, {}), 3);
}

}  // namespace
}  // namespace fovea::edits_test
