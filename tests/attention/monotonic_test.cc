// Selections that go through the memory from left to right.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "base/as_size.h"
#include "attention/asked.h"
#include "attention/selecting.h"

namespace fovea::monotonic_test {
namespace {

double stops(Real score) { return 1 / (1 + std::exp(-static_cast<double>(score))); }

// Each step's scores, and the weights that follow from the step before.
std::vector<Vector> walk_through(Selecting& select, const std::vector<Vector>& scores, bool training) {
  std::vector<Vector> weights;
  for (const Vector& step : scores) {
    weights.push_back(
        select({.scores = step, .last = weights.empty() ? Vector() : weights.back(), .training = training}).weights);
  }
  return weights;
}

std::vector<Vector> random_scores(int steps, int positions, const std::string& name, Real scale = 3) {
  std::vector<Vector> scores;
  for (int t = 0; t < steps; ++t) scores.push_back(random_values(positions, fmt::format("{}{}", name, t), scale));
  return scores;
}

// All ways to go: at each step from where the last one stopped, past some positions, to a stop. Adds to expected[t][i]
// how probable it is that step t stops at i. In segments a walk that comes to the end stops there.
void go(const std::vector<Vector>& scores, std::size_t step, std::size_t from, double probability, bool ends,
        std::vector<std::vector<double>>& expected) {
  if (step == scores.size()) return;
  for (std::size_t i = from; i < scores[step].size(); ++i) {
    const double p = ends && i + 1 == scores[step].size() ? 1 : stops(scores[step][i]);
    expected[step][i] += probability * p;
    go(scores, step + 1, i, probability * p, ends, expected);
    probability *= 1 - p;
  }
}

TEST(Monotonic, TrainsOnTheExpectationOverAllWaysToGo) {
  for (const std::string name : {"monotonic", "segments"}) {
    Selecting select(name);
    const auto scores = random_scores(4, 5, "ways");
    std::vector<std::vector<double>> expected(4, std::vector<double>(5, 0.0));
    go(scores, 0, 0, 1, name == "segments", expected);
    const auto weights = walk_through(select, scores, true);
    for (std::size_t t = 0; t < 4; ++t) expect_close(weights[t], expected[t], fmt::format("{}, step {}", name, t));
  }
}

// Raffel 2017: normal noise before the sigmoid in training, other noise for every example, none in use.
TEST(Monotonic, TrainsWithNoiseOfTheDeviationAskedFor) {
  constexpr int rows = 4000;
  for (const double deviation : {0.5, 2.0}) {
    AttentionOptions options;
    options.noise = deviation;
    options.offset = 0;
    Selecting select("monotonic", options);
    const Vector scores(rows, Real(0.3));  // one position each, so that the weight is the sigmoid
    double mean = 0, squares = 0, beyond = 0;
    for (const Real weight : select({.scores = scores, .rows = rows}).weights) {
      const double p = static_cast<double>(weight), noise = std::log(p / (1 - p)) - 0.3;
      mean += noise / rows;
      squares += noise * noise / rows;
      beyond += std::abs(noise) > 2 * deviation ? 1.0 / rows : 0.0;
    }
    EXPECT_NEAR(mean, 0, 4 * deviation / std::sqrt(rows));
    EXPECT_NEAR(std::sqrt(squares), deviation, 4 * deviation / std::sqrt(2 * rows));
    EXPECT_NEAR(beyond, 0.0455, 0.015);  // of a normal distribution
    EXPECT_EQ(select({.scores = scores, .rows = rows, .training = false}).weights, Vector(rows, Real(1)));
  }
}

// sigmoid(g e + r): g starts at one, r where it is told, in training and in use alike.
TEST(Monotonic, AnOffsetMakesItGoOn) {
  const Vector scores = {Real(0.3), Real(0.9), Real(1.2), Real(2.5)};
  Selecting select("monotonic", {.bias = {}, .size = 4, .noise = 0, .offset = -1});
  const Vector weights = select({.scores = scores}).weights;
  double left = 1;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double p = stops(scores[i] - 1);
    EXPECT_NEAR(static_cast<double>(weights[i]), left * p, 1e-6) << i;
    left *= 1 - p;
  }
  EXPECT_EQ(select({.scores = scores, .training = false}).weights, (Vector{0, 0, 1, 0}));
  EXPECT_EQ(Selecting("monotonic")({.scores = scores, .training = false}).weights, (Vector{1, 0, 0, 0}));
}

TEST(Monotonic, StaysFiniteOverFiveHundredPositions) {
  constexpr int positions = 500;
  for (const Real scale : {Real(0.1), Real(5), Real(100)}) {
    Selecting select("monotonic");
    Vector last;
    for (int t = 0; t < 5; ++t) {
      const Vector scores = random_values(positions, fmt::format("long{}", t), scale);
      const auto found = select({.scores = scores, .last = last, .probe = random_values(positions, "probe")});
      for (std::size_t i = 0; i < positions; ++i) {
        ASSERT_TRUE(std::isfinite(found.gradient[i])) << "step " << t << ", position " << i;
        ASSERT_GE(found.weights[i], 0) << "step " << t << ", position " << i;
      }
      EXPECT_LE(sum_of(found.weights), 1 + 1e-5);
      last = found.weights;
    }
    EXPECT_GT(sum_of(last), 0);
  }
}

// Where a one-hot row has its one, -1 for a row of zeros.
int place(const Vector& weights) {
  int found = -1;
  for (int i = 0; i < std::ssize(weights); ++i) {
    if (weights[i] == 0) continue;
    EXPECT_EQ(weights[i], 1);
    EXPECT_EQ(found, -1) << "two";
    found = i;
  }
  return found;
}

TEST(Monotonic, InUseStopsAtTheFirstScoreAboveZeroAndNeverGoesBack) {
  Selecting select("monotonic");
  int ends = 0;
  for (int trial = 0; trial < 50; ++trial) {
    const auto scores = random_scores(4, 8, fmt::format("use{}", trial));
    const auto weights = walk_through(select, scores, false);
    int from = 0;
    for (std::size_t t = 0; t < scores.size(); ++t) {
      int stop = -1;
      for (int i = from; i >= 0 && i < 8 && stop < 0; ++i) stop = scores[t][i] > 0 ? i : -1;
      EXPECT_EQ(place(weights[t]), stop);
      ends += stop < 0;
      from = stop;
      if (from < 0) break;
    }
  }
  EXPECT_GT(ends, 0) << "no trial has seen the end";
}

// It reads no position beyond its stop: the memory may arrive piece by piece.
TEST(Monotonic, InUseReadsTheMemoryOnlyUpToItsStop) {
  AttentionOptions options;
  options.size = 4;
  options.select = "monotonic";
  Asked asked(options);
  int stopped = 0;
  for (int id = 0; id < 50; ++id) {
    const AskedSource source = asked.source(id, 8, 4);
    const Seen all = asked.ask({source}, {.positions = 8, .training = false})[0];
    for (std::size_t step = 0; step < 4 && place(all.weights[step]) >= 0; ++step, ++stopped) {
      const int arrived = place(all.weights[step]) + 1;
      AskedSource cut = source;
      cut.memory.resize(as_size(arrived));
      const Seen seen = asked.ask({cut}, {.positions = arrived, .training = false})[0];
      for (std::size_t t = 0; t <= step; ++t) {
        EXPECT_TRUE(std::ranges::equal(seen.weights[t], std::span(all.weights[t]).first(cut.memory.size())));
        EXPECT_EQ(seen.contexts[t], all.contexts[t]) << "source " << id << ", step " << t;
      }
    }
  }
  EXPECT_GT(stopped, 50);
}

// But for whether there is anything: what is left at the end emits there.
TEST(Segments, AreDecidedWithoutWhatIsAhead) {
  Selecting select("segments");
  const auto scores = random_scores(3, 8, "ahead");
  const auto all = walk_through(select, scores, false);
  for (std::size_t arrived = 1; arrived < 8; ++arrived) {
    auto cut_scores = scores;
    for (Vector& step : cut_scores) step.resize(arrived);
    const auto cut = walk_through(select, cut_scores, false);
    for (std::size_t t = 0; t < cut.size(); ++t) {
      EXPECT_TRUE(std::equal(cut[t].begin(), cut[t].end() - 1, all[t].begin())) << "step " << t << ", " << arrived;
      EXPECT_NEAR(sum_of(cut[t]), 1, 1e-6) << "step " << t << ", " << arrived;
    }
  }
}

TEST(MonotonicSelections, NeverGoBack) {
  for (const std::string name : {"monotonic", "monotonic_hmm", "segments"}) {
    Selecting select(name);
    for (const bool training : {true, false}) {
      for (int from = 0; from < 6; ++from) {
        Vector last(6, Real(0));
        last[as_size(from)] = 1;
        const Vector scores = random_values(6, fmt::format("back{}", from), 3);
        const Vector weights = select({.scores = scores, .last = last, .training = training}).weights;
        for (int i = 0; i < from; ++i) EXPECT_EQ(weights[i], 0) << name << " went from " << from << " to " << i;
        if (training) {
          for (int i = from; i < 6; ++i) EXPECT_GT(weights[i], 0) << name << " cannot go from " << from << " to " << i;
        }
      }
    }
  }
}

TEST(MonotonicHmm, StartsAnywhereAndKeepsAllThereIs) {
  Selecting select("monotonic_hmm");
  const Vector scores = random_values(6, "first", 3);
  Selecting softmax("softmax");
  expect_close(select({.scores = scores}).weights, softmax({.scores = scores}).weights, "first step");
  for (const Vector& weights : walk_through(select, random_scores(5, 6, "keep"), true)) {
    EXPECT_NEAR(sum_of(weights), 1, 1e-6);
  }
}

}  // namespace
}  // namespace fovea::monotonic_test
