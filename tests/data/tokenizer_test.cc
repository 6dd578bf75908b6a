#include "data/tokenizer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "base/utf8.h"

namespace fovea::tokenizer_test {
namespace {

using Tokens = std::vector<std::string>;

Tokens texts_of(const std::vector<Token>& tokens) {
  Tokens texts;
  for (const Token& token : tokens) texts.emplace_back(token.text);
  return texts;
}

TEST(Tokenizer, Characters) {
  const Tokenizer tokenizer("char");
  const std::string text = "a\xC3\xA4 \xF0\x9F\x98\x80";
  const auto tokens = tokenizer.cut(text);
  EXPECT_EQ(texts_of(tokens), (Tokens{"a", "\xC3\xA4", " ", "\xF0\x9F\x98\x80"}));
  EXPECT_EQ(tokens[3].start, 3);
  EXPECT_EQ(tokens[3].end, 4);
  EXPECT_EQ(tokenizer.name(), "char");
}

TEST(Tokenizer, Words) {
  const Tokenizer tokenizer("word");
  const std::string text = "\xC3\xA4\xC3\xB6  big cat ";
  const auto tokens = tokenizer.cut(text);
  EXPECT_EQ(texts_of(tokens), (Tokens{"\xC3\xA4\xC3\xB6", "big", "cat"}));
  EXPECT_EQ(tokens[0].end, 2);
  EXPECT_EQ(tokens[1].start, 4);
  EXPECT_EQ(tokens[1].end, 7);
  EXPECT_EQ(tokens[2].start, 8);
  EXPECT_EQ(tokens[2].end, 11);
  EXPECT_EQ(tokenizer.join(texts_of(tokens)), "\xC3\xA4\xC3\xB6 big cat") << "how many spaces there were is lost";
  EXPECT_EQ(texts_of(tokenizer.cut("a b c")), (Tokens{"a", "b", "c"}));
  EXPECT_EQ(texts_of(tokenizer.cut("   ")), Tokens());
  EXPECT_EQ(tokenizer.name(), "word");
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
TEST(Tokenizer, EveryTextComesBack) {
  const std::vector<std::string> alphabet = {" ", "a", "\xC3\xA4", "\t"};
  std::vector<std::string> texts = {""};
  for (std::size_t i = 0; texts[i].size() < 7; ++i) {
    for (const auto& letter : alphabet) texts.push_back(texts[i] + letter);
  }
  std::string random_text;
  for (std::uint64_t i = 0; i < 5000; ++i) random_text += alphabet[mix(1, i) % alphabet.size()];
  texts.push_back(random_text);
  for (const std::string name : {"char", "word"}) {
    const Tokenizer tokenizer(name);
    for (const auto& text : texts) {
      const auto tokens = tokenizer.cut(text);
      ASSERT_EQ(tokenizer.join(texts_of(tokens)), name == "char" ? text : with_single_spaces(text));
      const auto all = characters(text);
      int previous = 0;
      for (const Token& token : tokens) {
        ASSERT_FALSE(token.text.empty());
        ASSERT_GE(token.start, previous);
        ASSERT_EQ(token.text.data(), all[static_cast<std::size_t>(token.start)].data());
        ASSERT_EQ(token.end - token.start, count_characters(token.text));
        previous = token.end;
      }
      if (name == "char") {
        ASSERT_EQ(previous, static_cast<int>(all.size()));
      }
    }
  }
}

TEST(Tokenizer, UnknownNameListsTheKnownOnes) {
  try {
    Tokenizer tokenizer("syllable");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_STREQ(error.what(), "tokenizer \"syllable\" is unknown; known: char, word");
  }
}

}  // namespace
}  // namespace fovea::tokenizer_test
