// Draws: as often as they are probable, and the same whatever shares the batch.
#include "decoding/sampling.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "base/as_size.h"
#include "decoding/table_model.h"

namespace fovea::sampling_test {
namespace {

// Pearson's sum has the mean f and the variance 2 f, f the number of kinds less one; rare kinds are given some room.
void expect_fits(const std::map<Path, int>& counts, const std::map<Path, double>& probabilities) {
  int draws = 0;
  double sum = 0;
  for (const auto& [path, count] : counts) {
    EXPECT_TRUE(probabilities.contains(path)) << "drew what cannot be";
    draws += count;
  }
  for (const auto& [path, probability] : probabilities) {
    const auto found = counts.find(path);
    const double wanted = probability * draws, had = found == counts.end() ? 0 : found->second;
    sum += (had - wanted) * (had - wanted) / wanted;
  }
  const double freedom = static_cast<double>(probabilities.size()) - 1;
  EXPECT_LT(sum, freedom + 5 * std::sqrt(2 * freedom) + 12) << draws << " draws";
}

TEST(Sampling, DrawsAsOftenAsProbable) {
  const std::vector<double> p = {0.4, 0.3, 0.15, 0.1, 0.05};
  std::vector<Real> log_p;
  for (const double x : p) log_p.push_back(static_cast<Real>(std::log(x)));
  for (const double temperature : {0.5, 1.0, 3.0}) {
    const Sampling sampling(temperature, 11, {1});
    std::map<Path, int> counts;
    for (int i = 0; i < 20000; ++i) ++counts[{sampling.draw(log_p, i / 200, i / 10 % 20, i % 10).value()}];
    std::map<Path, double> wanted;
    for (const int i : {0, 2, 3, 4}) wanted[{i}] = std::pow(p[i], 1 / temperature);
    double sum = 0;
    for (const auto& [path, share] : wanted) sum += share;
    for (auto& [path, share] : wanted) share /= sum;
    expect_fits(counts, wanted);
  }
}

// The promise that makes a draw the same everywhere.
TEST(Sampling, ItsRandomNumberIsAFunctionOfSeedSampleHypothesisAndStep) {
  const std::vector<Real> even(1000, static_cast<Real>(-std::log(1000.0)));
  for (const std::uint64_t seed : {1, 2}) {
    const Sampling sampling(1, seed, {});
    for (const std::uint64_t sample : {0, 7}) {
      for (const std::uint64_t hypothesis : {0, 3}) {
        for (const std::uint64_t step : {0, 5}) {
          const double u = Random(seed, Purpose::sampling).at(sample).at(hypothesis).uniform(step);
          EXPECT_EQ(sampling.draw(even, static_cast<std::int64_t>(sample), static_cast<int>(hypothesis),
                                  static_cast<int>(step)),
                    static_cast<std::int32_t>(1000 * u));
        }
      }
    }
  }
}

TEST(Sampling, WhatCannotBeWrittenIsNotDrawn) {
  const Real out = static_cast<Real>(std::log(1e-30));
  const std::vector<Real> only = {
      out, Real(-40), out, std::numeric_limits<Real>::quiet_NaN(), -std::numeric_limits<Real>::infinity(), 0};
  const Sampling hot(1000, 3, {5});
  for (int i = 0; i < 100; ++i) EXPECT_EQ(hot.draw(only, i, 0, 0), 1);
  EXPECT_EQ(hot.draw(std::vector<Real>(6, out), 0, 0, 0), std::nullopt);
  EXPECT_EQ(Sampling(1e-9, 3, {5}).draw(only, 0, 0, 0), 1) << "the forbidden one must not swallow the others";
}

TableSearch drawing(int beam, double temperature, std::uint64_t seed = 1) {
  TableSearch o = options(beam, beam);
  o.sample = temperature;
  o.seed = static_cast<std::int64_t>(seed);
  return o;
}

std::vector<std::int64_t> lines(int count, std::int64_t first = 0) {
  std::vector<std::int64_t> out(as_size(count));
  std::iota(out.begin(), out.end(), first);
  return out;
}

std::vector<Path> paths(const std::vector<Answer>& answers) {
  std::vector<Path> out;
  for (const Answer& answer : answers) out.push_back(answer.symbols);
  return out;
}

TEST(Sampling, WholeAnswersAreAsOftenAsProbable) {
  const Table table = [](int, const Path& written) { return random_table(8)(0, written); };
  constexpr double temperature = 1.5;
  std::map<Path, double> wanted;
  const std::function<void(const Path&, double)> extend = [&](const Path& written, double probability) {
    const Row row = table(0, written);
    double sum = 0;
    for (int symbol = 0; symbol < start; ++symbol) sum += std::exp(row[symbol] / temperature);
    for (std::int32_t symbol = 0; symbol < start; ++symbol) {
      const double now = probability * std::exp(row[symbol] / temperature) / sum;
      Path next = written;
      if (symbol != stop && written.size() < 2) next.push_back(symbol);
      if (symbol == stop || written.size() == 2) {
        wanted[next] += now;
      } else {
        extend(next, now);
      }
    }
  };
  extend({}, 1);
  std::map<Path, int> counts;
  for (const auto& answers : find(table, drawing(50, temperature), std::vector<int>(200, 3), {}, {}, lines(200))) {
    EXPECT_EQ(answers.size(), 50u);
    for (const Path& path : paths(answers)) ++counts[path];
  }
  expect_fits(counts, wanted);
}

TEST(Sampling, ScoresAreTheModelsAndSorted) {
  const Table table = random_table(9);
  const std::vector<int> max_steps = {6, 2, 4, 6, 1};
  const auto found = find(table, drawing(8, 2), max_steps, {}, {}, lines(5));
  for (int source = 0; source < 5; ++source) {
    ASSERT_EQ(found[source].size(), 8u);
    EXPECT_TRUE(std::ranges::is_sorted(found[source], std::greater(),
                                       [](const Answer& a) { return std::pair(a.finished, a.score); }));
    for (const Answer& answer : found[source]) {
      EXPECT_DOUBLE_EQ(answer.score, score_of(table, source, answer, 1));
      EXPECT_TRUE(answer.finished || std::ssize(answer.symbols) == max_steps[source] - 1);
    }
  }
  TableSearch best = drawing(8, 2);
  best.nbest = 3;
  const auto fewer = find(table, best, max_steps, {}, {}, lines(5));
  for (int source = 0; source < 5; ++source) {
    auto wanted = paths(found[source]);
    wanted.resize(3);
    EXPECT_EQ(paths(fewer[source]), wanted);
  }
}

TEST(Sampling, ColdItIsGreedy) {
  const Table apart = [](int source, const Path& written) {  // no two closer than a half
    const auto turn = random_at(10, source, written).below(symbols, 0);
    Row logits(symbols);
    for (int i = 0; i < symbols; ++i) logits[i] = 0.5 * ((i + static_cast<int>(turn)) % symbols);
    return normalise(logits);
  };
  const std::vector<int> max_steps(20, 6);
  const auto greedy = find(apart, options(1, 1), max_steps);
  const auto cold = find(apart, drawing(3, 0.01), max_steps, {}, {}, lines(20));
  for (int source = 0; source < 20; ++source) {
    ASSERT_EQ(cold[source].size(), 3u);
    for (const Answer& answer : cold[source]) {
      EXPECT_EQ(answer.symbols, greedy[source][0].symbols);
      EXPECT_EQ(answer.score, greedy[source][0].score);
    }
  }
}

// Draw by draw, without search.
TEST(Sampling, AHypothesisKeepsItsNumbersWhenOthersEnd) {
  const Table table = random_table(16);
  const TableSearch o = drawing(6, 1.5, 4);
  const Sampling sampling(1.5, 4, o.never);
  const auto found = find(table, o, std::vector<int>(10, 7), {}, {}, lines(10, 30));
  for (int source = 0; source < 10; ++source) {
    std::multiset<Path> wanted;
    for (int h = 0; h < 6; ++h) {
      Path written;
      for (int step = 0; step < 7; ++step) {
        const Row row = table(source, written);
        const auto symbol = sampling.draw(std::vector<Real>(row.begin(), row.end()), 30 + source, h, step).value();
        if (symbol == stop || step == 6) break;  // or there is no room
        written.push_back(symbol);
      }
      wanted.insert(written);
    }
    const auto drawn = paths(found[source]);
    EXPECT_EQ(std::multiset<Path>(drawn.begin(), drawn.end()), wanted);
  }
}

TEST(Sampling, DrawsDoNotDependOnTheBatch) {
  const Table table = random_table(12);
  std::vector<int> max_steps;
  for (int s = 0; s < 20; ++s) max_steps.push_back(1 + s * 7 % 6);  // some leave early
  const auto samples = lines(20, 100);
  for (const int beam : {1, 4}) {
    const auto together = find(table, drawing(beam, 1), max_steps, {}, {}, samples);
    for (int s = 0; s < 20; ++s) {
      const Table one = [&](int, const Path& written) { return table(s, written); };
      const auto alone = find(one, drawing(beam, 1), {max_steps[s]}, {}, {}, std::span(samples).subspan(s, 1))[0];
      EXPECT_EQ(paths(alone), paths(together[s]));
      for (std::size_t i = 0; i < alone.size(); ++i) EXPECT_EQ(alone[i].score, together[s][i].score);
    }
  }
}

TEST(Sampling, LinesHypothesesAndSeedsDiffer) {
  const Table table = [](int, const Path& written) { return random_table(13)(0, written); };
  const auto drawn = [&](std::uint64_t seed, std::int64_t first) {
    std::vector<std::vector<Path>> out;
    for (const auto& answers : find(table, drawing(4, 2, seed), {7, 7}, {}, {}, lines(2, first))) {
      out.push_back(paths(answers));
    }
    return out;
  };
  const auto one = drawn(1, 0);
  EXPECT_EQ(drawn(1, 0), one);
  EXPECT_NE(one[0], one[1]) << "two lines";
  EXPECT_EQ(drawn(1, 1)[0], one[1]) << "a line keeps its draws";
  EXPECT_NE(drawn(2, 0), one) << "two seeds";
  EXPECT_GE(std::set(one[0].begin(), one[0].end()).size(), 3u) << "hypotheses";
}

// Draws keep their own looks: each is explained along its own path.
TEST(Sampling, LooksBelongToTheDraw) {
  TableModel::Extras extras;
  extras.looks = [](int source, const Path& written) -> TableModel::Looks {
    return {{0, 0, {random_at(14, source, written).uniform(0)}}};
  };
  TableSearch o = drawing(5, 2);
  o.alternatives = 1;
  const auto found = find(random_table(14), o, {5, 3, 5}, extras, {}, lines(3));
  for (int source = 0; source < 3; ++source) {
    for (const Answer& answer : found[source]) {
      ASSERT_EQ(answer.steps.size(), answer.symbols.size() + answer.finished);
      for (std::size_t t = 0; t < answer.steps.size(); ++t) {
        const Path before(answer.symbols.begin(), answer.symbols.begin() + static_cast<std::ptrdiff_t>(t));
        EXPECT_EQ(answer.steps[t].looks[0].weights[0],
                  static_cast<float>(static_cast<Real>(random_at(14, source, before).uniform(0))));
      }
    }
  }
}

TEST(Sampling, GoesWithACoveragePenalty) {
  TableModel::Extras extras;
  extras.looks = [](int, const Path& written) -> TableModel::Looks { return {{0, 0, {written.empty() ? 0.5 : 0.25}}}; };
  TableSearch o = drawing(6, 1);
  set_field(o, "coverage_penalty=2");
  const std::vector<int> lengths = {1};
  const auto found = find(random_table(15), o, {4}, extras, lengths, lines(1));
  ASSERT_EQ(found[0].size(), 6u);
  for (const Answer& answer : found[0]) {
    const double looked = 0.5 + 0.25 * static_cast<double>(answer.symbols.size() + answer.finished - 1);
    EXPECT_NEAR(answer.score, score_of(random_table(15), 0, answer, 1) + 2 * std::log(std::min(looked, 1.0)), 1e-12);
  }
}

TEST(Sampling, RefusesWhatMakesNoSense) {
  EXPECT_THROW(find(random_table(1), drawing(2, 1), {3}), Error) << "no samples";
  EXPECT_THROW(find(random_table(1), drawing(2, -1), {3}, {}, {}, lines(1)), Error);
  EXPECT_THROW(find(random_table(1), drawing(2, std::numeric_limits<double>::infinity()), {3}, {}, {}, lines(1)),
               Error);
}

// A model whose weights have run away.
TEST(Sampling, NotANumberStillGivesAnAnswer) {
  const Table broken = [](int, const Path&) { return Row(symbols, std::numeric_limits<double>::quiet_NaN()); };
  EXPECT_EQ(find(broken, drawing(3, 1), {5}, {}, {}, lines(1))[0].size(), 1u);
}

}  // namespace
}  // namespace fovea::sampling_test
