#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "base/as_size.h"
#include "base/error.h"
#include "base/json.h"
#include "data/temporary_file.h"
#include "data/tokenizers/cutting.h"
#include "data/tokenizers/piece_list.h"

namespace fovea::pieces_test {
namespace {

using Tokens = std::vector<std::string>;
using Texts = std::vector<std::string_view>;

const std::string mark = "\xE2\x96\x81";

// "lower" and "low" are frequent, "newest" is not.
const Texts words = {"low lower lower", "lower low low new", "low  lower", " low newest", "lower low \xC3\xA4"};

TokenizerPtr learned(const std::string& setting = "pieces:30", std::span<const std::string_view> texts = words) {
  return learn_tokenizer(setting, texts);
}

std::string refusal(const auto& act, ErrorKind kind) {
  try {
    act();
    return "taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }
}

TEST(Pieces, FrequentWordsAreOnePieceAndRareOnesSeveral) {
  const TokenizerPtr pieces = learned();
  EXPECT_EQ(texts_of(pieces->cut("low lower")), (Tokens{mark + "low", mark + "lower"}));
  const auto rare = texts_of(pieces->cut("newlow"));
  EXPECT_GT(rare.size(), 1u);
  EXPECT_TRUE(rare[0].starts_with(mark));
  EXPECT_EQ(pieces->join(rare), "newlow");
  EXPECT_TRUE(pieces->cut("").empty());
  EXPECT_TRUE(pieces->cut("   ").empty());
}

TEST(Pieces, AreNoMoreThanAskedFor) {
  const auto count = [](const TokenizerPtr& pieces) { return piece_list_from_json(pieces->learned()).pieces.size(); };
  EXPECT_EQ(count(learned("pieces:15")), 14u) << "and the unknown one";
  EXPECT_EQ(count(learned("pieces:18")), 17u);
  const std::size_t all = count(learned("pieces:8000"));  // fewer different ones than that
  EXPECT_LT(all, 200u);
  EXPECT_EQ(all, count(learned("pieces:500000")));
}

TEST(Pieces, SayWhereTheyStandInTheText) {
  const TokenizerPtr pieces = learned();
  const std::string text = "  low \xE6\x97\xA5\xE6\x97\xA5  lower\xC3\xA4 ";  // " low 日日  lowerä "
  const auto tokens = pieces->cut(text);
  ASSERT_EQ(texts_of(tokens), (Tokens{mark + "low", mark, "\xE6\x97\xA5\xE6\x97\xA5", mark + "lower", "\xC3\xA4"}));
  const std::vector<std::pair<int, int>> places = {{2, 5}, {5, 6}, {6, 8}, {10, 15}, {15, 16}};
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    EXPECT_EQ(std::pair(tokens[i].start, tokens[i].end), places[i]) << i;
  }
}

std::string without_mark(std::string text) { return text.starts_with(mark) ? text.substr(mark.size()) : text; }

TEST(Pieces, RandomTextComesBackAndEachPieceIsWhereItSays) {
  std::vector<std::string> texts;
  for (std::uint64_t i = 0; i < 200; ++i) texts.push_back(random_utf8(i, 5 + i % 40));
  const Texts first(texts.begin(), texts.begin() + 100);
  for (const char* setting : {"pieces:900", "pieces:3000"}) {
    const TokenizerPtr pieces = learned(setting, first);
    for (const std::string& text : texts) {  // half of them with characters that were never seen
      const auto tokens = pieces->cut(text);
      ASSERT_EQ(pieces->join(texts_of(tokens)), with_single_spaces(text));
      const auto all = characters(text);
      int previous = 0;
      for (const Token& token : tokens) {
        ASSERT_GE(token.start, previous);
        std::string there;
        for (int c = token.start; c < token.end; ++c) there += all[as_size(c)];
        const std::string shown = without_mark(std::string(token.text));
        ASSERT_EQ(with_single_spaces(there), shown) << text;
        previous = token.end;
      }
    }
  }
}

TEST(Pieces, AModelsTokensMakeNormalText) {
  const TokenizerPtr pieces = learned();
  EXPECT_EQ(pieces->join(Tokens{"low", mark, mark, mark + "lower", "s", mark}), "low lowers");
  EXPECT_EQ(pieces->join(Tokens{mark + "a" + mark + "b", "<unk>"}), "a b<unk>");
  EXPECT_EQ(pieces->join({}), "");
}

TEST(Pieces, TheSameTextsGiveTheSamePieces) {
  const std::string once = learned("pieces:25")->learned();
  EXPECT_EQ(once, learned("pieces:25")->learned());
  Texts turned(words.rbegin(), words.rend());
  EXPECT_EQ(once, learned("pieces:25", turned)->learned()) << "in any order";
  EXPECT_NE(once, learned("pieces:24")->learned());
}

TEST(Pieces, ComeBackFromWhatWasLearned) {
  const TokenizerPtr pieces = learned();
  const TokenizerPtr again = make_tokenizer("pieces:30", pieces->learned());
  EXPECT_EQ(again->learned(), pieces->learned());
  for (std::uint64_t i = 0; i < 50; ++i) {
    const std::string text = random_utf8(i, 30) + " lower newest";
    EXPECT_EQ(texts_of(again->cut(text)), texts_of(pieces->cut(text)));
  }
}

TEST(Pieces, LearnInSilence) {
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  learned("pieces:8000")->cut("low");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Pieces, WhatCannotBeLearnedIsSaid) {
  EXPECT_EQ(refusal([] { learned("pieces:9"); }, ErrorKind::usage),
            "pieces:9: each character is a piece, and the training data has 9 different ones; ask for 11 or more");
  EXPECT_EQ(refusal([] { learned("pieces:9", Texts{"  ", "\x1B"}); }, ErrorKind::data),
            "pieces:9: the training data has no word to learn from");
  EXPECT_EQ(texts_of(learned("pieces:4", Texts{"aa"})->cut("aa")).size(), 2u);
}

// The trainer of the library would end the program.
TEST(Pieces, WordsOfAnyLengthAreSurvived) {
  const std::string endless(70'000, 'a'), line = endless + " aa aa aa";
  const TokenizerPtr pieces = learned("pieces:10", Texts{line});
  EXPECT_EQ(pieces->join(texts_of(pieces->cut(line))), line);
}

// ---- the list -------------------------------------------------------------------------------------------------------

const PieceList few = {false, {{mark + "a", -1.5f}, {"b", -2}, {mark, -3}}};

TEST(PieceListFile, ComesBack) {
  EXPECT_EQ(read_piece_model(write_piece_model(few), "x"), few);
  EXPECT_EQ(piece_list_from_json(piece_list_to_json(few)), few);
  PieceList merges = few;
  merges.merges = true;
  EXPECT_EQ(read_piece_model(write_piece_model(merges), "x"), merges);
  EXPECT_EQ(piece_list_from_json(piece_list_to_json(merges)), merges);
  EXPECT_EQ(piece_list_to_json(few), "[\"unigram\",\"" + mark + "a\",-1.5,\"b\",-2.0,\"" + mark + "\",-3.0]");
}

TEST(PieceListFile, AReadyModelIsTaken) {
  const TemporaryFile file(write_piece_model(few));
  const std::string path = file.path() + ".model";
  std::rename(file.path().c_str(), path.c_str());
  const TokenizerPtr pieces = learned("pieces:" + path);
  EXPECT_EQ(texts_of(pieces->cut("ab")), (Tokens{mark + "a", "b"}));
  std::remove(path.c_str());
  EXPECT_NE(refusal([&] { learned("pieces:" + path); }, ErrorKind::failure).find(path), std::string::npos);
}

// Every prefix, and every byte changed: taken with fewer or other pieces, or refused in words.
TEST(PieceListFile, DamageIsRefusedOrHarmless) {
  const std::string whole = write_piece_model(few);
  const auto try_it = [](const std::string& bytes) {
    try {
      const PieceList list = read_piece_model(bytes, "x");
      ASSERT_FALSE(list.pieces.empty());
      make_tokenizer("pieces:9", piece_list_to_json(list))->cut("ab ba \xE2\x98\x83");
    } catch (const Error& error) {
      ASSERT_TRUE(error.kind() == ErrorKind::data || error.kind() == ErrorKind::model);
      ASSERT_FALSE(find_control(error.what()));
    }
  };
  for (std::size_t i = 0; i < whole.size(); ++i) {
    try_it(whole.substr(0, i));
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = whole;
      changed[i] = static_cast<char>(changed[i] ^ (1 << bit));
      try_it(changed);
    }
  }
  EXPECT_EQ(refusal([] { read_piece_model("\x0A\xFF\xFF\xFF\xFF\x0F", "x"); }, ErrorKind::data),
            "x: this is no SentencePiece model");
  EXPECT_EQ(refusal([] { read_piece_model("", "x"); }, ErrorKind::data),
            "x: no piece in it; is this a SentencePiece model?");
}

TEST(PieceListJson, WhatIsNoListIsRefused) {
  const auto refused = [](const std::string& json) {
    return refusal([&] { make_tokenizer("pieces:9", json); }, ErrorKind::model);
  };
  const std::string no_list = "not a flat list of bpe or unigram and then pieces with their scores";
  for (const char* json : {"", "{", "{}", "[]", "3", "[\"bpe\",\"a\"]", "[\"char\",\"a\",1]", "[[\"bpe\"],\"a\",1]"}) {
    EXPECT_EQ(refused(json), no_list) << json;
  }
  EXPECT_EQ(refused("[\"bpe\"]"), "0 pieces; from 1 to 500000 are wanted");
  for (const char* entry : {"1,1", "\"\",1", "\"a\",\"b\"", "\"a\\u0000\",1", "\"\\n\",1", "\"<unk>\",1", "null,1"}) {
    EXPECT_EQ(refused(std::string("[\"bpe\",") + entry + "]"), "entry 1 is no piece with its score") << entry;
  }
  for (const char* score : {"1e30", "-1e7", "1e300"}) {
    EXPECT_EQ(refused(std::string("[\"bpe\",\"a\",") + score + "]"), "entry 2 is an impossible score") << score;
  }
  EXPECT_EQ(refused("[\"unigram\",\"a\",1,\"a\",2]"), "\"a\" is there twice");
  EXPECT_EQ(refused("[\"unigram\",\"" + std::string(3000, 'a') + "\",1]"), "entry 1 is no piece with its score");
}

// Any list of pieces that is taken cuts any text.
TEST(PieceListJson, ForgedPiecesCutWithoutHarm) {
  for (std::uint64_t i = 0; i < 200; ++i) {
    Json flat = {i % 2 ? "bpe" : "unigram"};
    for (std::uint64_t j = 0; j < 1 + i % 20; ++j) {
      std::string piece = random_utf8(1000 * i + j, 1 + mix(i, j) % 4);
      if (mix(i, j) % 3 == 0) piece = mark + piece;
      flat.push_back(piece);
      flat.push_back(static_cast<double>(mix(j, i) % 2'000'000) - 1e6);
    }
    TokenizerPtr pieces;
    try {
      pieces = make_tokenizer("pieces:9", json_text(flat));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::model);
      continue;
    }
    const std::string text = random_utf8(i, 200);
    EXPECT_EQ(with_single_spaces(pieces->join(texts_of(pieces->cut(text)))).size() > 0, true);
  }
}

}  // namespace
}  // namespace fovea::pieces_test
