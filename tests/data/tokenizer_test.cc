#include "data/tokenizer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/as_size.h"
#include "base/error.h"
#include "base/random.h"
#include "base/utf8.h"
#include "data/tokenizers/cutting.h"

namespace fovea::tokenizer_test {
namespace {

using Tokens = std::vector<std::string>;

TEST(Tokenizer, Characters) {
  const TokenizerPtr tokenizer = make_tokenizer("char");
  const std::string text = "a\xC3\xA4 \xF0\x9F\x98\x80";
  const auto tokens = tokenizer->cut(text);
  EXPECT_EQ(texts_of(tokens), (Tokens{"a", "\xC3\xA4", " ", "\xF0\x9F\x98\x80"}));
  EXPECT_EQ(tokens[3].start, 3);
  EXPECT_EQ(tokens[3].end, 4);
}

TEST(Tokenizer, Words) {
  const TokenizerPtr tokenizer = make_tokenizer("word");
  const std::string text = "\xC3\xA4\xC3\xB6  big cat ";
  const auto tokens = tokenizer->cut(text);
  EXPECT_EQ(texts_of(tokens), (Tokens{"\xC3\xA4\xC3\xB6", "big", "cat"}));
  EXPECT_EQ(tokens[0].end, 2);
  EXPECT_EQ(tokens[1].start, 4);
  EXPECT_EQ(tokens[1].end, 7);
  EXPECT_EQ(tokens[2].start, 8);
  EXPECT_EQ(tokens[2].end, 11);
  EXPECT_EQ(tokenizer->join(texts_of(tokens)), "\xC3\xA4\xC3\xB6 big cat") << "how many spaces there were is lost";
  EXPECT_EQ(texts_of(tokenizer->cut("a b c")), (Tokens{"a", "b", "c"}));
  EXPECT_EQ(texts_of(tokenizer->cut("   ")), Tokens());
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
    const TokenizerPtr tokenizer = make_tokenizer(name);
    for (const auto& text : texts) {
      const auto tokens = tokenizer->cut(text);
      ASSERT_EQ(tokenizer->join(texts_of(tokens)), name == "char" ? text : with_single_spaces(text));
      const auto all = characters(text);
      int previous = 0;
      for (const Token& token : tokens) {
        ASSERT_FALSE(token.text.empty());
        ASSERT_GE(token.start, previous);
        ASSERT_EQ(token.text.data(), all[as_size(token.start)].data());
        ASSERT_EQ(token.end - token.start, count_characters(token.text));
        previous = token.end;
      }
      if (name == "char") {
        ASSERT_EQ(previous, static_cast<int>(all.size()));
      }
    }
  }
}

std::string refusal(const std::string& setting) {
  try {
    tokenizer_kind(setting);
    return "taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
}

TEST(Tokenizer, SettingsThatAskForNothingThereIs) {
  EXPECT_EQ(refusal("syllable"), "no tokenizer \"syllable\"; there are char, word, bytes, pieces and whole");
  EXPECT_EQ(refusal("wrod"), "no tokenizer \"wrod\"; did you mean word?");
  EXPECT_EQ(refusal("char:3"), "nothing may follow the tokenizer's name, got \":3\"");
  for (const char* setting : {"pieces", "pieces:", "pieces:0", "pieces:-4", "pieces:8k", "pieces:500001",
                              "pieces:99999999999999999999", "pieces:.model", "pieces:a.txt"}) {
    EXPECT_EQ(refusal(setting), "pieces needs a number of pieces (1 to 500000) or a .model file: pieces:8000")
        << setting;
  }
}

TEST(Tokenizer, ExamplesOfSettingsAreTaken) {
  const std::vector<std::string> examples = tokenizer_examples();
  EXPECT_EQ(examples, (Tokens{"char", "word", "bytes", "pieces:8000", "whole"}));
  for (const std::string& setting : examples) {
    const TokenizerKind& kind = tokenizer_kind(setting);
    EXPECT_TRUE(setting.starts_with(kind.name));
    EXPECT_FALSE(kind.description.empty());
    if (kind.learns) continue;
    EXPECT_EQ(make_tokenizer(setting)->learned(), "");
  }
  EXPECT_EQ(refusal("pieces:a/b.model"), "taken") << "the file need not be there yet";
}

}  // namespace
}  // namespace fovea::tokenizer_test
