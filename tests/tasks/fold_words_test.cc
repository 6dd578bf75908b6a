#include "tasks/fold_words.h"

#include <gtest/gtest.h>

namespace fovea::fold_words_test {
namespace {

const std::string mark = "\xE2\x96\x81";

// "the cats" read as ▁the ▁cat s </s>, written as ▁le s, ▁ chats </s>.
Output pieces() {
  Output output;
  output.source_text = "the cats";
  output.source = {{mark + "the", 0, 3}, {mark + "cat", 4, 7, false}, {"s", 7, 8}, {"</s>", 8, 8}};
  output.text = "les chats";
  output.maps = {{0, 0, "source"}};
  const auto step = [](const std::string& token, double probability, std::vector<float> scores,
                       std::vector<float> weights, double norm) {
    return OutputStep{token,
                      probability,
                      {{token, probability}, {mark + "un", 0.1}},
                      {{std::move(scores), std::move(weights), norm}},
                      {}};
  };
  output.steps = {step(mark + "le", 0.5, {4, 1, 2, 0}, {0.5f, 0.125f, 0.25f, 0.125f}, 1),
                  step("s", 0.25, {0, 3, -1, 0}, {0.25f, 0.25f, 0.5f, 0}, 3),
                  step(mark, 0.8, {0, 0, 0, 0}, {0, 1, 0, 0}, 2), step("chats", 0.5, {0, 0, 0, 0}, {0, 0, 0, 1}, 4),
                  step("</s>", 0.9, {1, 2, 3, 4}, {0, 0.25f, 0.25f, 0.5f}, 5)};
  output.nbest = {{"les chats", -1, true}};
  return output;
}

TEST(FoldWords, EachSourceIsFoldedByItself) {
  Output output;
  output.source = {{mark + "the", 0, 3},   {mark + "cat", 4, 7},   {"s", 7, 8}, {"</s>", 8, 8}, {"V", 0, 1, true, 1},
                   {"PST", 2, 5, true, 1}, {"</s>", 5, 5, true, 1}};
  output.maps = {{0, 0, "source"}};
  output.steps = {{"</s>", 1, {}, {{{0, 0, 0, 0, 0, 0, 0}, {0.1f, 0.2f, 0.3f, 0, 0.1f, 0.2f, 0.1f}, 1}}, {}}};
  const Output folded = fold_words(output);
  std::vector<std::string> texts;
  for (const SourceToken& token : folded.source) texts.push_back(token.text);
  EXPECT_EQ(texts, (std::vector<std::string>{"the", "cats", "</s>", "V", "PST", "</s>"}));
  EXPECT_EQ(folded.source[2].source, 0);
  EXPECT_EQ(folded.source[3].source, 1);
  ASSERT_EQ(folded.steps[0].looks[0].weights.size(), 6u);
  EXPECT_FLOAT_EQ(folded.steps[0].looks[0].weights[1], 0.5f);
  EXPECT_FLOAT_EQ(folded.steps[0].looks[0].weights[4], 0.2f);
}

TEST(FoldWords, APastIsFoldedBehindItsStart) {
  Output output = pieces();
  output.source = {{"<s>", 0, 0}, {mark + "the", 1, 2}, {mark + "cat", 2, 3}, {"s", 3, 4}};
  for (SourceToken& token : output.source) token.named = true;
  const Output folded = fold_words(output);
  ASSERT_EQ(folded.source.size(), 3u);
  EXPECT_EQ(folded.source[0].text, "<s>");
  EXPECT_EQ(folded.source[0].end, 0);
  EXPECT_EQ(folded.source[2].text, "cats");
  for (const SourceToken& token : folded.source) EXPECT_TRUE(token.named);
}

TEST(FoldWords, SourcePiecesBecomeWords) {
  const Output folded = fold_words(pieces());
  ASSERT_EQ(folded.source.size(), 3u);
  EXPECT_EQ(folded.source[0].text, "the");
  EXPECT_EQ(folded.source[1].text, "cats");
  EXPECT_EQ(folded.source[1].start, 4);
  EXPECT_EQ(folded.source[1].end, 8);
  EXPECT_TRUE(folded.source[1].read) << "a part of it was";
  EXPECT_EQ(folded.source[2].text, "</s>");
  EXPECT_EQ(folded.source[2].start, 8);
  EXPECT_EQ(folded.text, "les chats");
  EXPECT_EQ(folded.nbest.size(), 1u);
}

TEST(FoldWords, WeightsAreSummedOverTheSourceAndAveragedOverTheTarget) {
  const Output folded = fold_words(pieces());
  ASSERT_EQ(folded.steps.size(), 3u);
  const OutputStep& first = folded.steps[0];
  EXPECT_EQ(first.token, "les");
  EXPECT_DOUBLE_EQ(first.probability, 0.125);
  EXPECT_EQ(first.looks[0].weights, (std::vector<float>{0.375f, 0.5625f, 0.0625f}));  // (0.5+0.25)/2, (0.375+0.75)/2
  EXPECT_EQ(first.looks[0].scores, (std::vector<float>{2, 2, 0}));  // of the means 2, 2, 0.5, 0 the largest
  EXPECT_DOUBLE_EQ(first.looks[0].context_norm, 2);
  ASSERT_EQ(first.alternatives.size(), 1u);
  EXPECT_EQ(first.alternatives[0].token, "les");
  EXPECT_EQ(folded.steps[1].token, "chats");
  EXPECT_EQ(folded.steps[1].looks[0].weights, (std::vector<float>{0, 0.5f, 0.5f}));
  const OutputStep& last = folded.steps[2];
  EXPECT_EQ(last.token, "</s>");
  EXPECT_EQ(last.looks[0].weights, (std::vector<float>{0, 0.5f, 0.5f}));
  EXPECT_EQ(last.looks[0].scores, (std::vector<float>{1, 3, 4}));
  ASSERT_EQ(last.alternatives.size(), 2u) << "a word of one piece keeps them";
  EXPECT_EQ(last.alternatives[1].token, "un");
}

TEST(FoldWords, PiecesAreKeptBesideTheWords) {
  Output output = pieces();
  output.self_maps = {{"encoder", 0, 0, 0, {{1}}}};
  output.tree = OutputTree{{{-1, 0, mark + "le", 0.5, -0.7, true}}};
  const Output folded = fold_words(output);
  ASSERT_TRUE(folded.pieces);
  ASSERT_EQ(folded.pieces->source.size(), 4u);
  EXPECT_EQ(folded.pieces->source[2].text, "s");
  ASSERT_EQ(folded.pieces->steps.size(), 5u);
  EXPECT_EQ(folded.pieces->steps[1].looks[0].weights, output.steps[1].looks[0].weights);
  EXPECT_EQ(folded.pieces->self_maps.size(), 1u);
  EXPECT_TRUE(folded.pieces->tree);
  EXPECT_TRUE(folded.self_maps.empty()) << "they are about pieces";
  EXPECT_FALSE(folded.tree);
}

TEST(FoldWords, AMarkThatStandsAloneBelongsToTheWordBehindIt) {
  Output output = pieces();
  output.source = {{mark + "the", 0, 3}, {mark, 3, 4}, {"cats", 4, 8}, {"</s>", 8, 8}};
  const Output folded = fold_words(output);
  ASSERT_EQ(folded.source.size(), 3u);
  EXPECT_EQ(folded.source[1].text, "cats");
  EXPECT_EQ(folded.source[1].start, 4);
}

TEST(FoldWords, ASideWithoutMarksStaysAsItIs) {
  Output output = pieces();
  output.source = {{"t", 0, 1}, {"h", 1, 2}, {"e", 2, 3}, {"</s>", 3, 3}};
  const Output folded = fold_words(output);
  EXPECT_EQ(folded.source.size(), 4u);
  EXPECT_EQ(folded.steps.size(), 3u);
  EXPECT_EQ(folded.steps[1].looks[0].weights, (std::vector<float>{0, 0.5f, 0, 0.5f}));
}

TEST(FoldWords, AnAnswerThatWasCutHasNoStopSymbol) {
  Output output = pieces();
  output.finished = false;
  output.steps.back().token = "s";
  const Output folded = fold_words(output);
  ASSERT_EQ(folded.steps.size(), 2u);
  EXPECT_EQ(folded.steps[1].token, "chatss");
  EXPECT_TRUE(fold_words(Output()).steps.empty());
}

TEST(FoldWords, CopyGatesAreAveraged) {
  Output output = pieces();
  output.steps[0].copy_gate = 0.5;
  output.steps[1].copy_gate = 0.25;
  EXPECT_DOUBLE_EQ(*fold_words(output).steps[0].copy_gate, 0.375);
  EXPECT_FALSE(fold_words(output).steps[1].copy_gate);
}

}  // namespace
}  // namespace fovea::fold_words_test
