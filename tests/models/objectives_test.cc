// What training makes small beside the likelihood, each against its formula in plain loops; what is not real counts
// nothing.
#include "base/as_size.h"
#include "models/objective.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/gradient_check.h"

namespace fovea::objectives_test {
namespace {

constexpr int steps = 3, batch = 2, positions = 4;

class Objectives : public testing::Test {
 protected:
  Objectives() : pass(parameters, arena) {}

  Tensor filled(Shape shape, const std::string& name) {
    Tensor x = pass.tape().make(shape);
    std::ranges::copy(random_values(shape.count(), name), x.data());
    for (Real& value : x.values()) value = std::abs(value);
    return x;
  }
  static double value(Tensor x) { return static_cast<double>(*x.data()); }

  // What the objective of that name adds with a weight of one, "form=squared" and the like taken into account.
  double term(const std::string& name, const TeacherForced& forced, Mask of_steps, std::span<const Real> wanted = {},
              const std::string& option = "") {
    ModelOptions options;
    set_field(options.objective, name + "=1");
    if (!option.empty()) set_field(options.objective, option);
    const auto made = make_objectives(parameters, options, {.memory = 1}, {.state = 1, .context = 1});
    EXPECT_EQ(made.size(), 1U);
    parameters.allocate();
    std::ranges::copy(random_values(static_cast<int>(parameters.count()), "weights"), parameters.values().begin());
    Arena own;
    Pass asked(parameters, own);
    std::vector<LossTerm> terms;
    made.front()->add_terms(asked, {forced, of_steps, wanted}, terms);
    EXPECT_EQ(terms.size(), 1U);
    EXPECT_EQ(terms.at(0).name, name);
    return value(terms.at(0).value);
  }
  TeacherForced looked() const {
    TeacherForced forced;
    forced.weights = weights;
    forced.encoded.memory.mask = source;
    return forced;
  }
  double a(int t, int b, int i) const {
    return step_is_real(t, b) ? static_cast<double>(weights.data()[(t * batch + b) * positions + i]) : 0;
  }
  bool step_is_real(int t, int b) const { return real_steps[t * batch + b]; }
  bool is_real(int i, int b) const { return real_positions[i * batch + b]; }
  double total(int b, int i) const {
    double sum = 0;
    for (int t = 0; t < steps; ++t) sum += a(t, b, i);
    return sum;
  }
  template <class Term>
  double over_positions(Term term) const {
    double sum = 0;
    for (int b = 0; b < batch; ++b) {
      for (int i = 0; i < positions; ++i) sum += is_real(i, b) ? term(b, i) : 0;
    }
    return sum;
  }

  Parameters parameters;
  Arena arena;
  Pass pass;
  const std::vector<std::uint8_t> real_steps = {1, 1, 1, 1, 1, 0}, real_positions = {1, 1, 1, 1, 1, 0, 1, 0};
  const Mask step_mask = {real_steps.data(), steps, batch}, source = {real_positions.data(), positions, batch};
  // As a selection gives them: nothing for pads, but something for steps beyond the end.
  Tensor weights = masked_softmax(filled({steps, batch, positions}, "weights"), source);
};

constexpr double close = is_double ? 1e-12 : 1e-5;

TEST_F(Objectives, Coverage) {
  EXPECT_NEAR(term("coverage", looked(), step_mask),
              over_positions([&](int b, int i) { return std::pow(1 - total(b, i), 2); }), close);
}

TEST_F(Objectives, Repetition) {
  double wanted = 0;
  for (int b = 0; b < batch; ++b) {
    for (int i = 0; i < positions; ++i) {
      double before = 0;
      for (int t = 0; t < steps; ++t) {
        wanted += std::min(a(t, b, i), before);
        before += a(t, b, i);
      }
    }
  }
  EXPECT_NEAR(term("repetition", looked(), step_mask), wanted, close);
  TeacherForced one = looked();
  one.weights = as_shape(step(weights, 0), {1, batch, positions});
  EXPECT_EQ(term("repetition", one, {real_steps.data(), 1, batch}), 0);
}

TEST_F(Objectives, Fertility) {
  TeacherForced forced = looked();
  forced.encoded.memory.values = filled({positions, batch, 1}, "columns");
  const double found = term("fertility", forced, step_mask);
  ASSERT_EQ(parameters.count(), 2);
  const double w = static_cast<double>(parameters.values()[0]), bias = static_cast<double>(parameters.values()[1]);
  EXPECT_NEAR(found, over_positions([&](int b, int i) {
                const double h = static_cast<double>(forced.encoded.memory.values.data()[i * batch + b]);
                return std::pow(std::log1p(std::exp(w * h + bias)) - total(b, i), 2);
              }),
              close);
}

TEST_F(Objectives, CoverageEmbedding) {
  constexpr int heads = 2, size = 3;
  const Tensor left = filled({batch, heads * positions * size}, "left");
  TeacherForced forced = looked();
  forced.decoder.kept = {left};
  forced.decoder.readout.heads = heads;
  EXPECT_NEAR(term("coverage_embedding", forced, step_mask), over_positions([&](int b, int i) {
                double squares = 0;
                for (int h = 0; h < heads; ++h) {
                  for (int j = 0; j < size; ++j) {
                    squares += std::pow(double(left.data()[((b * heads + h) * positions + i) * size + j]), 2);
                  }
                }
                return squares;
              }),
              close);
}

TEST_F(Objectives, Diversity) {
  TeacherForced summarized;
  summarized.encoded.summary = weights;
  double wanted = 0;
  const auto at = [&](int row, int b, int i) {
    return static_cast<double>(weights.data()[(row * batch + b) * positions + i]);
  };
  for (int b = 0; b < batch; ++b) {
    for (int one = 0; one < steps; ++one) {
      for (int other = 0; other < steps; ++other) {
        double product = one == other ? -1 : 0;
        for (int i = 0; i < positions; ++i) product += at(one, b, i) * at(other, b, i);
        wanted += product * product;
      }
    }
  }
  EXPECT_NEAR(term("diversity", summarized, step_mask), wanted, close);
}

// Step 0 of row 0 wants two positions, step 1 of row 1 one; nothing is known of the others.
TEST_F(Objectives, Supervised) {
  std::vector<Real> wanted(as_size(steps * batch * positions));
  wanted[0] = wanted[2] = Real(0.5);
  wanted[(1 * batch + 1) * positions + 1] = 1;
  const double a0 = a(0, 0, 0), a1 = a(0, 0, 1), a2 = a(0, 0, 2), a3 = a(0, 0, 3), b0 = a(1, 1, 0), b1 = a(1, 1, 1);
  EXPECT_NEAR(term("supervised", looked(), step_mask, wanted),
              -0.5 * std::log(a0 + 1e-6) - 0.5 * std::log(a2 + 1e-6) - std::log(b1 + 1e-6), close);
  EXPECT_NEAR(term("supervised", looked(), step_mask, wanted, "supervised_form=squared"),
              std::pow(a0 - 0.5, 2) + a1 * a1 + std::pow(a2 - 0.5, 2) + a3 * a3 + b0 * b0 + std::pow(b1 - 1, 2), close);
}

// A draw is worth what it and later steps earn, beyond what was expected.
TEST_F(Objectives, Reinforce) {
  constexpr int heads = 2;
  const Tensor log_p = filled({steps, batch * heads, 1}, "log_p"), baseline = filled({steps, batch, 1}, "baseline");
  const Tensor probabilities = filled({steps, batch * heads, positions}, "probabilities");
  const std::vector<Real> rewards = random_values(steps * batch, "rewards");
  const Reinforced found = reinforce(pass, {log_p, probabilities, baseline}, rewards, step_mask);
  double surrogate = 0, error = 0, entropy = 0;
  for (int t = 0; t < steps; ++t) {
    for (int b = 0; b < batch; ++b) {
      if (!step_is_real(t, b)) continue;
      double earned = 0;
      for (int later = t; later < steps; ++later) {
        if (step_is_real(later, b)) earned += static_cast<double>(rewards[later * batch + b]);
      }
      const double surprise = earned - static_cast<double>(baseline.data()[t * batch + b]);
      error += surprise * surprise;
      for (int h = 0; h < heads; ++h) {
        const int row = (t * batch + b) * heads + h;
        surrogate -= surprise * static_cast<double>(log_p.data()[row]);
        for (int i = 0; i < positions; ++i) {
          const double p = static_cast<double>(probabilities.data()[row * positions + i]);
          entropy += p * std::log(p);
        }
      }
    }
  }
  EXPECT_NEAR(value(found.surrogate), surrogate, close * 10);
  EXPECT_NEAR(value(found.baseline), error, close * 10);
  EXPECT_NEAR(value(found.entropy), entropy, close * 10);
}

// Of each step: so many symbols are left, each as probable as symbols have been.
TEST_F(Objectives, AverageBaseline) {
  const Tensor found = average_baseline(pass, step_mask, -0.5);
  const std::vector<double> wanted = {-1.5, -1, -1, -0.5, -0.5, 0};
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_EQ(found.data()[i], wanted[i]) << i;
}

}  // namespace
}  // namespace fovea::objectives_test
