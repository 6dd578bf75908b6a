// What every attention mechanism promises, whatever it is: this file names none. The lists are crossed; a bias is added
// to each combination in turn.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "attention/asked.h"
#include "tasks/answering.h"
#include "tasks/metrics.h"
#include "training/gradient.h"
#include "training/optimizer.h"

namespace fovea {
namespace {

// ---- the combinations

struct Combination {
  AttentionOptions options;

  std::string name() const {
    std::string joined = options.score;
    for (const std::string& bias : options.bias) joined += "_" + bias;
    return joined + "_" + options.select + "_" + options.read;
  }
  friend std::ostream& operator<<(std::ostream& out, const Combination& c) { return out << c.name(); }
};

std::vector<std::vector<std::string>> bias_lists() {
  std::vector<std::vector<std::string>> lists = {{}};
  for (const std::string& bias : mechanism_names(biases())) lists.push_back({bias});
  return lists;
}

std::vector<Combination> all_combinations() {
  std::vector<Combination> all;
  for (const std::string& score : mechanism_names(scores())) {
    for (const std::string& select : mechanism_names(selects())) {
      for (const std::string& read : mechanism_names(reads())) {
        for (const auto& bias : bias_lists()) {
          all.push_back({{.score = score, .bias = bias, .select = select, .read = read, .size = 4}});
        }
      }
    }
  }
  return all;
}

// Every mechanism once, in otherwise ordinary company: for what takes seconds.
std::vector<Combination> each_in_turn() {
  std::map<std::string, Combination> found;
  const auto add = [&](const auto& list, auto change) {
    for (const std::string& name : mechanism_names(list)) {
      Combination c = {{.bias = {}, .size = 16}};
      change(c.options, name);
      found[c.name()] = c;
    }
  };
  add(scores(), [](AttentionOptions& options, const std::string& name) { options.score = name; });
  add(biases(), [](AttentionOptions& options, const std::string& name) { options.bias = {name}; });
  add(selects(), [](AttentionOptions& options, const std::string& name) { options.select = name; });
  add(reads(), [](AttentionOptions& options, const std::string& name) { options.read = name; });
  std::vector<Combination> all;
  for (const auto& [name, c] : found) all.push_back(c);
  return all;
}

// ---- asked by itself

std::vector<Source> three() { return {make_source("a", 4), make_source("b", 7), make_source("c", 2)}; }

bool all_zero(std::span<const Real> values) {
  return std::ranges::all_of(values, [](Real value) { return value == 0; });
}
bool all_zero(const std::vector<Vector>& rows) {
  return std::ranges::all_of(rows, [](const Vector& row) { return all_zero(std::span(row)); });
}

constexpr int memory_size = Asked::memory_size, steps = Asked::steps;

class EveryMechanism : public testing::TestWithParam<Combination> {};

TEST_P(EveryMechanism, GradientIsThatOfDifferences) {
  Asked asked(GetParam().options);
  const Difference error = asked.gradient_error(three(), 7);
  EXPECT_LE(error.size, gradient_tolerance) << error.where;
}

TEST_P(EveryMechanism, PaddingChangesNothing) {
  Asked asked(GetParam().options);
  const auto sources = three();
  const auto tight = asked.ask(sources, 7);
  for (const int positions : {8, 16, 23, 40}) {
    for (const Real garbage : {Real(0), Real(1e30), Real(-1e30), std::numeric_limits<Real>::infinity(),
                               std::numeric_limits<Real>::quiet_NaN()}) {
      const auto padded = asked.ask(sources, positions, garbage);
      for (std::size_t b = 0; b < sources.size(); ++b) {
        EXPECT_EQ(padded[b], tight[b]) << "source " << b << ", " << positions << " positions, pads " << garbage;
        EXPECT_TRUE(all_zero(padded[b].beyond)) << "source " << b << ", pads " << garbage;
      }
    }
  }
}

TEST_P(EveryMechanism, PadsPassNothingBack) {
  Asked asked(GetParam().options);
  const auto sources = three();
  const auto seen = asked.ask(sources, 12, 50);
  for (std::size_t b = 0; b < sources.size(); ++b) {
    const std::size_t own = sources[b].memory.size() * memory_size;
    EXPECT_FALSE(all_zero(std::span(seen[b].memory_gradients).first(own))) << "source " << b;
    EXPECT_TRUE(all_zero(std::span(seen[b].memory_gradients).subspan(own))) << "source " << b;
  }
}

TEST_P(EveryMechanism, WeightsAreADistribution) {
  Asked asked(GetParam().options);
  for (const Seen& seen : asked.ask(three(), 9)) {
    for (const Vector& weights : seen.weights) {
      double sum = 0;
      for (const Real weight : weights) {
        EXPECT_GE(weight, 0);
        sum += static_cast<double>(weight);
      }
      EXPECT_NEAR(sum, 1, 1e-6);
    }
  }
}

TEST_P(EveryMechanism, ABatchOfThreeIsThreeBatchesOfOne) {
  Asked asked(GetParam().options);
  const auto sources = three();
  const auto together = asked.ask(sources, 7);
  for (std::size_t b = 0; b < sources.size(); ++b) {
    const auto alone = asked.ask({sources[b]}, static_cast<int>(sources[b].memory.size()));
    EXPECT_EQ(alone[0], together[b]) << "source " << b;
  }
}

TEST_P(EveryMechanism, QueriesAskedTogetherAreAnsweredAsIfAskedAlone) {
  Asked asked(GetParam().options);
  constexpr int queries = 5;
  const Source source = make_source("several", 6, queries);
  const Seen together = asked.ask({source}, 6)[0];
  for (int q = 0; q < queries; ++q) {
    Source one = source;
    for (auto& step : one.queries) step = {step[static_cast<std::size_t>(q)]};
    const Seen alone = asked.ask({one}, 6)[0];
    for (int s = 0; s < steps; ++s) {
      const auto row = static_cast<std::size_t>(s * queries + q), own = static_cast<std::size_t>(s);
      EXPECT_EQ(alone.weights[own], together.weights[row]) << "query " << q << ", step " << s;
      EXPECT_EQ(alone.contexts[own], together.contexts[row]) << "query " << q << ", step " << s;
    }
  }
}

TEST_P(EveryMechanism, NothingToSeeGivesZeros) {
  Asked asked(GetParam().options);
  const auto others = three();
  const auto before = asked.ask(others, 7);
  auto sources = others;
  sources.insert(sources.begin() + 1, make_source("nothing", 0));
  const auto seen = asked.ask(sources, 7, 3);
  EXPECT_TRUE(all_zero(seen[1].beyond));
  EXPECT_TRUE(all_zero(seen[1].contexts));
  EXPECT_TRUE(all_zero(std::span(seen[1].query_gradients)));
  EXPECT_TRUE(all_zero(std::span(seen[1].memory_gradients)));
  EXPECT_TRUE(std::ranges::all_of(asked.weight_gradient(), [](Real g) { return std::isfinite(g); }));
  for (const std::size_t b : {0u, 2u, 3u}) EXPECT_EQ(seen[b], before[b > 1 ? b - 1 : b]) << "source " << b;

  const auto all_blind = asked.ask({make_source("x", 0), make_source("y", 0)}, 4, 3);
  for (const Seen& blind : all_blind) EXPECT_TRUE(all_zero(blind.beyond) && all_zero(blind.contexts));
  EXPECT_TRUE(all_zero(asked.weight_gradient()));
}

TEST_P(EveryMechanism, AnotherMemoryChangesTheContext) {
  Asked asked(GetParam().options);
  const Seen seen = asked.ask({make_source("a", 4)}, 4)[0];
  Source other_memory = make_source("a", 4);
  other_memory.memory = make_source("z", 4).memory;
  EXPECT_NE(asked.ask({other_memory}, 4)[0].contexts, seen.contexts);
}

// ---- in a model

Config small_model(const Combination& c) {
  Config config;
  config.model.attention = c.options;
  config.model.encoder.size = config.model.encoder.embedding = 16;
  config.model.encoder.cell = config.model.decoder.cell = "gru";
  config.model.decoder.size = config.model.decoder.embedding = 16;
  config.model.decoder.bridge = "zero";  // all that is known of the source comes through the attention
  config.model.output.size = 16;
  return config;
}

std::vector<Example> copies(int count, std::uint64_t seed) {
  std::vector<Example> examples;
  for (int i = 0; i < count; ++i) {
    const Random random = Random(seed, Purpose::data).at(static_cast<std::uint64_t>(i));
    std::string text;
    for (std::uint64_t j = 0; j < 1 + random.below(5, 0); ++j) text += static_cast<char>('a' + random.below(6, j + 1));
    examples.push_back({text, text, "", i + 1});
  }
  return examples;
}

std::vector<std::vector<Answer>> answers(const Model& model, const std::vector<Example>& examples,
                                         const AnswerOptions& options) {
  Workers workers(1);
  std::vector<Symbols> encoded;
  for (const Example& example : examples) encoded.push_back(model.task().encode_source(example.source));
  std::vector<const Symbols*> sources;
  for (const Symbols& symbols : encoded) sources.push_back(&symbols);
  return Answering(model, workers).answer(sources, options);
}

TEST_P(EveryMechanism, SavedAndLoadedItAnswersTheSame) {
  const Config config = small_model(GetParam());
  const auto examples = copies(20, 1);
  Model model(config, Transduce(config, examples));
  // Away from the small start, and as the file stores them: in single precision.
  for (Real& value : model.parameters().values()) value = static_cast<Real>(static_cast<float>(value * 4));
  model.parameters().invalidate_packed();
  const std::string bytes = encode_safetensors({model.metadata(), model.arrays()});
  const auto loaded = Model::decode(decode_safetensors(bytes, "model"), "model");
  const AnswerOptions options = {.beam = 3, .nbest = 3, .alternatives = 3};
  const auto before = answers(model, examples, options), after = answers(*loaded, examples, options);
  for (std::size_t i = 0; i < examples.size(); ++i) {
    ASSERT_EQ(before[i].size(), after[i].size());
    for (std::size_t n = 0; n < before[i].size(); ++n) {
      EXPECT_EQ(before[i][n].symbols, after[i][n].symbols);
      EXPECT_EQ(before[i][n].score, after[i][n].score);
      for (std::size_t s = 0; s < before[i][n].steps.size(); ++s) {
        EXPECT_EQ(before[i][n].steps[s].looks[0].weights, after[i][n].steps[s].looks[0].weights);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryMechanism, testing::ValuesIn(all_combinations()),
                         [](const auto& info) { return info.param.name(); });

class EachMechanism : public testing::TestWithParam<Combination> {};

TEST_P(EachMechanism, LearnsToCopyFiveSymbols) {
  const Config config = small_model(GetParam());
  const auto examples = copies(400, 1), unseen = copies(100, 2);
  Model model(config, Transduce(config, examples));
  std::vector<Encoding> encoded;
  for (const Example& example : examples) {
    const Symbols symbols = model.task().encode_source(example.source);
    encoded.push_back({symbols, model.task().encode_target(example.target)});
  }
  Workers workers(1);
  GradientWorker worker(model, encoded, workers);
  Optimizer optimizer("adam", 0, static_cast<std::size_t>(model.parameters().count()));
  constexpr std::uint32_t rows = 20;
  for (std::int64_t update = 1; update <= 600; ++update) {
    std::vector<std::uint32_t> batch;
    for (std::uint32_t i = 0; i < rows; ++i) batch.push_back(static_cast<std::uint32_t>((update * rows + i) % 400));
    const Random random = Random(1, Purpose::dropout).at(static_cast<std::uint64_t>(update));
    const GradientResult result = worker.compute({.examples = batch, .random = random, .shards = 1});
    optimizer.apply({update, 0.01, result.norm > 1 ? 1 / result.norm : 1.0}, 0, worker.gradient(),
                    model.parameters().values());
    model.parameters().invalidate_packed();
  }
  Metrics metrics;
  const auto found = answers(model, unseen, {});
  for (std::size_t i = 0; i < unseen.size(); ++i) {
    metrics.add(unseen[i].target, model.task().target_text(found[i][0].symbols));
  }
  EXPECT_GE(metrics.exact(), 0.9);
}

INSTANTIATE_TEST_SUITE_P(Once, EachMechanism, testing::ValuesIn(each_in_turn()),
                         [](const auto& info) { return info.param.name(); });

// ---- the lists

template <class Axis>
void check_entries(std::span<const Mechanism<Axis>* const> list) {
  std::set<std::string_view> names;
  for (const Mechanism<Axis>* entry : list) {
    EXPECT_TRUE(names.insert(entry->name).second) << entry->name << " stands there twice";
    EXPECT_FALSE(entry->name.empty());
    EXPECT_TRUE(std::ranges::all_of(entry->name, [](char c) { return c == '_' || std::islower(c) || std::isdigit(c); }))
        << entry->name;
    EXPECT_FALSE(entry->formula.empty()) << entry->name;
    EXPECT_FALSE(entry->paper.empty()) << entry->name;
    EXPECT_NE(entry->make, nullptr) << entry->name;
  }
}

TEST(Mechanisms, EveryEntryIsComplete) {
  check_entries(scores());
  check_entries(biases());
  check_entries(selects());
  check_entries(reads());
  EXPECT_FALSE(scores().empty() || selects().empty() || reads().empty());
}

TEST(Mechanisms, UnknownNameIsAUsageError) {
  using Options = AttentionOptions;
  for (std::string Options::* axis : {&Options::score, &Options::select, &Options::read}) {
    Parameters parameters;
    AttentionOptions options = {.bias = {}, .size = 2};
    options.*axis = "no_such";
    try {
      Attention attention(parameters, "attention", options, 2, 2);
      ADD_FAILURE() << "accepted";
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::usage);
      EXPECT_NE(std::string(e.what()).find("no_such"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace fovea
