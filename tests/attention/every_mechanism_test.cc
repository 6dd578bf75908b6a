// What every attention mechanism promises, whatever it is: this file names none. Each combination is asked by itself,
// about small random sources.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "base/as_size.h"
#include "attention/asked.h"
#include "attention/combinations.h"
#include "layers/first_values.h"

namespace fovea::every_mechanism_test {
namespace {

constexpr int steps = 3, longest = 6;

std::vector<AskedSource> three(const Asked& asked) {
  return {asked.source(1, 4, steps), asked.source(2, longest, steps), asked.source(3, 2, steps)};
}

bool all_zero(const Vector& values) {
  return std::ranges::all_of(values, [](Real value) { return value == 0; });
}
bool all_zero(const Vectors& rows) {
  return std::ranges::all_of(rows, [](const Vector& row) { return all_zero(row); });
}
bool all_finite(const Vector& values) {
  return std::ranges::all_of(values, [](Real value) { return std::isfinite(value); });
}

// The same answers to the bit, and gradients but for rounding.
void expect_same(const Seen& a, const Seen& b) {
  EXPECT_EQ(a.weights, b.weights);
  EXPECT_EQ(a.contexts, b.contexts);
  expect_close(a.query_gradient, b.query_gradient, "gradient of the queries");
  expect_close(a.memory_gradient, b.memory_gradient, "gradient of the memory");
}

// ---- gradients, exact in the double build alone: differences of floats see gross mistakes only, and see mistakes
// where a selection has a corner

void check_gradients(const Combination& c, const std::vector<AskedSource>& sources, const Asking& asking) {
  if (c.select().estimated) return;
  Asked asked(c.options);
  const Difference error = asked.gradient_error(sources, asking);
  EXPECT_LE(error.size, gradient_tolerance) << error.where;
}

TEST(EveryGradient, OfStepsInARow) {
  if (!is_double) GTEST_SKIP() << "needs FOVEA_DOUBLE";
  for_every_combination([](const Combination& c) {
    const Asked asked(c.options);
    check_gradients(c, {asked.source(1, 4, 2), asked.source(2, 2, 2)}, {.positions = 4});
  });
}

TEST(EveryGradient, OfAlternatives) {
  if (!is_double) GTEST_SKIP() << "needs FOVEA_DOUBLE";
  for_every_combination([](const Combination& c) {
    const Asked asked(c.options);
    if (asked.looks_back()) check_gradients(c, {asked.source(1, 3, 4)}, {.positions = 3, .at_once = 2});
  });
}

TEST(EveryGradient, OfAllStepsAtOnce) {
  if (!is_double) GTEST_SKIP() << "needs FOVEA_DOUBLE";
  for_every_combination([](const Combination& c) {
    const Asked asked(c.options);
    if (asked.looks_back()) return;
    const std::vector<AskedSource> sources = {asked.source(1, 4, 3), asked.source(2, 2, 3)};
    check_gradients(c, sources, {.positions = 4, .at_once = 3, .stride = 1});
    if (!c.score().mixes_keys) check_gradients(c, sources, {.positions = 4, .at_once = 3, .stride = 1, .causal = 0});
  });
}

// ---- what does not matter

TEST(EveryMechanism, PaddingChangesNothing) {
  for_every_combination([](const Combination& c) {
    Asked asked(c.options);
    const auto sources = three(asked);
    for (const bool training : {true, false}) {
      const auto tight = asked.ask(sources, {.positions = longest, .training = training});
      const Vector gradient = asked.weight_gradient();
      for (const int positions : {longest + 1, 17}) {
        for (const Real garbage : {Real(0), Real(50), Real(-1e4)}) {
          const auto padded = asked.ask(sources, {.positions = positions, .garbage = garbage, .training = training});
          expect_close(asked.weight_gradient(), gradient, "gradient of the weights");
          for (std::size_t b = 0; b < sources.size(); ++b) {
            SCOPED_TRACE(fmt::format("source {}, {} positions, pads {}", b, positions, garbage));
            expect_same(padded[b], tight[b]);
            EXPECT_TRUE(all_zero(padded[b].beyond));
            EXPECT_TRUE(all_zero(padded[b].pads_gradient));
          }
        }
      }
    }
  });
}

TEST(EveryMechanism, ABatchOfThreeIsThreeBatchesOfOne) {
  for_every_combination([](const Combination& c) {
    Asked asked(c.options);
    const auto sources = three(asked);
    for (const bool training : {true, false}) {
      const auto together = asked.ask(sources, {.positions = longest, .training = training});
      const Vector gradient = asked.weight_gradient();
      Vector sum(gradient.size(), Real(0));
      for (std::size_t b = 0; b < sources.size(); ++b) {
        SCOPED_TRACE(fmt::format("source {}", b));
        const int positions = static_cast<int>(sources[b].memory.size());
        expect_same(asked.ask({sources[b]}, {.positions = positions, .training = training})[0], together[b]);
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += asked.weight_gradient()[i];
      }
      expect_close(sum, gradient, "gradient of the weights");
    }
  });
}

// As the hypotheses of a search do.
TEST(EveryMechanism, AlternativesAreAnsweredAsIfAlone) {
  for_every_combination([](const Combination& c) {
    Asked asked(c.options);
    constexpr int alternatives = 3;
    const AskedSource source = asked.source(1, 5, steps * alternatives);
    for (const bool training : {true, false}) {
      const Seen together = asked.ask({source}, {.positions = 5, .at_once = alternatives, .training = training})[0];
      for (int a = 0; a < alternatives; ++a) {
        AskedSource one = {source.id, source.memory, {}, {}};
        for (int row = a; row < steps * alternatives; row += alternatives) {
          one.queries.push_back(source.queries[as_size(row)]);
          one.written.push_back(source.written[as_size(row)]);
        }
        const Seen alone = asked.ask({one}, {.positions = 5, .training = training})[0];
        const auto every = [&](const Vectors& all, int each) {  // of the lines of this alternative
          Vectors own;
          for (int s = 0; s < steps; ++s) {
            const auto first = all.begin() + (s * alternatives + a) * each;
            own.insert(own.end(), first, first + each);
          }
          return own;
        };
        EXPECT_EQ(alone.weights, every(together.weights, c.options.heads)) << "alternative " << a;
        EXPECT_EQ(alone.contexts, every(together.contexts, 1)) << "alternative " << a;
      }
    }
  });
}

TEST(EveryMechanism, StepByStepIsAllAtOnce) {
  for_every_combination([](const Combination& c) {
    Asked asked(c.options);
    if (asked.looks_back()) return;
    const auto sources = three(asked);
    for (const bool training : {true, false}) {
      const auto by_step = asked.ask(sources, {.positions = longest, .training = training});
      const Vector gradient = asked.weight_gradient();
      const auto at_once =
          asked.ask(sources, {.positions = longest, .at_once = steps, .stride = 1, .training = training});
      for (std::size_t b = 0; b < sources.size(); ++b) expect_same(at_once[b], by_step[b]);
      expect_close(asked.weight_gradient(), gradient, "gradient of the weights");
    }
  });
}

TEST(EveryMechanism, WhatACausalMaskHidesIsNotThere) {
  for_every_combination([](const Combination& c) {
    Asked asked(c.options);
    if (asked.looks_back()) return;
    const AskedSource source = asked.source(1, 5, 5);
    const Asking causal = {.positions = 5, .at_once = 5, .stride = 1, .causal = 0};
    if (c.score().mixes_keys) {
      EXPECT_THROW(asked.ask({source}, causal), Error);
      return;
    }
    const Seen seen = asked.ask({source}, causal)[0];
    for (int q = 0; q < 5; ++q) {
      AskedSource cut = source;
      cut.memory.resize(as_size(q + 1));
      const Seen alone = asked.ask({cut}, {.positions = q + 1, .at_once = 5, .stride = 1})[0];
      for (int h = 0; h < c.options.heads; ++h) {
        const auto row = as_size(q * c.options.heads + h);
        Vector weights = alone.weights[row];
        weights.resize(5, Real(0));
        EXPECT_EQ(seen.weights[row], weights) << "query " << q;
      }
      EXPECT_EQ(seen.contexts[as_size(q)], alone.contexts[as_size(q)]) << "query " << q;
    }
  });
}

// ---- what weights are

TEST(EveryMechanism, WeightsAreADistribution) {
  for_every_combination([](const Combination& c) {
    Asked asked(c.options);
    for (const bool training : {true, false}) {
      for (const Seen& seen : asked.ask(three(asked), {.positions = longest + 3, .training = training})) {
        for (const Vector& weights : seen.weights) {
          double sum = 0;
          for (const Real weight : weights) {
            EXPECT_TRUE(weight >= 0 || c.select().may_be_negative) << weight;
            sum += static_cast<double>(weight);
          }
          if (c.select().sums_to_one) {
            EXPECT_NEAR(sum, 1, 1e-6);
          }
        }
      }
    }
  });
}

TEST(EveryMechanism, NothingToSeeGivesZeros) {
  for_every_combination([](const Combination& c) {
    Asked asked(c.options);
    const bool speaks_of_nothing = c.read().ignores_values || c.options.heads > 1 || c.options.projections;  // a bias
    const auto others = three(asked);
    for (const bool training : {true, false}) {
      const auto before = asked.ask(others, {.positions = longest, .training = training});
      auto sources = others;
      sources.insert(sources.begin() + 1, asked.source(4, 0, steps));
      const auto seen = asked.ask(sources, {.positions = longest, .garbage = 3, .training = training});
      EXPECT_TRUE(all_zero(seen[1].beyond));
      EXPECT_TRUE(all_zero(seen[1].contexts) || speaks_of_nothing);
      EXPECT_TRUE(all_zero(seen[1].query_gradient));
      EXPECT_TRUE(all_zero(seen[1].pads_gradient));
      EXPECT_TRUE(all_finite(asked.weight_gradient()));
      for (const std::size_t b : {0u, 2u, 3u}) expect_same(seen[b], before[b > 1 ? b - 1 : b]);

      const auto blind =
          asked.ask({asked.source(5, 0, steps)}, {.positions = 4, .garbage = 3, .training = training})[0];
      EXPECT_TRUE(all_zero(blind.beyond));
      EXPECT_TRUE(all_zero(asked.weight_gradient()) || speaks_of_nothing);
    }
  });
}

TEST(EveryMechanism, SeesWhatItSaysItSees) {
  for_every_combination([](const Combination& c) {
    Asked asked(c.options);
    const AskedSource source = asked.source(1, 4, 8), other = asked.source(2, 4, 8);
    AskedSource elsewhere = source, other_query = source;
    elsewhere.memory = other.memory;
    other_query.queries = other.queries;
    const Seen seen = asked.ask({source}, {.positions = 4})[0];
    if (!c.read().ignores_values) {
      EXPECT_NE(asked.ask({elsewhere}, {.positions = 4})[0].contexts, seen.contexts);
    }
    if (c.select().ignores_scores) {
      EXPECT_EQ(asked.ask({elsewhere}, {.positions = 4})[0].weights, seen.weights);
    }
    const Seen asked_otherwise = asked.ask({other_query}, {.positions = 4})[0];
    if (c.select().ignores_scores) {
      EXPECT_EQ(asked_otherwise.weights, seen.weights);
    }
    if (!c.score().ignores_query) {
      EXPECT_NE(asked_otherwise.scores, seen.scores);
    }
    if (c.select().estimated) return;  // a draw may hide the query
    if (!c.score().ignores_query && !c.select().ignores_scores) {
      const auto matters = [&](int id) {  // a strong bias may hide one
        other_query.queries = asked.source(id, 4, 8).queries;
        return asked.ask({other_query}, {.positions = 4})[0].weights != seen.weights;
      };
      EXPECT_TRUE(matters(2) || matters(3) || matters(4));
    }
  });
}

// Of two questions the second is the same after another first one, unless something looks back.
TEST(EveryMechanism, RemembersWhatItSaysItRemembers) {
  for_every_combination([](const Combination& c) {
    Asked asked(c.options);
    const AskedSource source = asked.source(1, 4, 2);
    AskedSource other_first = source;
    other_first.queries[0] = asked.source(2, 4, 2).queries[0];
    const Asking asking = {.positions = 4};
    const Seen seen = asked.ask({source}, asking)[0], otherwise = asked.ask({other_first}, asking)[0];
    const auto second = [&](const Vectors& rows) { return Vectors(rows.begin() + c.options.heads, rows.end()); };
    if (!asked.looks_back()) {
      EXPECT_EQ(second(otherwise.scores), second(seen.scores));
      EXPECT_EQ(second(otherwise.weights), second(seen.weights));
      return;
    }
    if (seen.weights[0] == otherwise.weights[0]) return;  // the first look was the same: a draw, or no one asked
    const bool scores_look_back =
        c.score().looks_back || std::ranges::any_of(c.options.bias, [](const std::string& name) {
          return biases().find(name).traits.looks_back;
        });
    EXPECT_EQ(second(otherwise.scores) != second(seen.scores), scores_look_back);
    if (!scores_look_back) {  // then the selection does
      EXPECT_NE(second(otherwise.weights), second(seen.weights));
    }
  });
}

// A bias that says nothing would pass most of the above.
TEST(EveryMechanism, ABiasChangesTheScores) {
  for (const std::string& bias : biases().names()) {
    AttentionOptions options = small_attention(), without = options;
    options.bias = {bias};
    Asked asked(options), plain(without);
    const AskedSource source = asked.source(1, 4, 2);
    EXPECT_NE(asked.ask({source}, {.positions = 4})[0].scores, plain.ask({source}, {.positions = 4})[0].scores) << bias;
  }
}

// A score that has weights for each position has no more of them.
TEST(EveryMechanism, BiasesBeginAtZero) {
  for_every_combination([](const Combination& c) { expect_biases_begin_at_zero(Asked(c.options).parameters()); });
}

TEST(EveryMechanism, MorePositionsThanItKnowsAreAUsageError) {
  for (const std::string& score : scores().names()) {
    AttentionOptions options = small_attention(), larger = options;
    options.score = larger.score = score;
    options.positions = 3;
    Asked asked(options);
    const bool knows_them = asked.weight_count() != Asked(larger).weight_count();
    asked.ask({asked.source(1, 3, 1)}, {.positions = 3});
    try {
      asked.ask({asked.source(1, 4, 1)}, {.positions = 4});
      EXPECT_FALSE(knows_them) << score;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      EXPECT_NE(std::string(error.what()).find("attention.score = " + score), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("attention.positions"), std::string::npos) << error.what();
    }
  }
}

// ---- the lists

template <class Axis>
void check_entries(const Registry<Mechanism<Axis>>& list) {
  EXPECT_FALSE(list.empty());
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
}

TEST(Mechanisms, UnknownNameIsAUsageError) {
  using Options = AttentionOptions;
  for (std::string Options::* axis : {&Options::score, &Options::select, &Options::read}) {
    Parameters parameters;
    AttentionOptions options = small_attention();
    options.*axis = "no_such";
    try {
      Attention attention(parameters, "attention", options, {2, 2, 0});
      ADD_FAILURE() << "accepted";
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::usage);
      EXPECT_NE(std::string(e.what()).find("no_such"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace fovea::every_mechanism_test
