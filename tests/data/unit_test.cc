#include "data/unit.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "base/utf8.h"

namespace fovea {
namespace {

using Tokens = std::vector<std::string>;

Tokens tokens(const std::vector<Piece>& pieces) {
  Tokens texts;
  for (const Piece& piece : pieces) texts.emplace_back(piece.text);
  return texts;
}

TEST(Unit, Characters) {
  const Unit unit("char");
  const std::string text = "a\xC3\xA4 \xF0\x9F\x98\x80";
  const auto pieces = unit.cut(text);
  EXPECT_EQ(tokens(pieces), (Tokens{"a", "\xC3\xA4", " ", "\xF0\x9F\x98\x80"}));
  EXPECT_EQ(pieces[3].start, 3);
  EXPECT_EQ(pieces[3].end, 4);
  EXPECT_EQ(unit.name(), "char");
}

TEST(Unit, Words) {
  const Unit unit("word");
  const std::string text = "\xC3\xA4\xC3\xB6  big cat ";
  const auto pieces = unit.cut(text);
  EXPECT_EQ(tokens(pieces), (Tokens{"\xC3\xA4\xC3\xB6", "big", "cat"}));
  EXPECT_EQ(pieces[0].end, 2);
  EXPECT_EQ(pieces[1].start, 4);
  EXPECT_EQ(pieces[1].end, 7);
  EXPECT_EQ(pieces[2].start, 8);
  EXPECT_EQ(pieces[2].end, 11);
  EXPECT_EQ(unit.join(tokens(pieces)), "\xC3\xA4\xC3\xB6 big cat") << "how many spaces there were is lost";
  EXPECT_EQ(tokens(unit.cut("a b c")), (Tokens{"a", "b", "c"}));
  EXPECT_EQ(tokens(unit.cut("   ")), Tokens());
  EXPECT_EQ(unit.name(), "word");
}

// What comes back: runs of spaces are one space, and there is none at the ends.
std::string with_single_spaces(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c != ' ' || (!out.empty() && out.back() != ' ')) out += c;
  }
  if (out.ends_with(' ')) out.pop_back();
  return out;
}

// Every short text over an alphabet of spaces and letters, and long random ones.
TEST(Unit, EveryTextComesBack) {
  const std::vector<std::string> alphabet = {" ", "a", "\xC3\xA4", "\t"};
  std::vector<std::string> texts = {""};
  for (std::size_t i = 0; texts[i].size() < 7; ++i) {
    for (const auto& letter : alphabet) texts.push_back(texts[i] + letter);
  }
  std::string random_text;
  for (std::uint64_t i = 0; i < 5000; ++i) random_text += alphabet[mix(1, i) % alphabet.size()];
  texts.push_back(random_text);
  for (const std::string name : {"char", "word"}) {
    const Unit unit(name);
    for (const auto& text : texts) {
      const auto pieces = unit.cut(text);
      ASSERT_EQ(unit.join(tokens(pieces)), name == "char" ? text : with_single_spaces(text));
      const auto all = characters(text);
      int previous = 0;
      for (const Piece& piece : pieces) {
        ASSERT_FALSE(piece.text.empty());
        ASSERT_GE(piece.start, previous);
        ASSERT_EQ(piece.text.data(), all[static_cast<std::size_t>(piece.start)].data());
        ASSERT_EQ(piece.end - piece.start, count_characters(piece.text));
        previous = piece.end;
      }
      if (name == "char") {
        ASSERT_EQ(previous, static_cast<int>(all.size()));
      }
    }
  }
}

TEST(Unit, UnknownNameListsTheKnownOnes) {
  try {
    Unit unit("syllable");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_STREQ(error.what(), "unit \"syllable\" is unknown; known: char, word");
  }
}

}  // namespace
}  // namespace fovea
