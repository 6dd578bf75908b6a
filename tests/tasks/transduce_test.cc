#include "tasks/transduce.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fovea {
namespace {

const std::vector<Example> examples = {{"ab é", "日本 x", "", 1}, {"b a", "x  y", "", 2}};

Transduce with_unit(const std::string& unit) {
  Config config;
  config.source.unit = config.target.unit = unit;
  return {config, examples};
}

class EveryUnit : public testing::TestWithParam<std::string> {};

TEST_P(EveryUnit, TextSurvivesTheRoundTrip) {
  const Transduce task = with_unit(GetParam());
  for (const Example& example : examples) {
    EXPECT_EQ(task.target_text(task.encode_target(example.target)), example.target);
  }
  EXPECT_EQ(task.target_text({}), "");
  EXPECT_TRUE(task.encode_source("").empty());
}

TEST_P(EveryUnit, UnknownSymbolsBecomeTheUnknownSymbol) {
  const Transduce task = with_unit(GetParam());
  EXPECT_EQ(task.encode_source("☃"), Symbols{Vocabulary::unknown});
  EXPECT_EQ(task.encode_target("é"), Symbols{Vocabulary::unknown});  // known on the other side only
}

// The tokens shown cover the source text, each where it stands.
TEST_P(EveryUnit, SourceTokensStandWhereTheyAre) {
  const Transduce task = with_unit(GetParam());
  const std::string text = "é☃ b  日a ";
  std::vector<std::string> characters = {"é", "☃", " ", "b", " ", " ", "日", "a", " "};
  const Output output = task.output(text, {});
  ASSERT_FALSE(output.source.empty());
  EXPECT_EQ(output.source.size(), task.encode_source(text).size() + 1);
  int end = 0;
  for (std::size_t i = 0; i + 1 < output.source.size(); ++i) {
    const SourceToken& token = output.source[i];
    EXPECT_GE(token.start, end);
    std::string between;
    for (int c = token.start; c < token.end; ++c) between += characters[static_cast<std::size_t>(c)];
    EXPECT_EQ(token.text, between);
    end = token.end;
  }
  EXPECT_EQ(end, static_cast<int>(characters.size()));
  EXPECT_EQ(output.source.back().text, "</s>");
  EXPECT_EQ(output.source.back().start, end);
  EXPECT_EQ(output.source.back().end, end);
}

INSTANTIATE_TEST_SUITE_P(Units, EveryUnit, testing::Values("char", "word"),
                         [](const auto& info) { return info.param; });

TEST(Transduce, TextThatLooksLikeASpecialSymbolIsNone) {
  const Transduce task = with_unit("word");
  for (const std::string text : {"<pad>", "<s>", "</s>"}) {
    EXPECT_EQ(task.encode_source(text), Symbols{Vocabulary::unknown}) << text;
  }
}

TEST(Transduce, KeepsTheMostFrequentSymbols) {
  Config config;
  config.source.max_symbols = 2;
  const Transduce task(config, examples);  // a, b and the space twice each, é once: by code point the space and a
  EXPECT_EQ(task.source().size(), Vocabulary::first_symbol + 2);
  EXPECT_EQ(task.encode_source(" aé"), (Symbols{4, 5, Vocabulary::unknown}));
}

TEST(Transduce, FramesABatch) {
  const Transduce task = with_unit("char");
  const Encoding one = {{7, 8}, {9}}, two = {{6}, {5, 4}};
  const std::vector<const Encoding*> rows = {&one, &two};
  Batch batch;
  task.fill_batch(rows, batch);
  constexpr int pad = Vocabulary::pad, start = Vocabulary::start, stop = Vocabulary::stop;
  EXPECT_EQ(batch.source.ids, (Symbols{7, 6, 8, stop, stop, pad}));
  EXPECT_EQ(batch.inputs.ids, (Symbols{start, start, 9, 5, pad, 4}));
  EXPECT_EQ(batch.outputs.ids, (Symbols{9, 5, stop, 4, pad, stop}));
}

TEST(Transduce, SearchNeverWritesSpecialSymbols) {
  const SearchOptions options = with_unit("char").search_options();
  EXPECT_EQ(options.start, Vocabulary::start);
  EXPECT_EQ(options.stop, Vocabulary::stop);
  EXPECT_EQ(options.never, (Symbols{Vocabulary::pad, Vocabulary::unknown, Vocabulary::start}));
}

TEST(Transduce, ExplainsTheBestAnswer) {
  const Transduce task = with_unit("char");
  const auto x = task.encode_target("x")[0], y = task.encode_target("y")[0];
  StepExplanation first, last;
  first.probability = 0.7;
  first.alternatives = {{x, 0.7}, {y, 0.2}};
  first.looks = {{{1, 2, 3, 0, 0}, {0.5, 0.25, 0.25, 0, 0}, 1.5}};  // the batch is wider than "ab" and its stop symbol
  last.probability = 0.9;
  last.looks = first.looks;
  const std::vector<Answer> answers = {{{x}, -0.3, true, {first, last}}, {{y, y}, -0.8, true, {}}};
  const Output output = task.output("ab", answers);
  EXPECT_EQ(output.source_text, "ab");
  EXPECT_EQ(output.text, "x");
  EXPECT_EQ(output.score, -0.3);
  ASSERT_EQ(output.nbest.size(), 2u);
  EXPECT_EQ(output.nbest[0].text, "x");
  EXPECT_EQ(output.nbest[1].text, "yy");
  EXPECT_EQ(output.nbest[1].score, -0.8);
  ASSERT_EQ(output.maps.size(), 1u);
  ASSERT_EQ(output.steps.size(), 2u);
  EXPECT_EQ(output.steps[0].token, "x");
  EXPECT_EQ(output.steps[0].probability, 0.7);
  ASSERT_EQ(output.steps[0].alternatives.size(), 2u);
  EXPECT_EQ(output.steps[0].alternatives[1].token, "y");
  EXPECT_EQ(output.steps[0].looks[0].scores, (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(output.steps[0].looks[0].weights, (std::vector<float>{0.5, 0.25, 0.25}));
  EXPECT_EQ(output.steps[0].looks[0].context_norm, 1.5);
  EXPECT_EQ(output.steps[1].token, "</s>");
}

}  // namespace
}  // namespace fovea
