// Selections that draw: what is drawn, and that gradients which hold on average do so.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "base/as_size.h"
#include "attention/attention.h"
#include "attention/selecting.h"
#include "layers/loss_check.h"
#include "models/objective.h"

namespace fovea::estimated_test {
namespace {

std::vector<double> softmax_of(const Vector& scores, double temperature = 1) {
  std::vector<double> p;
  double sum = 0;
  for (const Real e : scores) sum += p.emplace_back(std::exp(static_cast<double>(e) / temperature));
  for (double& share : p) share /= sum;
  return p;
}

std::vector<std::string> estimated_selects() {
  std::vector<std::string> names;
  for (const Mechanism<Select>* entry : selects()) {
    if (entry->traits.estimated) names.emplace_back(entry->name);
  }
  return names;
}

// Twenty thousand draws, by row of the batch, step and seed of training: each of them makes another.
TEST(EstimatedSelections, WeighOnAverageAsSoftmaxDoes) {
  constexpr int rows = 500, passes = 40, positions = 4;
  const Vector scores = {Real(0.3), Real(-1), Real(1.2), Real(0)};
  const auto p = softmax_of(scores);
  Vector all;
  for (int r = 0; r < rows; ++r) all.insert(all.end(), scores.begin(), scores.end());
  for (const std::string& name : estimated_selects()) {
    Selecting select(name);
    std::vector<double> mean(positions, 0.0);
    for (int n = 0; n < passes; ++n) {
      const auto seed = static_cast<std::uint64_t>(n / 4);
      const Vector weights = select({.scores = all, .rows = rows, .seed = seed, .step = n % 4}).weights;
      for (std::size_t i = 0; i < weights.size(); ++i) mean[i % positions] += double(weights[i]) / (rows * passes);
    }
    for (int i = 0; i < positions; ++i) {
      const double deviation = std::sqrt(p[i] * (1 - p[i]) / (rows * passes));
      EXPECT_NEAR(mean[i], p[i], 4 * deviation) << name << ", position " << i;
    }
  }
}

TEST(EstimatedSelections, InUseTakeTheMostProbable) {
  for (const std::string& name : estimated_selects()) {
    Selecting select(name);
    const Vector weights = select({.scores = {Real(0.3), -1, Real(1.2), 0}, .training = false}).weights;
    EXPECT_EQ(weights, (Vector{0, 0, 1, 0})) << name;
  }
}

// Where symbols are drawn positions are, too: as often as they are probable, a row's own whatever stands beside it.
TEST(Hard, DrawsInUseWhereSymbolsAreDrawn) {
  Selecting select("hard");
  const Vector scores = {Real(0.5), -1, 1, Real(0.2)};
  const auto shares = softmax_of(scores, 1);
  std::vector<double> counts(scores.size(), 0.0);
  constexpr int draws = 4000;
  for (int seed = 0; seed < draws; ++seed) {
    const auto found =
        select({.scores = scores, .training = false, .drawing = true, .seed = static_cast<std::uint64_t>(seed)})
            .weights;
    EXPECT_EQ(sum_of(found), 1);
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += static_cast<double>(found[i]) / draws;
    if (seed > 20) continue;
    Vector twice = scores;
    twice.insert(twice.end(), scores.begin(), scores.end());
    const auto both =
        select(
            {.scores = twice, .rows = 2, .training = false, .drawing = true, .seed = static_cast<std::uint64_t>(seed)})
            .weights;
    EXPECT_EQ(Vector(both.begin(), both.begin() + 4), found);
  }
  for (std::size_t i = 0; i < counts.size(); ++i) EXPECT_NEAR(counts[i], shares[i], 0.03) << i;
}

// Straight through: the values are those of the draw, the gradient that of softmax((e + g) / T) with the same noise g.
TEST(Gumbel, DrawsHardAndPassesBackTheSoftForm) {
  constexpr double temperature = 0.7;
  AttentionOptions options;
  options.temperature = temperature;
  Selecting select("gumbel", options);
  const Vector scores = random_values(5, "scores", 2), probe = random_values(5, "probe");
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Selecting::Given given = {.scores = scores, .probe = probe, .seed = seed};
    const auto found = select(given);
    Random random = Selecting::random(given);
    for (const char c : std::string("gumbel")) random = random.at(static_cast<unsigned char>(c));
    random = random.at(0).at(0).at(0);  // sample, step, head
    Vector noisy = scores;
    for (std::size_t i = 0; i < noisy.size(); ++i)
      noisy[i] -= static_cast<Real>(std::log(-std::log(random.uniform(i))));
    const auto soft = softmax_of(noisy, temperature);
    const auto drawn = std::ranges::max_element(noisy) - noisy.begin();
    double mean = 0;
    for (std::size_t i = 0; i < 5; ++i) mean += soft[i] * double(probe[i]);
    std::vector<double> gradient;
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(found.weights[i], static_cast<std::ptrdiff_t>(i) == drawn ? 1 : 0) << "seed " << seed;
      gradient.push_back(soft[i] * (double(probe[i]) - mean) / temperature);
    }
    expect_close(found.gradient, gradient, "gradient");
  }
}

// ---- REINFORCE: two steps over three positions. What the first step sees changes the second query, so that a draw is
// credited with what comes after it.

class TwoDraws {
 public:
  static constexpr int positions = 3, size = 2, steps = 2;

  explicit TwoDraws(const std::string& select)
      : attention_(parameters_, "attention", options(select), {size, size, 0}) {
    parameters_.allocate();
    std::ranges::copy(random_values(static_cast<int>(parameters_.count()), "weights", 2), parameters_.values().begin());
  }

  Parameters& parameters() { return parameters_; }

  // What all ways to draw come to, each counted as often as it is drawn: the loss and the gradient that training takes.
  struct Expected {
    double probability = 0;
    double loss = 0;
    std::vector<double> gradient;
  };
  Expected expected(bool with_baseline) {
    std::map<std::vector<int>, Way> ways;
    for (std::uint64_t seed = 0; ways.size() < 9 && seed < 2000; ++seed) {
      const Way way = draw(seed, with_baseline);
      ways.emplace(way.drawn, way);
    }
    Expected all = {0, 0, std::vector<double>(as_size(parameters_.count()), 0.0)};
    for (const auto& [drawn, way] : ways) {
      all.probability += way.probability;
      all.loss += way.probability * way.loss;
      for (std::size_t i = 0; i < all.gradient.size(); ++i) {
        all.gradient[i] += way.probability * double(way.gradient[i]);
      }
    }
    return all;
  }

 private:
  struct Way {
    std::vector<int> drawn;
    double probability = 0;
    double loss = 0;
    Vector gradient;
  };

  static AttentionOptions options(const std::string& select) {
    AttentionOptions options;
    options.size = size;
    options.projections = true;  // so that what is seen learns too, not only where
    options.select = select;
    options.soft_share = 0;
    return options;
  }

  Way draw(std::uint64_t seed, bool with_baseline) {
    Way way = {{}, 1, 0, Vector(as_size(parameters_.count()), Real(0))};
    parameters_.invalidate_packed();
    const std::int64_t sample = 0;
    const TrainingPass training = {way.gradient, Random(seed, Purpose::dropout), {&sample, 1}};
    Pass pass(parameters_, arena_, training);
    const std::uint8_t real[positions] = {1, 1, 1};
    Vector values = random_values(positions * size, "values", 2), first = {Real(0.8), Real(-0.4)};
    const Memory memory = {pass.tape().borrow({positions, 1, size}, values.data(), nullptr), {real, positions, 1}};
    const auto prepared = attention_.prepare(pass, memory);
    Tensor query = pass.tape().borrow({1, 1, size}, first.data(), nullptr);
    std::vector<Tensor> log_probabilities, rewards;
    for (int t = 0; t < steps; ++t) {
      const auto attended = attention_.attend(pass, query, {t, 0}, prepared, {});
      const Vector weights(attended.selected.weights.values().begin(), attended.selected.weights.values().end());
      way.drawn.push_back(static_cast<int>(std::ranges::max_element(weights) - weights.begin()));
      way.probability *= std::exp(static_cast<double>(*attended.selected.drawn.data()));
      log_probabilities.push_back(as_shape(attended.selected.drawn, {1, 1}));
      query = tanh(add(query, attended.context));
      rewards.push_back(as_shape(sum(multiply(query, multiply(query, attended.context))), {1, 1}));
    }
    const Tensor reward = stack(rewards);
    Tensor baseline = pass.tape().make({steps, 1, 1});
    for (int t = 0; t < steps; ++t) baseline.data()[t] = with_baseline ? Real(0.7) - t * Real(1.1) : Real(0);
    const std::uint8_t both[steps] = {1, 1};
    const Draws draws = {stack(log_probabilities), {}, baseline};
    const Tensor surrogate = reinforce(pass, draws, reward.values(), {both, steps, 1}).surrogate;
    const Tensor loss = scale(sum(reward), -1);
    way.loss = static_cast<double>(*loss.data());
    pass.tape().backward(add(loss, surrogate));
    return way;
  }

  Parameters parameters_;
  Attention attention_;
  Arena arena_;
};

TEST(Reinforce, IsOnAverageTheGradientOfTheExpectedLoss) {
  TwoDraws model("hard");
  const auto plain = model.expected(false), with_baseline = model.expected(true);
  EXPECT_NEAR(plain.probability, 1, 1e-6) << "some way to draw was never drawn";
  expect_close(plain.gradient, with_baseline.gradient, "the baseline changes the mean", is_double ? 1e-10 : 1e-5);
  EXPECT_GT(std::ranges::max(plain.gradient), 0.01);
  const Vector gradient(plain.gradient.begin(), plain.gradient.end());
  const Difference error =
      largest_loss_gradient_error(numbers_of(model.parameters(), gradient), [&] { return model.expected(false).loss; });
  EXPECT_LE(error.size, gradient_tolerance) << error.where;
}

}  // namespace
}  // namespace fovea::estimated_test
