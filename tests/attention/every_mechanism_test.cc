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
#include <utility>
#include <vector>

#include "attention/attention.h"
#include "layers/loss_check.h"
#include "tasks/answering.h"
#include "tasks/metrics.h"
#include "training/gradient.h"
#include "training/optimizer.h"

namespace fovea {
namespace {

constexpr int query_size = 3, memory_size = 5, steps = 3;

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
      Combination c = {{.size = 16}};
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

// ---- one attention, asked step by step

using Vector = std::vector<Real>;

// A row of the batch: its memory, and the queries of each step.
struct Source {
  std::vector<Vector> memory;               // [positions][memory_size]
  std::vector<std::vector<Vector>> queries;  // [steps][queries][query_size]
};

Source make_source(const std::string& name, int positions, int queries = 2) {
  Source source;
  for (int i = 0; i < positions; ++i) source.memory.push_back(random_values(memory_size, fmt::format("{}m{}", name, i)));
  for (int s = 0; s < steps; ++s) {
    auto& step = source.queries.emplace_back();
    for (int q = 0; q < queries; ++q) step.push_back(random_values(query_size, fmt::format("{}q{}.{}", name, s, q), 2));
  }
  return source;
}

// What became of a source, at each step and for each query.
struct Seen {
  std::vector<Vector> weights;   // of its real positions
  std::vector<Vector> contexts;
  std::vector<Vector> beyond;    // weights of the pads
  Vector query_gradients, memory_gradients;
  bool operator==(const Seen& other) const { return weights == other.weights && contexts == other.contexts; }
};

class Asked {
 public:
  explicit Asked(const Combination& c) : attention_(parameters_, "attention", c.options, query_size, memory_size) {
    parameters_.allocate();
    std::ranges::copy(random_values(static_cast<int>(parameters_.count()), "weights"), parameters_.values().begin());
    gradient_.assign(static_cast<std::size_t>(parameters_.count()), Real(0));
  }

  // `positions` at least as many as the longest source has; what is beyond a source's own is filled with garbage.
  std::vector<Seen> ask(const std::vector<Source>& sources, int positions, Real garbage = 0) {
    lay_out(sources, positions, garbage);
    EXPECT_TRUE(std::isfinite(run(true))) << "pads " << garbage;
    std::vector<Seen> all(sources.size());
    for (int b = 0; b < batch_; ++b) look(sources[b], b, all[b]);
    return all;
  }

  // Of weights, queries and memory.
  Difference gradient_error(const std::vector<Source>& sources, int positions) {
    lay_out(sources, positions, 0);
    run(true);
    const Vector weights = gradient_, queries = dqueries_, memory = dmemory_;  // run() clears its own
    std::vector<Numbers> all = numbers_of(parameters_, weights);
    all.push_back({"queries", queries_, queries});
    all.push_back({"memory", memory_, memory});
    return largest_loss_gradient_error(all, [&] { return run(false); });
  }

  std::span<const Real> weight_gradient() const { return gradient_; }

 private:
  std::size_t at(int a, int b, int c, int size) const { return static_cast<std::size_t>((a * b + c) * size); }

  void lay_out(const std::vector<Source>& sources, int positions, Real garbage) {
    batch_ = static_cast<int>(sources.size());
    positions_ = positions;
    query_count_ = static_cast<int>(sources[0].queries[0].size());
    memory_.assign(at(positions, batch_, 0, memory_size), garbage);
    real_.assign(at(positions, batch_, 0, 1), 0);
    queries_.assign(at(steps * query_count_, batch_, 0, query_size), 0);
    for (int b = 0; b < batch_; ++b) {
      for (int i = 0; i < std::ssize(sources[b].memory); ++i) {
        std::ranges::copy(sources[b].memory[i], memory_.begin() + static_cast<std::ptrdiff_t>(at(i, batch_, b, memory_size)));
        real_[at(i, batch_, b, 1)] = 1;
      }
      for (int row = 0; row < steps * query_count_; ++row) {
        std::ranges::copy(sources[b].queries[row / query_count_][row % query_count_],
                          queries_.begin() + static_cast<std::ptrdiff_t>(at(row, batch_, b, query_size)));
      }
    }
  }

  // The probed sum of all weights and contexts.
  double run(bool with_gradient) {
    parameters_.invalidate_packed();
    std::ranges::fill(gradient_, Real(0));
    dqueries_.assign(queries_.size(), 0);
    dmemory_.assign(memory_.size(), 0);
    const TrainingPass training = {gradient_, Random(1, Purpose::dropout), {}, 0, 0};
    Pass pass(parameters_, arena_, training);
    const Memory memory = {pass.tape().borrow({positions_, batch_, memory_size}, memory_.data(), dmemory_.data()),
                           {real_.data(), positions_, batch_}};
    const Tensor queries =
        pass.tape().borrow({steps, query_count_ * batch_, query_size}, queries_.data(), dqueries_.data());
    const Attention::Prepared prepared = attention_.prepare(pass, memory);
    History history;
    std::vector<Tensor> outputs;
    std::vector<Vector> probes;
    for (int s = 0; s < steps; ++s) {
      const Attention::Attended attended =
          attention_.attend(pass, as_shape(step(queries, s), {query_count_, batch_, query_size}), prepared, history);
      history = attended.history;
      for (const Tensor output : {attended.weights, attended.context}) {
        outputs.push_back(output);
        probes.push_back(random_values(output.shape().count(), fmt::format("probe{}", outputs.size())));
      }
    }
    outputs_.clear();
    for (const Tensor output : outputs) outputs_.emplace_back(output.values().begin(), output.values().end());
    double loss = 0;
    const Tensor sum = gradient_check::probed_sum(outputs, probes, loss);
    if (with_gradient) pass.tape().backward(sum);
    return loss;
  }

  void look(const Source& source, int b, Seen& seen) const {
    for (int s = 0; s < steps; ++s) {
      const Vector& weights = outputs_[static_cast<std::size_t>(2 * s)];
      const Vector& contexts = outputs_[static_cast<std::size_t>(2 * s + 1)];
      const std::size_t size = contexts.size() / static_cast<std::size_t>(query_count_ * batch_);
      for (int q = 0; q < query_count_; ++q) {
        const auto row = weights.begin() + static_cast<std::ptrdiff_t>(at(q, batch_, b, positions_));
        seen.weights.emplace_back(row, row + std::ssize(source.memory));
        seen.beyond.emplace_back(row + std::ssize(source.memory), row + positions_);
        const auto context = contexts.begin() + static_cast<std::ptrdiff_t>(at(q, batch_, b, static_cast<int>(size)));
        seen.contexts.emplace_back(context, context + static_cast<std::ptrdiff_t>(size));
      }
    }
    const auto append = [&](const Vector& from, std::size_t start, int size, Vector& to) {
      const auto first = from.begin() + static_cast<std::ptrdiff_t>(start);
      to.insert(to.end(), first, first + size);
    };
    for (int row = 0; row < steps * query_count_; ++row) {
      append(dqueries_, at(row, batch_, b, query_size), query_size, seen.query_gradients);
    }
    for (int i = 0; i < positions_; ++i) append(dmemory_, at(i, batch_, b, memory_size), memory_size, seen.memory_gradients);
  }

  Parameters parameters_;
  Attention attention_;
  Arena arena_;
  int batch_ = 0, positions_ = 0, query_count_ = 0;
  Vector memory_, queries_, dmemory_, dqueries_, gradient_;
  std::vector<std::uint8_t> real_;
  std::vector<Vector> outputs_;  // weights and context of each step
};

std::vector<Source> three() { return {make_source("a", 4), make_source("b", 7), make_source("c", 2)}; }

bool all_zero(std::span<const Real> values) {
  return std::ranges::all_of(values, [](Real value) { return value == 0; });
}
bool all_zero(const std::vector<Vector>& rows) {
  return std::ranges::all_of(rows, [](const Vector& row) { return all_zero(std::span(row)); });
}

class EveryMechanism : public testing::TestWithParam<Combination> {};

TEST_P(EveryMechanism, GradientIsThatOfDifferences) {
  Asked asked(GetParam());
  const Difference error = asked.gradient_error(three(), 7);
  EXPECT_LE(error.size, gradient_tolerance) << error.where;
}

TEST_P(EveryMechanism, PaddingChangesNothing) {
  Asked asked(GetParam());
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
  Asked asked(GetParam());
  const auto sources = three();
  const auto seen = asked.ask(sources, 12, 50);
  for (std::size_t b = 0; b < sources.size(); ++b) {
    const std::size_t own = sources[b].memory.size() * memory_size;
    EXPECT_FALSE(all_zero(std::span(seen[b].memory_gradients).first(own))) << "source " << b;
    EXPECT_TRUE(all_zero(std::span(seen[b].memory_gradients).subspan(own))) << "source " << b;
  }
}

TEST_P(EveryMechanism, WeightsAreADistribution) {
  Asked asked(GetParam());
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
  Asked asked(GetParam());
  const auto sources = three();
  const auto together = asked.ask(sources, 7);
  for (std::size_t b = 0; b < sources.size(); ++b) {
    const auto alone = asked.ask({sources[b]}, static_cast<int>(sources[b].memory.size()));
    EXPECT_EQ(alone[0], together[b]) << "source " << b;
  }
}

TEST_P(EveryMechanism, QueriesAskedTogetherAreAnsweredAsIfAskedAlone) {
  Asked asked(GetParam());
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
  Asked asked(GetParam());
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
  Asked asked(GetParam());
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

std::vector<std::vector<Answer>> answers(const Model& model, const std::vector<Example>& examples, AnswerOptions options) {
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
  for (const Example& e : examples) encoded.push_back({model.task().encode_source(e.source), model.task().encode_target(e.target)});
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
  for (std::size_t i = 0; i < unseen.size(); ++i) metrics.add(unseen[i].target, model.task().target_text(found[i][0].symbols));
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
  for (std::string AttentionOptions::* axis : {&AttentionOptions::score, &AttentionOptions::select, &AttentionOptions::read}) {
    Parameters parameters;
    AttentionOptions options = {.size = 2};
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
