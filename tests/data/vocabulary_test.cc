#include "data/vocabulary.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.h"

namespace fovea::vocabulary_test {
namespace {

using nlohmann::json;

SymbolCounts counts_of(const std::vector<std::string>& symbols) {
  SymbolCounts counts;
  for (const auto& symbol : symbols) counts.add(symbol);
  return counts;
}

TEST(Vocabulary, ByFallingCountThenByteOrder) {
  const std::vector<std::string> symbols = {"b", "\xC3\xA4", "z", "a", "z", "b", "\xF0\x9F\x98\x80", "\xEF\xBF\xBD"};
  const json expected = {"<pad>", "<unk>", "<s>",      "</s>",         "b",
                         "z",     "a",     "\xC3\xA4", "\xEF\xBF\xBD", "\xF0\x9F\x98\x80"};
  EXPECT_EQ(Vocabulary(counts_of(symbols)).to_json(), expected);
  EXPECT_EQ(Vocabulary(counts_of({symbols.rbegin(), symbols.rend()})).to_json(), expected);
}

TEST(Vocabulary, EncodesAndSpells) {
  const Vocabulary vocabulary(counts_of({"a", "a", "b"}));
  EXPECT_EQ(vocabulary.size(), 6);
  EXPECT_EQ(vocabulary.encode("a"), 4);
  EXPECT_EQ(vocabulary.encode("b"), 5);
  EXPECT_EQ(vocabulary.encode("c"), Vocabulary::unknown);
  EXPECT_EQ(vocabulary.encode(""), Vocabulary::unknown);
  EXPECT_EQ(vocabulary.text(5), "b");
  EXPECT_EQ(vocabulary.text(Vocabulary::stop), "</s>");
  EXPECT_THROW(vocabulary.text(6), Error);
  EXPECT_THROW(vocabulary.text(-1), Error);
}

TEST(Vocabulary, TextThatLooksSpecialIsText) {
  const Vocabulary without(counts_of({"a"}));
  const Vocabulary with(counts_of({"<pad>", "</s>", "<s>"}));
  for (const char* text : {"<pad>", "</s>", "<s>"}) {
    EXPECT_EQ(without.encode(text), Vocabulary::unknown);
    EXPECT_GE(with.encode(text), Vocabulary::first_symbol);
    EXPECT_EQ(with.text(with.encode(text)), text);
    const Vocabulary loaded = Vocabulary::from_json(with.to_json());
    EXPECT_EQ(loaded.encode(text), with.encode(text));
  }
}

TEST(Vocabulary, Limits) {
  const SymbolCounts counts = counts_of({"a", "a", "a", "b", "b", "c"});
  EXPECT_EQ(Vocabulary(counts, {.min_count = 2, .max_size = 100}).size(), 6);
  EXPECT_EQ(Vocabulary(counts, {.min_count = 1, .max_size = 1}).size(), 5);
  EXPECT_EQ(Vocabulary(counts, {.min_count = 1, .max_size = 1}).encode("a"), 4);
}

TEST(Vocabulary, ExtendedByWhatItLacks) {
  const Vocabulary known(counts_of({"c", "c", "a"}));
  const Vocabulary more = known.extended(counts_of({"a", "a", "a", "z", "z", "b", "\n"}));
  EXPECT_EQ(more.to_json(), (json{"<pad>", "<unk>", "<s>", "</s>", "c", "a", "z", "b"}));
  EXPECT_EQ(more.encode("b"), 7);
  EXPECT_EQ(more.extended(counts_of({"a", "b"})).to_json(), more.to_json());
  EXPECT_EQ(known.extended(counts_of({"z", "z", "b"}), {.min_count = 2}).size(), 7);
  EXPECT_EQ(known.extended(counts_of({"z", "z", "b"}), {.max_size = 3}).size(), 7) << "of all together";
  EXPECT_EQ(known.extended(counts_of({"z"}), {.max_size = 1}).size(), 6) << "what is known stays";
}

TEST(Vocabulary, SavedAndLoaded) {
  const Vocabulary vocabulary(counts_of({"a", "\xC3\xA4", " ", "a", "\xE2\x80\xA8", "\""}));
  const Vocabulary loaded = Vocabulary::from_json(json::parse(vocabulary.to_json().dump()));
  EXPECT_EQ(loaded.to_json(), vocabulary.to_json());
  for (int id = Vocabulary::first_symbol; id < loaded.size(); ++id) EXPECT_EQ(loaded.encode(vocabulary.text(id)), id);
}

TEST(Vocabulary, ControlCharactersStayUnknown) {
  const std::vector<std::string> controls = {std::string("\0", 1), "\t",       "\n",         "\r", "\x1B", "\x7F",
                                             "\xC2\x85",           "\xC2\x9B", "word\x1B[2J"};
  SymbolCounts counts = counts_of(controls);
  counts.add("a");
  const Vocabulary vocabulary(counts, {.max_size = 1});
  EXPECT_EQ(vocabulary.to_json(), (json{"<pad>", "<unk>", "<s>", "</s>", "a"}));
  for (const std::string& text : controls) EXPECT_EQ(vocabulary.encode(text), Vocabulary::unknown);
}

TEST(Vocabulary, BadListsAreRejected) {
  const json good = {"<pad>", "<unk>", "<s>", "</s>", "a", "b"};
  EXPECT_EQ(Vocabulary::from_json(good).size(), 6);
  const auto error_of = [](const json& list) -> std::string {
    try {
      Vocabulary::from_json(list);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::model);
      return error.what();
    }
    return "no error";
  };
  const auto with = [&](std::size_t place, const json& entry) {
    json list = good;
    list[place] = entry;
    return list;
  };
  EXPECT_EQ(error_of(json::object()), "vocabulary: a list is needed, found object");
  EXPECT_EQ(error_of({"<pad>", "<unk>", "<s>"}), "vocabulary: 3 entries, at least the 4 special ones are needed");
  EXPECT_EQ(error_of(with(3, "<s>")), "vocabulary: entry 3 must be \"</s>\", found \"<s>\"");
  EXPECT_EQ(error_of(with(5, "a")), "vocabulary: entries 4 and 5 are the same: \"a\"");
  EXPECT_EQ(error_of(with(5, "")), "vocabulary: entry 5 is empty");
  EXPECT_EQ(error_of(with(5, 7)), "vocabulary: entry 5 is no text but number");
  EXPECT_EQ(error_of(with(5, nullptr)), "vocabulary: entry 5 is no text but null");
  EXPECT_EQ(error_of(with(5, "b\n\x1B")),
            "vocabulary: entry 5 has a control character: \"b\xE2\x90\x8A\xE2\x90\x9B\"; train the model again");
  EXPECT_NE(error_of(with(4, "\xC2\x9B")).find("control character: \"<U+009B>\""), std::string::npos);
  EXPECT_EQ(error_of(with(4, "\xC3")), "vocabulary: entry 4 is not UTF-8: \"\xEF\xBF\xBD\"");
}

TEST(Vocabulary, RareSymbolsAreReplacedMost) {
  SymbolCounts counts;
  counts.add("often", 999);
  counts.add("once");
  const Vocabulary vocabulary(counts);
  const auto probabilities = unknown_probabilities(vocabulary, counts);
  ASSERT_EQ(probabilities.size(), 6u);
  for (std::size_t id = 0; id < Vocabulary::first_symbol; ++id) EXPECT_EQ(probabilities[id], 0.0f);
  EXPECT_NEAR(probabilities[4], 0.25 / 999.25, 1e-7);
  EXPECT_NEAR(probabilities[5], 0.2, 1e-7);
}

TEST(Vocabulary, EmptySymbolIsRefused) {
  SymbolCounts counts;
  EXPECT_THROW(counts.add(""), Error);
}

}  // namespace
}  // namespace fovea::vocabulary_test
