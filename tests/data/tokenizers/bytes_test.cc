#include <gtest/gtest.h>

#include "data/tokenizers/cutting.h"

namespace fovea::bytes_test {
namespace {

using Tokens = std::vector<std::string>;

TEST(Bytes, AreShownReadably) {
  const TokenizerPtr bytes = make_tokenizer("bytes");
  const std::string text = "a \xC3\xA4<E4>\x7F";
  const auto tokens = bytes->cut(text);
  EXPECT_EQ(texts_of(tokens), (Tokens{"a", " ", "<C3>", "<A4>", "<", "E", "4", ">", "<7F>"}));
  const std::vector<std::pair<int, int>> places = {{0, 1}, {1, 2}, {2, 3}, {2, 3}, {3, 4},
                                                   {4, 5}, {5, 6}, {6, 7}, {7, 8}};
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    EXPECT_EQ(std::pair(tokens[i].start, tokens[i].end), places[i]) << i;
  }
  EXPECT_TRUE(bytes->cut("").empty());
}

TEST(Bytes, EveryTextComesBack) {
  const TokenizerPtr bytes = make_tokenizer("bytes");
  for (std::uint64_t i = 0; i < 300; ++i) {
    const std::string text = random_utf8(i, i % 60);
    const auto tokens = bytes->cut(text);
    ASSERT_EQ(tokens.size(), text.size());
    ASSERT_EQ(bytes->join(texts_of(tokens)), text);
  }
}

TEST(Bytes, WhatAModelWritesIsRepaired) {
  const TokenizerPtr bytes = make_tokenizer("bytes");
  const std::string bad = "\xEF\xBF\xBD";
  EXPECT_EQ(bytes->join(Tokens{"a", "<C3>", "b"}), "a" + bad + "b");
  EXPECT_EQ(bytes->join(Tokens{"<E4>"}), bad);
  EXPECT_EQ(bytes->join(Tokens{"<F0>", "<9F>", "<98>"}), bad) << "one for a character that lacks its end";
  EXPECT_EQ(bytes->join(Tokens{"a", "<0A>", "<1B>", "[", "<C2>", "<85>", "z"}), "a" + bad + bad + "[" + bad + "z")
      << "no control character is written";
}

TEST(Bytes, WhatIsNoByteStaysAsItIs) {
  const TokenizerPtr bytes = make_tokenizer("bytes");
  EXPECT_EQ(bytes->join(Tokens{"<unk>", "\xC3\xA4", "</s>", "<+4>", "< 4>", "<4G>"}), "<unk>\xC3\xA4</s><+4>< 4><4G>");
}

}  // namespace
}  // namespace fovea::bytes_test
