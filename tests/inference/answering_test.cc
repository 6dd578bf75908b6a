// A line's answer, to the last bit of its score, does not depend on its batch mates, their number, their order, or on
// threads.
#include "inference/answering.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "tasks/explaining.h"
#include "tasks/small_model.h"

namespace fovea::answering_test {
namespace {

using Answers = std::vector<std::vector<Answer>>;

Answers ask(const Model& model, const std::vector<std::string>& lines, const AnswerOptions& options, int threads = 1) {
  Workers workers(threads);
  std::vector<Reading> encoded;
  for (const std::string& line : lines) encoded.push_back(model.task().encode_source(line));
  std::vector<const Reading*> sources;
  for (const Reading& symbols : encoded) sources.push_back(&symbols);
  return Answering(model, workers).answer(sources, options);
}

// Scores with ==: the same bits.
void expect_same(const std::vector<Answer>& a, const std::vector<Answer>& b, const std::string& line) {
  ASSERT_EQ(a.size(), b.size()) << line;
  for (std::size_t n = 0; n < a.size(); ++n) {
    EXPECT_EQ(a[n].symbols, b[n].symbols) << line;
    EXPECT_EQ(a[n].score, b[n].score) << line;
    EXPECT_EQ(a[n].finished, b[n].finished) << line;
  }
}

struct Mates {
  std::string name;
  Config config;
  int beam;
  int lines;
  friend std::ostream& operator<<(std::ostream& out, const Mates& m) { return out << m.name; }
};

std::vector<Mates> models() {
  Config plain = small_config(), layered = small_config();
  plain.model.decoder.style = "plain";
  plain.model.encoder.cell = "gru";
  layered.model.encoder.layers = layered.model.decoder.layers = 2;
  layered.model.decoder.cell = "gru";
  layered.model.decoder.bridge = "mean";
  Config wide = small_config();
  wide.model.encoder.size = wide.model.decoder.size = wide.model.generator.size = 70;
  const auto with = [](const std::vector<std::string>& settings) {
    Config config = small_config();
    for (const std::string& setting : settings) set_field(config, setting);
    return config;
  };
  const std::string even = "self_attention.heads=2";
  return {{"transformer_beam", with({"encoder.kind=transformer", "decoder.kind=transformer", "decoder.size=12", even}),
           3, 60},
          {"relative_greedy",
           with({"encoder.kind=transformer", "decoder.kind=transformer", "decoder.size=12", even,
                 "self_attention.bias=relative"}),
           1, 60},
          {"pointer_beam", with({"generator.kind=pointer_generator", "attention.bias=coverage,markov"}), 3, 100},
          {"copynet_beam", with({"generator.kind=copynet"}), 3, 100},
          {"heads_beam", with({"attention.heads=2", "attention.size=12", "attention.bias=coverage_embedding"}), 3, 60},
          {"luong_beam", with({"decoder.style=luong", "attention.select=local_p"}), 3, 60},
          {"marginal_beam", with({"decoder.style=luong", "decoder.feeding=false", "attention.select=monotonic_hmm"}), 3,
           60},
          {"monotonic_beam", with({"attention.select=monotonic"}), 3, 60},
          {"pyramid_beam", with({"encoder.kind=pyramid", "encoder.layers=2"}), 3, 60},
          {"convolution_beam", with({"encoder.kind=convolution", "attention.score=convolutional"}), 3, 60},
          {"structured_greedy", with({"encoder.kind=structured"}), 1, 60},
          {"lstmn_greedy", with({"encoder.kind=lstmn", "intra_attention.size=12"}), 1, 60},
          {"rationale_greedy", with({"encoder.rationale=true"}), 1, 60},
          {"greedy", small_config(), 1, 300},
          {"beam", small_config(), 5, 300},
          {"plain_beam", plain, 5, 100},
          {"layered_beam", layered, 3, 100},
          {"wide_greedy", wide, 1, 60}};
}

class BatchMates : public testing::TestWithParam<Mates> {
 protected:
  const Model model_ = small_model(GetParam().config, 3);
  const std::vector<std::string> lines_ = random_lines(GetParam().lines, 14, 1);
  AnswerOptions options(int batch) const {
    return {.search = {.beam = GetParam().beam, .nbest = GetParam().beam}, .batch = batch};
  }
};

TEST_P(BatchMates, ChangeNothing) {
  const Answers alone = ask(model_, lines_, options(1));
  std::set<Symbols> different;
  for (const auto& answers : alone) different.insert(answers[0].symbols);
  ASSERT_GT(different.size(), lines_.size() / 4) << "a model that always says the same shows nothing";
  for (const int batch : {2, 5, 31, 64}) {
    for (const int threads : {1, 3}) {
      const Answers together = ask(model_, lines_, options(batch), threads);
      for (std::size_t i = 0; i < lines_.size(); ++i) expect_same(together[i], alone[i], lines_[i]);
    }
  }
}

TEST_P(BatchMates, OrderChangesNothing) {
  const Answers before = ask(model_, lines_, options(7));
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < lines_.size(); ++i) order.push_back(i * 77 % lines_.size());
  std::vector<std::string> shuffled;
  for (const std::size_t i : order) shuffled.push_back(lines_[i]);
  const Answers after = ask(model_, shuffled, options(7), 3);
  for (std::size_t i = 0; i < order.size(); ++i) expect_same(after[i], before[order[i]], shuffled[i]);
}

TEST_P(BatchMates, OneVeryLongLineChangesNothing) {
  std::vector<std::string> lines(lines_.begin(), lines_.begin() + 20);
  const Answers before = ask(model_, lines, options(64));
  lines.push_back(random_lines(1, 1, 5)[0] + std::string(300, 'q'));
  const Answers after = ask(model_, lines, options(64));
  for (std::size_t i = 0; i < 20; ++i) expect_same(after[i], before[i], lines[i]);
  EXPECT_EQ(after[20].size(), before[0].size());
}

TEST_P(BatchMates, ExplainingChangesNothing) {
  AnswerOptions explained = options(16);
  explained.search.alternatives = 5;
  const Answers plain = ask(model_, lines_, options(16)), seen = ask(model_, lines_, explained);
  for (std::size_t i = 0; i < lines_.size(); ++i) expect_same(seen[i], plain[i], lines_[i]);
}

INSTANTIATE_TEST_SUITE_P(Models, BatchMates, testing::ValuesIn(models()),
                         [](const auto& info) { return info.param.name; });

// Draws of hard attention go with those of the symbols: other seeds, other looks; the same whatever shares the batch.
TEST(Answering, HardAttentionIsDrawnWhereSymbolsAre) {
  Config config = small_config();
  set_field(config, "attention.select=hard");
  const Model model = small_model(config, 3);
  const std::vector<std::string> lines = random_lines(20, 9, 1);
  const auto looks = [&](std::uint64_t seed, int batch, double temperature = 1) {
    std::vector<std::ptrdiff_t> all;  // the position that each step sees
    const AnswerOptions options = {.search = {.beam = 2,
                                              .nbest = 2,
                                              .sample = temperature,
                                              .seed = static_cast<std::int64_t>(seed),
                                              .alternatives = 1},
                                   .batch = batch};
    for (const auto& answers : ask(model, lines, options)) {
      for (const Answer& answer : answers) {
        for (const auto& step : answer.steps) {
          const std::vector<float>& weights = step.looks.at(0).weights;
          all.push_back(std::ranges::find(weights, 1.0f) - weights.begin());
        }
      }
    }
    return all;
  };
  EXPECT_EQ(looks(1, 1), looks(1, 7));
  EXPECT_NE(looks(1, 7, 1e-6), looks(2, 7, 1e-6));  // symbols that are as good as certain: only positions differ
}

// Column i of these is not about symbol i: nothing can be said of a symbol.
TEST(Answering, WhatLooksAtSymbolsIsRefusedWhereColumnsAreNone) {
  for (const std::string kind : {"pyramid", "structured", "hierarchical"}) {
    Config config = small_config();
    set_field(config, "encoder.kind=" + kind);
    set_field(config, "encoder.layers=2");
    const Model model = small_model(config, 3);
    EXPECT_NO_THROW(ask(model, {"abc"}, {}));
    AnswerOptions covering;
    set_field(covering.search, "coverage_penalty=0.5");
    for (const AnswerOptions& options :
         {covering, AnswerOptions{.search = {.alternatives = 1}, .replace_unknown = true}}) {
      try {
        ask(model, {"abc"}, options);
        ADD_FAILURE() << kind;
      } catch (const Error& e) {
        EXPECT_EQ(e.kind(), ErrorKind::usage);
        EXPECT_NE(std::string(e.what()).find("encoder.kind = " + kind), std::string::npos) << e.what();
        EXPECT_NE(std::string(e.what()).find(options.replace_unknown ? "`replace_unknown`:" : "`coverage_penalty`:"),
                  std::string::npos)
            << e.what();
      }
    }
  }
}

// Where nothing is looked at, no word of the source can stand for the unknown symbol.
TEST(Answering, UnknownSymbolsAreNotReplacedWithoutAttention) {
  Config config = small_config();
  set_field(config, "decoder.style=plain");
  const Model model = small_model(config, 3);
  EXPECT_NO_THROW(ask(model, {"abc"}, {}));
  try {
    ask(model, {"abc"}, {.search = {.alternatives = 1}, .replace_unknown = true});
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::usage);
    EXPECT_NE(std::string(e.what()).find("no attention"), std::string::npos) << e.what();
  }
}

TEST(Answering, ExplanationsKeepToTheirLimits) {
  Config config = small_config();
  for (const char* setting : {"attention.heads=4", "attention.size=12"}) set_field(config, setting);
  const Model model = small_model(config, 3);
  const std::string line = random_lines(1, 1, 5)[0] + std::string(60, 'q');
  const Reading source = model.task().encode_source(line);
  const std::vector<Answer> whole = ask(model, {line}, {.search = {.alternatives = 2}})[0];
  const Output all = make_output(model.task(), {line}, source, whole);
  EXPECT_FALSE(all.left_out.any());
  ASSERT_GT(all.steps.size(), 5u);
  const auto limited = [&](const ExplanationLimits& limits) {
    const std::vector<Answer> answers = ask(model, {line}, {.search = {.alternatives = 2, .limits = limits}})[0];
    expect_same(answers, whole, line);
    return make_output(model.task(), {line}, source, answers);
  };
  const Output cut = limited({.maps = 3, .steps = 5, .positions = 7});
  EXPECT_EQ(cut.text, all.text);
  ASSERT_EQ(cut.maps.size(), 3u);
  ASSERT_EQ(cut.steps.size(), 5u);
  ASSERT_EQ(cut.source.size(), 7u);
  EXPECT_EQ(cut.left_out.maps, 1u);
  EXPECT_EQ(cut.left_out.steps, all.steps.size() - 5);
  EXPECT_EQ(cut.left_out.positions, all.source.size() - 7);
  for (std::size_t step = 0; step < 5; ++step) {
    for (std::size_t map = 0; map < 3; ++map) {
      const auto& kept = cut.steps[step].looks[map].weights;
      const auto& had = all.steps[step].looks[map].weights;
      EXPECT_EQ(kept, std::vector<float>(had.begin(), had.begin() + 7));
    }
  }
  EXPECT_EQ(limited({.steps = 5, .positions = 7, .cells = 2 * 35 + 1}).maps.size(), 2u);
  EXPECT_EQ(limited({.steps = 5, .positions = 7, .cells = 1}).maps.size(), 1u) << "one is always kept";
}

TEST(Answering, LongLinesAreExplainedFewAtATime) {
  Config config = small_config();
  for (const char* setting : {"attention.heads=4", "attention.size=12"}) set_field(config, setting);
  const Model model = small_model(config, 3);
  Workers workers(1);
  const Answering answering(model, workers);
  const std::vector<Reading> made(40, Reading{{SourceData{Symbols(300, 4), {}, 300}}});
  std::vector<const Reading*> sources;
  for (const Reading& source : made) sources.push_back(&source);
  EXPECT_EQ(answering.batches(sources, {}).size(), 1u);
  const auto explained = answering.batches(sources, {.search = {.beam = 2, .max_output = 650, .alternatives = 5}});
  std::size_t lines = 0;
  for (const auto& batch : explained) {
    EXPECT_LE(batch.size(), 2u) << "300 positions, 650 steps, 4 maps and 2 hypotheses: 1.5 million cells a line";
    lines += batch.size();
  }
  EXPECT_EQ(lines, sources.size());
}

TEST(Answering, ASignalStopsIt) {
  const Model model = small_model(small_config(), 3);
  std::atomic<int> signal = 15;
  EXPECT_THROW(ask(model, random_lines(5, 9, 1), {.search = {.stop_signal = &signal}}, 2), SearchStopped);
}

TEST(Answering, EveryWorkerGetsABatchOfTheLongestFirst) {
  std::vector<Reading> made;
  for (const int length : {2, 0, 1, 4, 3}) made.push_back({{SourceData{{}, {}, length}}});
  std::vector<const Reading*> sources;
  for (const Reading& source : made) sources.push_back(&source);
  using Batches = std::vector<std::vector<std::size_t>>;
  EXPECT_EQ(batches_by_length(sources, 64, 1), (Batches{{3, 4, 0, 2}}));
  EXPECT_EQ(batches_by_length(sources, 64, 2), (Batches{{3, 4}, {0, 2}}));
  EXPECT_EQ(batches_by_length(sources, 64, 3), (Batches{{3, 4}, {0, 2}}));
  EXPECT_EQ(batches_by_length(sources, 1, 2), (Batches{{3}, {4}, {0}, {2}}));
  EXPECT_EQ(batches_by_length(sources, 64, 9), (Batches{{3}, {4}, {0}, {2}}));
  EXPECT_TRUE(batches_by_length({}, 64, 2).empty());
}

// A line that is alone has its products shared, one beside others has not. A model wide enough that it matters.
TEST(Answering, OneLineAmongThreadsIsAnsweredAsWithOne) {
  Config config = small_config();
  config.model.encoder.size = config.model.decoder.size = config.model.generator.size = 128;
  const Model model = small_model(config, 3);
  const auto lines = random_lines(60, 14, 2);
  const AnswerOptions one_at_a_time = {.search = {.beam = 5, .nbest = 2}, .batch = 1};
  const Answers expected = ask(model, lines, one_at_a_time);
  for (std::size_t i = 0; i < 10; ++i) expect_same(ask(model, {lines[i]}, one_at_a_time, 3)[0], expected[i], lines[i]);
  for (int round = 0; round < 3; ++round) {
    const Answers beside_others = ask(model, lines, one_at_a_time, 3);
    for (std::size_t i = 0; i < lines.size(); ++i) expect_same(beside_others[i], expected[i], lines[i]);
  }
}

// What a line looked at is its own too.
TEST(Answering, LooksDoNotDependOnBatchMates) {
  const Model model = small_model(small_config(), 3);
  const auto lines = random_lines(40, 14, 2);
  const Answers a = ask(model, lines, {.search = {.beam = 3, .alternatives = 2}, .batch = 1});
  const Answers b = ask(model, lines, {.search = {.beam = 3, .alternatives = 2}, .batch = 40});
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto &steps = a[i][0].steps, &others = b[i][0].steps;
    ASSERT_EQ(steps.size(), others.size());
    for (std::size_t s = 0; s < steps.size(); ++s) {
      std::vector<float> weights = others[s].looks[0].weights;
      ASSERT_GE(weights.size(), steps[s].looks[0].weights.size());
      weights.resize(steps[s].looks[0].weights.size());
      EXPECT_EQ(weights, steps[s].looks[0].weights);
      EXPECT_EQ(others[s].looks[0].context_norm, steps[s].looks[0].context_norm);
      EXPECT_EQ(others[s].probability, steps[s].probability);
    }
  }
}

TEST(Answering, NothingIsAskedOfALineWithoutSymbols) {
  const Model model = small_model(small_config(), 3);
  const Answers found = ask(model, {"", "abc", ""}, {.search = {.beam = 2, .nbest = 2}});
  ASSERT_EQ(found.size(), 3u);
  for (const std::size_t i : {0u, 2u}) {
    ASSERT_EQ(found[i].size(), 1u);
    EXPECT_TRUE(found[i][0].symbols.empty());
    EXPECT_EQ(found[i][0].score, 0);
  }
  EXPECT_EQ(found[1].size(), 2u);
  EXPECT_TRUE(ask(model, {}, {}).empty());
}

TEST(Answering, CutsOffByTheLengthOfTheLine) {
  Model model = small_model(small_config(), 1);
  for (const Parameters::Entry& entry : model.parameters().entries()) {  // never stop
    if (entry.name == "generator.choice.bias") model.parameters().values(entry)[Vocabulary::stop] = -1000;
  }
  model.parameters().invalidate_packed();
  const Answers found = ask(model, {"a", "abcdefgh"}, {});
  EXPECT_EQ(found[0][0].symbols.size(), 12u) << "half as long again as those it was trained on, and ten";
  EXPECT_EQ(found[1][0].symbols.size(), 22u);
  EXPECT_FALSE(found[0][0].finished || found[1][0].finished);
  for (const int beam : {1, 3}) {
    const Answers asked = ask(model, {"a", "abcdefgh"}, {.search = {.beam = beam, .max_output = 5}});
    for (const auto& answers : asked) EXPECT_EQ(answers[0].symbols.size(), 5u);
  }
}

}  // namespace
}  // namespace fovea::answering_test
