// The optimizers against the papers' formulas, written plainly in double.
#include "training/optimizer.h"

#include <gtest/gtest.h>

#include <cmath>

namespace fovea::optimizer_test {
namespace {

constexpr std::size_t weights_count = 37;  // no multiple of any vector width
constexpr double rate = 0.01;
constexpr double factor = 0.5;
const double tolerance = sizeof(Real) == 8 ? 1e-12 : 2e-6;

std::vector<double> gradient_of(int update) {
  std::vector<double> gradient;
  for (std::size_t i = 0; i < weights_count; ++i) {
    gradient.push_back(static_cast<Real>(std::sin(1.7 * update + 0.3 * static_cast<double>(i * i))));
  }
  return gradient;
}

// Kingma & Ba 2015, algorithm 1, with a constant factor on the gradient.
void plain_adam(int t, std::span<const double> gradient, std::vector<double>& m, std::vector<double>& v,
                std::vector<double>& weights) {
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double g = factor * gradient[i];
    m[i] = 0.9 * m[i] + 0.1 * g;
    v[i] = 0.999 * v[i] + 0.001 * g * g;
    weights[i] -= rate * (m[i] / (1 - std::pow(0.9, t))) / (std::sqrt(v[i] / (1 - std::pow(0.999, t))) + 1e-8);
  }
}

void plain_momentum(std::span<const double> gradient, std::vector<double>& velocity, std::vector<double>& weights) {
  for (std::size_t i = 0; i < weights.size(); ++i) {
    velocity[i] = 0.8 * velocity[i] + factor * gradient[i];
    weights[i] -= rate * velocity[i];
  }
}

void expect_near(std::span<const Real> got, std::span<const double> expected, const std::string& what) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(got[i]), expected[i], tolerance) << what << " " << i;
  }
}

// Applies one update in two pieces, as training does.
void apply(Optimizer& optimizer, int update, std::span<const double> gradient, std::span<Real> weights) {
  const std::vector<Real> values(gradient.begin(), gradient.end());
  const std::size_t cut = 13;
  optimizer.apply({update, rate, factor}, cut, std::span(values).subspan(cut), weights);
  optimizer.apply({update, rate, factor}, 0, std::span(values).first(cut), weights);
}

TEST(Optimizer, AdamIsThePapersFormula) {
  Optimizer optimizer({}, weights_count);
  std::vector<double> m(weights_count), v(weights_count), expected(weights_count, 0.25);
  std::vector<Real> weights(weights_count, Real(0.25));
  for (int update = 1; update <= 50; ++update) {
    const std::vector<double> gradient = gradient_of(update);
    apply(optimizer, update, gradient, weights);
    plain_adam(update, gradient, m, v, expected);
  }
  expect_near(weights, expected, "weight");
  ASSERT_EQ(optimizer.slots().size(), 2u);
  EXPECT_EQ(optimizer.slots()[0].name, "first");
  expect_near(optimizer.slots()[0].values, m, "first");
  EXPECT_EQ(optimizer.slots()[1].name, "second");
  expect_near(optimizer.slots()[1].values, v, "second");
}

TEST(Optimizer, FirstAdamStepIsTheRateWhateverTheGradient) {
  for (const double size : {1e-3, 1.0, 1e3}) {
    Optimizer optimizer({}, 1);
    std::vector<Real> weights(1);
    const std::vector<Real> gradient(1, static_cast<Real>(size));
    optimizer.apply({1, rate, 1}, 0, gradient, weights);
    EXPECT_NEAR(static_cast<double>(weights[0]), -rate, 1e-6) << size;
  }
}

TEST(Optimizer, SgdHasMomentum) {
  Optimizer optimizer({.optimizer = "sgd", .momentum = 0.8}, weights_count);
  std::vector<double> velocity(weights_count), expected(weights_count, -0.5);
  std::vector<Real> weights(weights_count, Real(-0.5));
  for (int update = 1; update <= 50; ++update) {
    const std::vector<double> gradient = gradient_of(update);
    apply(optimizer, update, gradient, weights);
    plain_momentum(gradient, velocity, expected);
  }
  expect_near(weights, expected, "weight");
  ASSERT_EQ(optimizer.slots().size(), 1u);
  expect_near(optimizer.slots()[0].values, velocity, "velocity");
}

TEST(Optimizer, Beta2IsASetting) {
  Optimizer optimizer({.beta2 = 0.5}, 1);
  std::vector<Real> weights(1);
  optimizer.apply({1, rate, 1}, 0, std::vector<Real>{3}, weights);
  EXPECT_NEAR(static_cast<double>(optimizer.slots()[1].values[0]), 4.5, tolerance);
}

TEST(Optimizer, TheGradientIsWholeUnlessAFactorIsGiven) {
  Optimizer optimizer({.optimizer = "sgd"}, 1);
  std::vector<Real> weights = {1};
  optimizer.apply({1, rate}, 0, std::vector<Real>{2}, weights);
  EXPECT_NEAR(static_cast<double>(weights[0]), 1 - 2 * rate, tolerance);
}

// Loshchilov & Hutter 2019: beside the gradient's step, not through it.
TEST(Optimizer, WeightDecayTakesAShareOfTheWeightItself) {
  for (const char* kind : {"adam", "sgd"}) {
    Optimizer plain({.optimizer = kind}, 1), decaying({.optimizer = kind, .weight_decay = 0.1}, 1);
    std::vector<Real> a = {2}, b = {2};
    plain.apply({1, rate, 1}, 0, std::vector<Real>{1}, a);
    decaying.apply({1, rate, 1}, 0, std::vector<Real>{1}, b);
    EXPECT_NEAR(static_cast<double>(a[0] - b[0]), rate * 0.1 * 2, tolerance) << kind;
  }
}

TEST(Optimizer, TheAverageReachesBackOverATenthOfTheUpdatesAtMostAsFarAsAsked) {
  Optimizer optimizer({.average = 0.8}, weights_count);
  std::vector<double> expected(weights_count);
  std::vector<Real> weights(weights_count, Real(0.25));
  for (int update = 1; update <= 60; ++update) {
    apply(optimizer, update, gradient_of(update), weights);
    const double kept = std::min(0.8, (update - 1) / (update - 1 + 10.0));
    for (std::size_t i = 0; i < weights_count; ++i) {
      expected[i] = kept * expected[i] + (1 - kept) * static_cast<double>(weights[i]);
    }
    expect_near(optimizer.average(), expected, "average");  // what early updates brought is soon forgotten
  }
  EXPECT_EQ(optimizer.slots().back().name, "average");
}

}  // namespace
}  // namespace fovea::optimizer_test
