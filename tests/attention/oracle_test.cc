// Every mechanism against its formula, written down once more in oracles/: scores, weights and contexts of several
// steps, each with what the steps before did, of sources of unequal length beside each other.
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "attention/asked.h"
#include "attention/combinations.h"
#include "attention/oracles/attention.h"

namespace fovea::oracle_test {
namespace {

constexpr double as_the_formula = is_double ? 1e-9 : 1e-4;

void expect_formula(const oracle::Attention& attention, const AskedSource& source, const Seen& seen, bool training) {
  const auto plain = [](const Vectors& rows) {
    oracle::Rows all;
    for (const Vector& row : rows) all.emplace_back(row.begin(), row.end());
    return all;
  };
  const oracle::Rows memory = plain(source.memory), queries = plain(source.queries), written = plain(source.written);
  oracle::Asking asking;
  asking.sample = static_cast<std::uint64_t>(source.id);
  if (training) asking.random = Asked::random;
  for (std::size_t t = 0; t < queries.size(); ++t) {
    SCOPED_TRACE(fmt::format("source {}, step {}, {}", source.id, t, training ? "training" : "use"));
    asking.query = queries[t];
    asking.step = static_cast<int>(t);
    asking.written.push_back(written[t]);
    asking.stepped += source.stepped[t];
    const oracle::Attended wanted = attention.attend(memory, asking);
    const std::size_t heads = wanted.weights.size();
    for (std::size_t h = 0; h < heads; ++h) {
      expect_close(seen.scores[t * heads + h], wanted.scores[h], "scores", as_the_formula);
      expect_close(seen.weights[t * heads + h], wanted.weights[h], "weights", as_the_formula);
    }
    expect_close(seen.contexts[t], wanted.context, "context", as_the_formula);
    asking.before.push_back(wanted);
  }
}

void expect_formula(const AttentionOptions& options, int memory_size = 6) {
  Asked asked(options, memory_size);
  std::vector<AskedSource> sources = {asked.source(1, 4, 4), asked.source(2, 6, 4), asked.source(3, 2, 4)};
  sources[0].stepped = {0, 1, 0, 1};
  sources[1].stepped = {0, 1, 1, 1};
  sources[2].stepped = {0, 1, 1, 0};  // further than there are positions
  const oracle::Attention attention(asked.parameters(), "attention", options);
  for (const bool training : {true, false}) {
    const auto seen = asked.ask(sources, {.positions = 7, .garbage = 50, .training = training});
    for (std::size_t b = 0; b < sources.size(); ++b) expect_formula(attention, sources[b], seen[b], training);
  }
}

TEST(EveryFormula, IsThatOfItsOracle) {
  for_every_combination([](const Combination& c) { expect_formula(c.options); });
  for (const Combination& c : each_mechanism(small_attention())) {
    SCOPED_TRACE(c.name() + ", keys as large as queries");
    expect_formula(c.options, Asked::query_size);
  }
}

// What an option changes, beyond what the combinations have.
struct Change {
  std::string name;
  std::function<void(AttentionOptions&)> apply;
};
const std::vector<Change> option_changes = {
    {"relu", [](AttentionOptions& o) { o.score = "activated_general", o.activation = "relu"; }},
    {"sigmoid", [](AttentionOptions& o) { o.score = "activated_general", o.activation = "sigmoid"; }},
    {"normalized", [](AttentionOptions& o) { o.score = "additive", o.normalized = true; }},
    {"shallow", [](AttentionOptions& o) { o.score = "deep", o.depth = 1; }},
    {"deeper", [](AttentionOptions& o) { o.score = "deep", o.depth = 4; }},
    {"wide convolution", [](AttentionOptions& o) { o.score = "convolutional", o.reach = 2; }},
    {"pointwise convolution", [](AttentionOptions& o) { o.score = "convolutional", o.reach = 0; }},
    {"wide markov", [](AttentionOptions& o) { o.bias = {"markov"}, o.reach = 2; }},
    {"wide fertility", [](AttentionOptions& o) { o.bias = {"fertility"}, o.reach = 2; }},
    {"little fertility", [](AttentionOptions& o) { o.bias = {"coverage"}, o.fertility = 2; }},
    {"near relative", [](AttentionOptions& o) { o.bias = {"relative"}, o.window = 1; }},
    {"near local_m", [](AttentionOptions& o) { o.select = "local_m", o.window = 1; }},
    {"near local_p", [](AttentionOptions& o) { o.select = "local_p", o.window = 1; }},
    {"given temperature", [](AttentionOptions& o) { o.select = "temperature", o.temperature = 0.3; }},
    {"little noise", [](AttentionOptions& o) { o.select = "monotonic", o.noise = 0.2; }},
    {"never the mean", [](AttentionOptions& o) { o.select = "hard", o.soft_share = 0; }},
    {"always the mean", [](AttentionOptions& o) { o.select = "hard", o.soft_share = 1; }},
    {"all biases", [](AttentionOptions& o) { o.bias = biases().names(); }}};

// An option that nothing changes would have no oracle.
TEST(EveryFormula, HasEveryOption) {
  AttentionOptions usual = small_attention();
  const auto before = ConstFieldsRef(usual).visit().fields();
  std::set<std::string> all, changed = {"size", "positions", "offset"};  // lengths, and a first value
  for (const Field& field : before) all.insert(field.name);
  const auto look = [&](const AttentionOptions& options) {
    const auto fields = ConstFieldsRef(options).visit().fields();
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (value_text(fields[i]) != value_text(before[i])) changed.insert(fields[i].name);
    }
  };
  for_every_combination([&](const Combination& c) { look(c.options); });
  for (const Change& change : option_changes) {
    AttentionOptions options = small_attention();
    change.apply(options);
    look(options);
  }
  EXPECT_EQ(changed, all);
}

TEST(EveryFormula, KnowsItsOptions) {
  for (const Change& change : option_changes) {
    for (const int heads : {1, 2}) {
      SCOPED_TRACE(fmt::format("{}, heads {}", change.name, heads));
      AttentionOptions options = small_attention();
      options.heads = heads;
      change.apply(options);
      expect_formula(options);
    }
  }
}

template <class Axis, class Oracle>
void expect_same_names(const Registry<Mechanism<Axis>>& list, const oracle::Table<Oracle>& oracles) {
  const auto names = list.names();
  const std::set<std::string> listed(names.begin(), names.end());
  std::set<std::string> known;
  for (const auto& [name, oracle] : oracles) known.insert(name);
  EXPECT_EQ(known, listed) << "an entry without an oracle, or an oracle without an entry";
}

TEST(EveryFormula, HasAnOracle) {
  expect_same_names(scores(), oracle::scores());
  expect_same_names(biases(), oracle::biases());
  expect_same_names(selects(), oracle::selects());
  expect_same_names(reads(), oracle::reads());
}

}  // namespace
}  // namespace fovea::oracle_test
