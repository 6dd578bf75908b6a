// What explanations have beyond the usual, held against plain computations: finite differences, sums by hand, and the
// model's own weights forced upon it.
#include "inference/explanation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "base/as_size.h"
#include "base/json.h"
#include "inference/answering.h"
#include "support/gradient_check.h"
#include "tasks/explaining.h"
#include "tasks/small_model.h"

namespace fovea::explanation_test {
namespace {

Config with(const std::vector<std::string>& settings) {
  Config config = small_config();
  for (const std::string& setting : settings) set_field(config, setting);
  return config;
}

AnswerOptions explained(int beam = 1) {
  AnswerOptions options;
  options.search.beam = options.search.nbest = beam;
  options.search.alternatives = 5;
  options.search.max_output = 7;
  return options;
}

std::vector<Answer> ask(const Model& model, const std::string& line, const AnswerOptions& options,
                        const std::vector<std::string>& mates = {}) {
  Workers workers(1);
  std::vector<Reading> encoded = {model.task().encode_source(line)};
  for (const std::string& mate : mates) encoded.push_back(model.task().encode_source(mate));
  std::vector<const Reading*> sources;
  for (const Reading& source : encoded) sources.push_back(&source);
  return Answering(model, workers).answer(sources, options)[0];
}

std::string edits_text(const std::vector<AttentionEdit>& edits) {
  OrderedJson all = OrderedJson::array();
  for (const AttentionEdit& edit : edits) {
    all.push_back({{"step", edit.step}, {"map", edit.map}, {"weights", edit.weights}});
  }
  return json_text(all);
}

std::string problem(const std::function<void()>& what) {
  try {
    what();
  } catch (const Error& e) {
    return e.what();
  }
  return "nothing";
}

void expect_in(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

struct Case {
  std::string name;
  std::vector<std::string> settings;
  friend std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }
};

std::vector<Case> cases() {
  const std::vector<std::string> transformer = {"encoder.kind=transformer", "decoder.kind=transformer",
                                                "decoder.size=12",          "self_attention.heads=2",
                                                "attention.heads=2",        "decoder.layers=2"};
  return {{"bahdanau", {}},
          {"heads", {"attention.heads=2", "attention.size=12"}},
          {"luong", {"decoder.style=luong", "attention.score=scaled_dot"}},
          {"coverage", {"attention.bias=coverage,markov"}},
          {"monotonic", {"attention.select=monotonic"}},
          {"sigmoid", {"attention.select=sigmoid"}},
          {"pointer", {"generator.kind=pointer_generator"}},
          {"lstmn", {"encoder.kind=lstmn"}},
          {"transformer", transformer}};
}

class EveryExplained : public testing::TestWithParam<Case> {
 protected:
  Model model_ = small_model(with(GetParam().settings), 2);
};

TEST_P(EveryExplained, ItsOwnWeightsForcedChangeNothing) {
  if (is_double) GTEST_SKIP() << "weights are given out as floats";
  AnswerOptions options = explained();
  options.search.explain.detail = true;
  const Answer greedy = ask(model_, "abcdefg", options)[0];
  std::vector<AttentionEdit> edits;
  for (std::size_t t = 0; t < greedy.steps.size(); ++t) {
    for (std::size_t m = 0; m < greedy.steps[t].looks.size(); ++m) {
      const std::vector<float>& weights = greedy.steps[t].looks[m].weights;
      if (std::ranges::max(weights) == 0) continue;  // a walk that has come to its end reads nothing
      edits.push_back({static_cast<int>(t), static_cast<int>(m), weights});
    }
  }
  options.search.explain.edits = edits_text(edits);
  const Answer after = ask(model_, "abcdefg", options)[0];
  EXPECT_EQ(after.symbols, greedy.symbols);
  EXPECT_EQ(after.score, greedy.score);
  ASSERT_EQ(after.steps.size(), greedy.steps.size());
  for (std::size_t t = 0; t < after.steps.size(); ++t) {
    EXPECT_EQ(after.steps[t].probability, greedy.steps[t].probability) << t;
    for (std::size_t m = 0; m < after.steps[t].looks.size(); ++m) {
      EXPECT_EQ(after.steps[t].looks[m].weights, greedy.steps[t].looks[m].weights);
      EXPECT_EQ(after.steps[t].looks[m].context, greedy.steps[t].looks[m].context);
    }
  }
}

// With all weight on position i the context is what is read there: any other weights are a sum of those.
TEST_P(EveryExplained, ForcedWeightsReadASumOfWhatIsThere) {
  const std::string line = "abcd";
  AnswerOptions options = explained();
  options.search.explain.detail = true;
  const auto context_with = [&](const std::vector<float>& weights) {
    const int last = static_cast<int>(ask(model_, line, explained())[0].steps[0].looks.size()) - 1;
    options.search.explain.edits = edits_text({{0, last, weights}});
    return ask(model_, line, options)[0].steps[0].looks[as_size(last)];
  };
  const std::vector<float> mixed = {0.5f, 0, 0.25f, 0, 0.25f};
  std::vector<double> sum;
  for (std::size_t i = 0; i < mixed.size(); ++i) {
    std::vector<float> one(mixed.size(), 0);
    one[i] = 1;
    const AttentionRow look = context_with(one);
    EXPECT_EQ(look.weights, one);
    sum.resize(look.context.size(), 0);
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += static_cast<double>(mixed[i] * look.context[k]);
  }
  const AttentionRow look = context_with(mixed);
  ASSERT_EQ(look.context.size(), sum.size());
  for (std::size_t k = 0; k < sum.size(); ++k) EXPECT_NEAR(static_cast<double>(look.context[k]), sum[k], 1e-5);
}

// The vectors of one symbol, made longer by a little: what that does to each step's log-probability.
TEST_P(EveryExplained, SaliencyIsAFiniteDifference) {
  const std::string line = "abcde";
  AnswerOptions options = explained();
  options.search.explain.saliency = true;
  const Answer answer = ask(model_, line, options)[0];
  const Reading source = model_.task().encode_source(line);
  const Parameters::Entry* table = nullptr;
  for (const Parameters::Entry& entry : model_.parameters().entries()) {
    if (entry.name == "encoder.embedding.table") table = &entry;
  }
  ASSERT_NE(table, nullptr);
  const auto log_probabilities = [&](std::int32_t symbol, double factor) {
    const auto size = as_size(table->shape[1]);
    const auto row = model_.parameters().values(*table).subspan(as_size(symbol) * size, size);
    const std::vector<Real> before(row.begin(), row.end());
    for (Real& value : row) value *= static_cast<Real>(factor);
    model_.parameters().invalidate_packed();
    Workers workers(1);
    Answering answering(model_, workers);
    const std::vector<const Reading*> sources = {&source};
    const std::vector<const Symbols*> targets = {&answer.symbols};
    const std::size_t first = 0;
    const auto found = answering.answer_batch({&first, 1}, sources, answering.prepare(explained()), {0, targets})[0][0];
    std::ranges::copy(before, row.begin());
    model_.parameters().invalidate_packed();
    std::vector<double> all;
    for (const StepExplanation& step : found.steps) all.push_back(std::log(step.probability));
    return all;
  };
  const double h = is_double ? 1e-5 : 2e-3, tolerance = is_double ? 1e-5 : 2e-2;
  double largest = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const std::int32_t symbol = source.sources[0].symbols[i];
    const auto up = log_probabilities(symbol, 1 + h), down = log_probabilities(symbol, 1 - h);
    for (std::size_t t = 0; t < answer.steps.size(); ++t) {
      ASSERT_EQ(answer.steps[t].saliency.size(), line.size() + 1);
      const double found = static_cast<double>(answer.steps[t].saliency[i]);
      EXPECT_NEAR(found, (up[t] - down[t]) / (2 * h), tolerance * std::max(1.0, std::abs(found)))
          << i << ", step " << t;
      largest = std::max(largest, std::abs(found));
    }
  }
  EXPECT_GT(largest, 0.01);
}

INSTANTIATE_TEST_SUITE_P(Models, EveryExplained, testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param.name; });

TEST(Explanation, WithoutBeingAskedThereIsNothingMore) {
  const Answer answer = ask(small_model(with({}), 3), "abc", explained())[0];
  ASSERT_FALSE(answer.steps.empty());
  EXPECT_TRUE(answer.steps[0].saliency.empty());
  EXPECT_TRUE(answer.steps[0].self_looks.empty());
  EXPECT_TRUE(answer.steps[0].looks[0].query.empty());
  EXPECT_TRUE(answer.steps[0].looks[0].context.empty());
  EXPECT_TRUE(answer.encoder_maps.empty());
  EXPECT_TRUE(answer.tree.nodes.empty());
}

TEST(Explanation, QueriesAndContextsAreThoseOfTheStep) {
  AnswerOptions options = explained();
  options.search.explain.detail = true;
  const Answer answer = ask(small_model(with({}), 3), "abc", options)[0];
  for (const StepExplanation& step : answer.steps) {
    EXPECT_EQ(step.looks[0].query.size(), 13U) << "the decoder's state";
    double squares = 0;
    for (const float value : step.looks[0].context) squares += static_cast<double>(value) * static_cast<double>(value);
    EXPECT_NEAR(std::sqrt(squares), step.looks[0].context_norm, 1e-5);
  }
}

// Rows are distributions over what was there to be looked at, and the same beside a longer line.
TEST(Explanation, SelfAttentionOfEveryPart) {
  const auto maps_of = [](const std::vector<std::string>& settings, const std::vector<std::string>& mates) {
    const Model model = small_model(with(settings), 3);
    AnswerOptions options = explained();
    options.search.explain.self_attention = true;
    const Answer answer = ask(model, "abcd", options, mates)[0];
    const SourceText text = {"abcd"};
    return make_output(model.task(), text, model.task().encode_source("abcd"), std::vector{answer}).self_maps;
  };
  const std::vector<std::string> transformer = {"encoder.kind=transformer", "decoder.kind=transformer",
                                                "decoder.size=12",          "self_attention.heads=2",
                                                "encoder.layers=2",         "decoder.layers=3"};
  for (const auto& [settings, encoder, decoder] :
       std::vector<std::tuple<std::vector<std::string>, std::size_t, std::size_t>>{
           {transformer, 4, 6}, {{"encoder.kind=lstmn"}, 1, 0}, {{"encoder.kind=structured"}, 1, 0}, {{}, 0, 0}}) {
    const auto maps = maps_of(settings, {}), beside = maps_of(settings, {"abcdefghij"});
    ASSERT_EQ(maps.size(), encoder + decoder);
    ASSERT_EQ(beside.size(), maps.size());
    for (std::size_t m = 0; m < maps.size(); ++m) {
      EXPECT_EQ(maps[m].part, m < encoder ? "encoder" : "decoder");
      EXPECT_EQ(maps[m].source, 0);
      EXPECT_EQ(maps[m].layer, static_cast<int>(m < encoder ? m : m - encoder) / 2);
      EXPECT_EQ(maps[m].head, static_cast<int>(m) % 2);
      EXPECT_EQ(beside[m].weights, maps[m].weights);
      for (std::size_t q = 0; q < maps[m].weights.size(); ++q) {
        EXPECT_EQ(maps[m].weights[q].size(), m < encoder ? 5U : maps[m].weights.size());
        double sum = 0;
        for (std::size_t i = 0; i < maps[m].weights[q].size(); ++i) {
          if (m >= encoder && i > q) {
            EXPECT_EQ(maps[m].weights[q][i], 0) << "not written yet";
          }
          sum += static_cast<double>(maps[m].weights[q][i]);
        }
        const bool no_past = settings == std::vector<std::string>{"encoder.kind=lstmn"} && q == 0;
        EXPECT_NEAR(sum, no_past ? 0 : 1, 1e-5) << m << ", row " << q;
      }
    }
  }
}

// Every answer is a path of the tree from a first symbol to a stop symbol, with its probabilities.
TEST(Explanation, TheTreeHasEveryAnswer) {
  AnswerOptions options = explained(3);
  options.search.explain.tree = true;
  const auto answers = ask(small_model(with({}), 3), "abcdefg", options);
  const std::vector<TreeNode>& nodes = answers[0].tree.nodes;
  ASSERT_FALSE(nodes.empty());
  bool any_left = false;
  for (const TreeNode& node : nodes) {
    any_left = any_left || !node.kept;
    if (node.parent < 0) {
      EXPECT_EQ(node.step, 0);
      continue;
    }
    const TreeNode& before = nodes[as_size(node.parent)];
    EXPECT_LT(&before, &node);
    EXPECT_EQ(before.step + 1, node.step);
    EXPECT_TRUE(before.kept);
    EXPECT_NEAR(before.log_probability + std::log(node.probability), node.log_probability, 1e-5);
  }
  EXPECT_TRUE(any_left);
  for (const Answer& answer : answers) {
    int at = -1;
    for (std::size_t t = 0; t < answer.symbols.size(); ++t) {
      int next = -2;
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (nodes[i].parent == at && nodes[i].symbol == answer.symbols[t] && nodes[i].kept) next = static_cast<int>(i);
      }
      ASSERT_NE(next, -2) << "step " << t;
      at = next;
    }
  }
}

TEST(Explanation, SpecialSymbolsAreNoAlternatives) {
  AnswerOptions options = explained();
  options.search.alternatives = 100;
  const Model model = small_model(with({}), 0.1);  // all symbols are about as probable
  const Answer answer = ask(model, "abc", options)[0];
  for (const StepExplanation& step : answer.steps) {
    EXPECT_GT(step.alternatives.size(), 10U);
    for (const auto& [symbol, probability] : step.alternatives) {
      EXPECT_TRUE(symbol == Vocabulary::stop || symbol >= Vocabulary::first_symbol) << symbol;
    }
  }
}

// What a step's symbol has by copying: the weights of the positions that it stands at.
double copied(const Output& output, const OutputStep& step) {
  double sum = 0;
  for (std::size_t i = 0; i < output.source.size(); ++i) {
    if (output.source[i].text == step.token) sum += static_cast<double>(step.looks[0].weights[i]);
  }
  return sum;
}

// Vinyals 2015: p(w) = sum_{x_i = w} a_i, whatever the attention of the decoder looks at.
TEST(Explanation, WhatThePointerChoosesByIsTheFirstMap) {
  const Model model = small_model(with({"generator.kind=pointer", "attention.heads=2", "attention.size=12"}), 3);
  const std::string line = "abcdefg";
  const auto answers = ask(model, line, explained(2), {"abcdefghij", "b"});
  const Output output = make_output(model.task(), {line}, model.task().encode_source(line), answers);
  ASSERT_EQ(output.maps.size(), 3u);
  for (std::size_t map = 0; map < 3; ++map) {
    EXPECT_EQ(output.maps[map].pointing, map == 0);
    EXPECT_EQ(output.maps[map].head, map == 2 ? 1 : 0);
    EXPECT_EQ(output.maps[map].source, "source");
  }
  EXPECT_EQ(output.left_out.maps, 0u);
  for (const OutputStep& step : output.steps) {
    ASSERT_EQ(step.looks.size(), 3u);
    ASSERT_EQ(step.looks[0].weights.size(), line.size() + 1);
    ASSERT_EQ(step.looks[0].scores.size(), line.size() + 1);
    EXPECT_NEAR(copied(output, step), step.probability, 1e-5);
    EXPECT_EQ(step.copy_gate, 1);
    for (std::size_t i = 0; i + 1 < line.size(); ++i) {  // a = softmax of the scores
      const AttentionRow& look = step.looks[0];
      EXPECT_NEAR(std::log(static_cast<double>(look.weights[i]) / static_cast<double>(look.weights[i + 1])),
                  static_cast<double>(look.scores[i]) - static_cast<double>(look.scores[i + 1]), 1e-3);
    }
  }
  AnswerOptions few = explained();
  few.search.limits.maps = 1;
  const auto cut = ask(model, line, few);
  EXPECT_TRUE(cut[0].steps[0].looks[0].pointing) << "kept before all others";
  EXPECT_EQ(cut[0].maps, 3u);
}

// Merity 2016, with a sentinel that is never looked at: all that is written is copied from what was read before.
TEST(Explanation, APointerIntoThePastHasAMapOfIt) {
  for (const char* kind : {"decoder.kind=rnn", "decoder.kind=transformer"}) {
    SCOPED_TRACE(kind);
    Model model = small_model(with({"task=language_model", "columns=target", "decoder.style=plain",
                                    "decoder.bridge=zero", "generator.kind=sentinel", "decoder.size=12", kind}),
                              1);
    for (const Parameters::Entry& entry : model.parameters().entries()) {
      const auto values = model.parameters().values(entry);
      if (entry.name == "generator.sentinel.weight") std::ranges::fill(values, Real(-2000));
      if (entry.name == "generator.pointer.bias") std::ranges::fill(values, Real(1));
    }
    model.parameters().invalidate_packed();
    Reading begun = model.task().encode_source("");
    begun.prefix = model.task().encode_target("abcab");
    Workers workers(1);
    for (const int beam : {1, 3}) {
      const auto answers = Answering(model, workers).answer(std::vector<const Reading*>{&begun}, explained(beam))[0];
      const Output output = make_output(model.task(), {""}, begun, answers);
      ASSERT_EQ(output.maps.size(), 1u);
      EXPECT_TRUE(output.maps[0].pointing);
      EXPECT_EQ(output.maps[0].source, "past");
      ASSERT_EQ(output.source.size(), output.steps.size()) << "the last symbol is not read any more";
      EXPECT_EQ(output.source[0].text, "<s>");
      for (std::size_t t = 0; t < output.steps.size(); ++t) {
        const OutputStep& step = output.steps[t];
        if (t > 0) {
          EXPECT_EQ(output.source[t].text, output.steps[t - 1].token);
        }
        ASSERT_EQ(step.looks.size(), 1u);
        ASSERT_EQ(step.looks[0].weights.size(), output.source.size());
        ASSERT_EQ(step.looks[0].scores.size(), output.source.size());
        double sum = 0;
        for (std::size_t i = 0; i < output.source.size(); ++i) {
          if (i > t) {
            EXPECT_EQ(step.looks[0].weights[i], 0) << "not read yet";
          }
          sum += static_cast<double>(step.looks[0].weights[i]);
        }
        ASSERT_TRUE(step.copy_gate.has_value());
        EXPECT_NEAR(sum, *step.copy_gate, 1e-5);
        EXPECT_NEAR(sum, 1, 1e-5);
        EXPECT_NEAR(copied(output, step), step.probability, 1e-5) << t;
      }
    }
    AnswerOptions few = explained();
    few.search.limits.positions = 3;
    const Output cut = make_output(model.task(), {""}, begun,
                                   Answering(model, workers).answer(std::vector<const Reading*>{&begun}, few)[0]);
    EXPECT_EQ(cut.source.size(), 3u);
    EXPECT_EQ(cut.left_out.positions, cut.steps.size() - 3);
    for (const OutputStep& step : cut.steps) EXPECT_EQ(step.looks[0].weights.size(), 3u);
  }
}

TEST(Explanation, MapsToForceAreCountedBehindThePointers) {
  const Model model = small_model(with({"generator.kind=pointer"}), 3);
  AnswerOptions options = explained();
  const auto force = [&](int map) {
    options.search.explain.edits = edits_text({{0, map, {0, 0, 1, 0}}});
    return ask(model, "abc", options)[0].steps[0];
  };
  expect_in(problem([&] { force(0); }), "map 0 is where the generator points");
  expect_in(problem([&] { force(2); }), "map 2, but this model has 2");
  EXPECT_EQ(force(1).looks[1].weights, (std::vector<float>{0, 0, 1, 0}));
}

TEST(Explanation, WhatCannotBeForcedIsRefused) {
  const std::string one = R"([{"step": 0, "weights": [1, 0, 0, 0]}])";
  const auto refused = [&](const std::vector<std::string>& settings, const std::string& edits) {
    AnswerOptions options = explained();
    options.search.explain.edits = edits;
    const Model model = small_model(with(settings), 3);
    return problem([&] { ask(model, "abc", options); });
  };
  EXPECT_EQ(refused({}, one), "nothing");
  expect_in(refused({"decoder.style=plain"}, one), "no attention");
  expect_in(refused({"decoder.style=luong", "decoder.feeding=false", "attention.select=exact_hard"}, one),
            "exact_hard");
  expect_in(refused({"encoder.kind=pyramid", "encoder.layers=2"}, one), "pyramid");
  expect_in(refused({}, R"([{"step": 0, "map": 1, "weights": [1, 0, 0, 0]}])"), "map 1");
  expect_in(refused({}, R"([{"step": 0, "weights": [1, 0]}])"), "2 weights for a source of 4");
}

// A column of a pyramid is of as many positions as its layers make one of: what is read of it is read of each alike.
TEST(Explanation, WeightsOfAPyramidAreSpreadOverItsPositions) {
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{},
        {"attention.heads=2", "attention.size=12"},
        {"encoder.rationale=true"},
        {"decoder.style=luong", "decoder.feeding=false", "attention.select=exact_hard"}}) {
    for (const std::size_t layers : {1, 2, 3}) {
      std::vector<std::string> settings = {"encoder.kind=pyramid", fmt::format("encoder.layers={}", layers)};
      settings.insert(settings.end(), more.begin(), more.end());
      SCOPED_TRACE(fmt::format("{}", fmt::join(settings, " ")));
      const Model model = small_model(with(settings), 2);
      const std::size_t together = std::size_t(1) << (layers - 1);
      for (const std::string line : {"a", "abcdef", "abcdefg"}) {
        const auto answers = ask(model, line, explained(2), {"abcdefghij", "b"});
        const Output output = make_output(model.task(), {line}, model.task().encode_source(line), answers);
        ASSERT_EQ(output.source.size(), line.size() + 1);
        ASSERT_EQ(output.maps.size(), model.config().model.attention.heads);
        for (const OutputStep& step : output.steps) {
          for (const AttentionRow& look : step.looks) {
            ASSERT_EQ(look.weights.size(), output.source.size());
            double sum = 0;
            for (std::size_t i = 0; i < look.weights.size(); ++i) {
              sum += static_cast<double>(look.weights[i]);
              const std::size_t first = i / together * together;
              const bool read = output.source[i].read;
              if (!read || output.source[first].read) {
                EXPECT_EQ(look.weights[i], read ? look.weights[first] : 0);
              }
              EXPECT_EQ(look.scores[i], look.scores[first]);
            }
            EXPECT_NEAR(sum, 1, 1e-4);
          }
        }
      }
    }
  }
}

TEST(Explanation, ForcedWeightsAreMadeToSumToOne) {
  const Model model = small_model(with({}), 3), other = small_model(with({"attention.select=sigmoid"}), 3);
  const Model* models[] = {&model};
  const Model* others[] = {&other};
  const ExplainOptions options = {.edits = R"([{"step": 0, "weights": [1, 0, 3]}])"};
  EXPECT_EQ(check_explanation(options, models)[0].weights, (std::vector<float>{0.25f, 0, 0.75f}));
  EXPECT_EQ(check_explanation(options, others)[0].weights, (std::vector<float>{1, 0, 3})) << "its own need not, either";
}

TEST(Explanation, SeveralModelsHaveNoQueryInCommon) {
  const Model a = small_model(with({}), 3), b = small_model(with({}), 2);
  const Model* both[] = {&a, &b};
  for (const ExplainOptions& options :
       {ExplainOptions{.detail = true}, ExplainOptions{.saliency = true}, ExplainOptions{.self_attention = true},
        ExplainOptions{.edits = R"([{"step": 0, "weights": [1]}])"}}) {
    expect_in(problem([&] { check_explanation(options, both); }), "several models");
  }
  EXPECT_EQ(problem([&] { check_explanation({.tree = true}, both); }), "nothing");
}

}  // namespace
}  // namespace fovea::explanation_test
