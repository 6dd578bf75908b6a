// What ops/selections.cc computes, against its definition written as plain loops in double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "support/gradient_check.h"
#include "tensor/op_cases_selections.h"
#include "tensor/ops.h"

namespace fovea::selections_test {
namespace {

constexpr int queries = 3, batch = 4, positions = 5;
const Shape scores_shape = {queries, batch, positions};

using Numbers = std::vector<double>;

// What a query sees, one vector for each input.
struct Seen {
  int row = 0;  // query * batch + row of the batch
  std::vector<int> positions;
  std::vector<Numbers> in;
};

std::vector<Seen> seen_rows(const NamedInputs& inputs, const Mask& mask) {
  std::vector<Seen> rows;
  for (int row = 0; row < queries * batch; ++row) {
    Seen seen = {row, {}, std::vector<Numbers>(inputs.size())};
    for (int i = 0; i < positions; ++i) {
      if (!mask.sees(row / batch, row % batch, i)) continue;
      seen.positions.push_back(i);
      for (std::size_t k = 0; k < inputs.size(); ++k) seen.in[k].push_back(inputs[k].values[row * positions + i]);
    }
    if (!seen.positions.empty()) rows.push_back(seen);
  }
  return rows;
}

// From the inputs at the positions seen to the weights there.
using RowFormula = std::function<Numbers(const std::vector<Numbers>&)>;

// Zeros at positions not seen.
Numbers by_formula(const NamedInputs& inputs, const Mask& mask, const RowFormula& formula) {
  Numbers weights(queries * batch * positions, 0.0);
  for (const Seen& seen : seen_rows(inputs, mask)) {
    const Numbers found = formula(seen.in);
    for (std::size_t k = 0; k < found.size(); ++k) weights[seen.row * positions + seen.positions[k]] = found[k];
  }
  return weights;
}

NamedInput probabilities(const std::string& name, Real most) {
  NamedInput input = {name, scores_shape, random_values(scores_shape.count(), name)};
  for (Real& value : input.values) value = most * (value + 1) / 2;
  return input;
}

NamedInput scores_up_to(Real largest) {
  return {"scores", scores_shape, random_values(scores_shape.count(), "scores", largest)};
}

template <class Values>
double sum_of(const Values& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

// max(0, factor z_i - threshold)^power, the threshold by bisection such that they sum to one.
RowFormula above_threshold(double factor, double power) {
  return [=](const std::vector<Numbers>& in) {
    const auto weights_at = [&](double threshold) {
      Numbers weights;
      for (const double z : in[0]) weights.push_back(std::pow(std::max(0.0, factor * z - threshold), power));
      return weights;
    };
    double low = factor * std::ranges::min(in[0]) - 1, high = factor * std::ranges::max(in[0]);
    for (int i = 0; i < 100; ++i) {
      const double middle = (low + high) / 2;
      (sum_of(weights_at(middle)) > 1 ? low : high) = middle;
    }
    return weights_at(low);
  };
}

class Selections : public testing::TestWithParam<SeenBy> {};
INSTANTIATE_TEST_SUITE_P(Seen, Selections, testing::ValuesIn(seen_by_all_or_few()),
                         [](const auto& info) { return info.param.name; });

TEST_P(Selections, SparsemaxAndEntmaxExceedAThreshold) {
  const SeenBy& mask = GetParam();
  for (const Real largest : {Real(0.1), Real(1), Real(3), Real(100)}) {
    const NamedInputs inputs = {scores_up_to(largest)};
    const auto sparse = run(inputs, [&](Ts in) { return sparsemax(in[0], mask); }).output;
    const auto between = run(inputs, [&](Ts in) { return entmax(in[0], mask); }).output;
    const double tolerance = is_double ? 1e-12 : 2e-6 * std::max(Real(1), largest);
    expect_close(sparse, by_formula(inputs, mask, above_threshold(1, 1)), "sparsemax", tolerance);
    expect_close(between, by_formula(inputs, mask, above_threshold(0.5, 2)), "entmax", tolerance);
  }
}

TEST_P(Selections, SigmoidsAreByThemselves) {
  const NamedInputs inputs = {scores_up_to(3)};
  const auto formula = [](const std::vector<Numbers>& in) {
    Numbers weights;
    for (const double z : in[0]) weights.push_back(1 / (1 + std::exp(-z)));
    return weights;
  };
  const auto found = run(inputs, [&](Ts in) { return masked_sigmoid(in[0], GetParam()); }).output;
  expect_close(found, by_formula(inputs, GetParam(), formula), "weights");
}

// The explicit sum: from each place j it stops at i if it does so nowhere from j to i - 1.
TEST_P(Selections, WalkIsASumOverWhereItCameFrom) {
  const NamedInputs inputs = {probabilities("stops", 1), probabilities("before", Real(0.2))};
  const auto formula = [](const std::vector<Numbers>& in) {
    Numbers weights(in[0].size(), 0.0);
    for (std::size_t j = 0; j < weights.size(); ++j) {
      double left = in[1][j];
      for (std::size_t i = j; i < weights.size(); ++i) {
        weights[i] += left * in[0][i];
        left *= 1 - in[0][i];
      }
    }
    return weights;
  };
  const auto found = run(inputs, [&](Ts in) { return walk(in[0], in[1], GetParam()); }).output;
  expect_close(found, by_formula(inputs, GetParam(), formula), "weights");
}

TEST_P(Selections, JumpIsADoubleSum) {
  const NamedInputs inputs = {scores_up_to(5), probabilities("before", Real(0.2))};
  const auto formula = [](const std::vector<Numbers>& in) {
    Numbers weights(in[0].size(), 0.0);
    for (std::size_t j = 0; j < weights.size(); ++j) {
      double sum = 0;
      for (std::size_t k = j; k < weights.size(); ++k) sum += std::exp(in[0][k]);
      for (std::size_t i = j; i < weights.size(); ++i) weights[i] += in[1][j] * std::exp(in[0][i]) / sum;
    }
    return weights;
  };
  const auto found = run(inputs, [&](Ts in) { return jump(in[0], in[1], GetParam()); }).output;
  expect_close(found, by_formula(inputs, GetParam(), formula), "weights");
}

TEST_P(Selections, PosteriorIsBayesRule) {
  const NamedInputs inputs = {probabilities("prior", Real(0.2)), scores_up_to(5)};
  const auto joint = [](const std::vector<Numbers>& in) {
    Numbers products;
    for (std::size_t i = 0; i < in[0].size(); ++i) products.push_back(in[0][i] * std::exp(in[1][i]));
    return products;
  };
  const auto formula = [&](const std::vector<Numbers>& in) {
    Numbers shares = joint(in);
    const double sum = sum_of(shares);
    for (double& share : shares) share /= sum;
    return shares;
  };
  const auto weights = run(inputs, [&](Ts in) { return posterior(in[0], in[1], GetParam()).weights; }).output;
  expect_close(weights, by_formula(inputs, GetParam(), formula), "weights");
  const auto log_sums = run(inputs, [&](Ts in) { return posterior(in[0], in[1], GetParam()).log_sum; }).output;
  Numbers expected(queries * batch, -1e4);
  for (const Seen& seen : seen_rows(inputs, GetParam())) expected[seen.row] = std::log(sum_of(joint(seen.in)));
  expect_close(log_sums, expected, "log_sums");
}

// One query over one row.
NamedInput one_row(const std::string& name, std::vector<Real> values) {
  return {name, {1, 1, static_cast<int>(values.size())}, std::move(values)};
}

bool all_finite(const std::vector<Real>& values) {
  return std::ranges::all_of(values, [](Real v) { return std::isfinite(v); });
}

class LongRow : public testing::Test {
 protected:
  static constexpr int length = 500;
  const OwnMask mask{{std::string(length, '1')}};
  std::vector<Real> at_start() const {
    std::vector<Real> before(length, Real(0));
    before[0] = 1;
    return before;
  }
};

TEST_F(LongRow, WalksStayFinite) {
  for (const Real stop : {Real(1e-30), Real(1e-6), Real(0.5), Real(1 - 1e-6), Real(1)}) {
    const NamedInputs inputs = {one_row("stops", std::vector<Real>(length, stop)), one_row("before", at_start())};
    const RunResult found = run(inputs, [&](Ts in) { return walk(in[0], in[1], mask); });
    EXPECT_TRUE(all_finite(found.output) && all_finite(found.gradients[0]) && all_finite(found.gradients[1])) << stop;
    EXPECT_TRUE(std::ranges::all_of(found.output, [](Real w) { return w >= 0; })) << stop;
    // All but those that stop nowhere.
    EXPECT_NEAR(sum_of(found.output), 1 - std::pow(1 - double(stop), length), 1e-5) << stop;
  }
}

TEST_F(LongRow, JumpsKeepAllThereIsWhateverTheScores) {
  for (const Real largest : {Real(0), Real(10), Real(1e4)}) {
    const NamedInputs inputs = {one_row("scores", random_values(length, "scores", largest)),
                                one_row("before", at_start())};
    const RunResult found = run(inputs, [&](Ts in) { return jump(in[0], in[1], mask); });
    EXPECT_TRUE(all_finite(found.output) && all_finite(found.gradients[0]) && all_finite(found.gradients[1]));
    EXPECT_NEAR(sum_of(found.output), 1, 1e-5) << largest;
  }
}

TEST(Jump, GoesOnFromAHighScoreWithWhatLittleIsLeft) {
  const OwnMask mask({"111"});
  const NamedInputs inputs = {one_row("scores", {40, 0, 0}), one_row("before", {1, 0, 0})};
  const auto found = run(inputs, [&](Ts in) { return jump(in[0], in[1], mask); }).output;
  EXPECT_NEAR(found[1] / std::exp(-40.0), 1, 1e-5);
}

TEST(Posterior, OfUnlikelySymbols) {
  const OwnMask mask({"1110"});
  const NamedInputs inputs = {one_row("prior", {Real(0.5), Real(0.25), 0, Real(0.25)}),
                              one_row("log_likelihoods", {-1000, -1001, -3, -2})};
  const auto weights = run(inputs, [&](Ts in) { return posterior(in[0], in[1], mask).weights; });
  const double second = 0.5 / std::exp(1);  // for each unit of the first
  expect_close(weights.output, Numbers{1 / (1 + second), second / (1 + second), 0, 0}, "weights");
  const auto log_sum = run(inputs, [&](Ts in) { return posterior(in[0], in[1], mask).log_sum; });
  expect_close(log_sum.output, Numbers{-1000 + std::log(0.5 * (1 + second))}, "log_sum", 1e-6);
  for (const RunResult& result : {weights, log_sum}) {
    for (const auto& gradient : result.gradients) {
      EXPECT_NE(gradient[0], 0);
      EXPECT_EQ(gradient[2], 0) << "no prior";
      EXPECT_EQ(gradient[3], 0) << "not real";
    }
  }
}

// However much more likely one position makes the symbol than the others, the first and the last included.
TEST(Posterior, OfOnePositionAlone) {
  const OwnMask mask({"111"});
  for (std::size_t certain = 0; certain < 3; ++certain) {
    std::vector<Real> log_likelihoods(3, -2000);
    log_likelihoods[certain] = -1;
    const NamedInputs inputs = {one_row("prior", {Real(0.5), Real(0.25), Real(0.25)}),
                                one_row("log_likelihoods", log_likelihoods)};
    const auto found = run(inputs, [&](Ts in) {
      const auto [log_sum, weights] = posterior(in[0], in[1], mask);
      return concat({log_sum, weights});
    });
    Numbers wanted(4, 0);
    wanted[0] = std::log(certain == 0 ? 0.5 : 0.25) - 1;
    wanted[certain + 1] = 1;
    expect_close(found.output, wanted, "log_sum and weights", 1e-6);
  }
}

TEST(Posterior, OfTheImpossible) {
  const OwnMask mask({"11"});
  const NamedInputs nowhere = {one_row("prior", {0, 0}), one_row("log_likelihoods", {-1, -2})};
  const NamedInputs nothing = {one_row("prior", {Real(0.5), Real(0.5)}),
                               one_row("log_likelihoods", {Real(-HUGE_VAL), Real(-HUGE_VAL)})};
  for (const NamedInputs& inputs : {nowhere, nothing}) {
    const RunResult found = run(inputs, [&](Ts in) {
      const auto [log_sum, weights] = posterior(in[0], in[1], mask);
      return concat({log_sum, weights});
    });
    EXPECT_EQ(found.output, (std::vector<Real>{Real(-1e4), 0, 0}));
    for (const auto& gradient : found.gradients) EXPECT_EQ(gradient, std::vector<Real>(2, 0));
  }
}

TEST(Posterior, OfAPriorNextToNothing) {
  const OwnMask mask({"1"});
  const NamedInputs inputs = {one_row("prior", {std::numeric_limits<Real>::denorm_min()}),
                              one_row("log_likelihoods", {0})};
  const RunResult found = run(inputs, [&](Ts in) { return posterior(in[0], in[1], mask).log_sum; });
  EXPECT_TRUE(all_finite(found.output) && all_finite(found.gradients[0]));
}

TEST(Thresholds, LeaveOutWhatWasRuledOut) {
  const OwnMask mask({"1111"});
  const NamedInputs inputs = {one_row("scores", {Real(-1e30), 2, 2, Real(-1e30)})};
  const std::vector<Real> expected = {0, Real(0.5), Real(0.5), 0};
  expect_close(run(inputs, [&](Ts in) { return sparsemax(in[0], mask); }).output, expected, "sparsemax");
  expect_close(run(inputs, [&](Ts in) { return entmax(in[0], mask); }).output, expected, "entmax");
}

TEST(Thresholds, DoNotHideWhatIsNotANumber) {
  const OwnMask mask({"111"});
  const NamedInputs inputs = {one_row("scores", {0, NAN, 1})};
  EXPECT_FALSE(all_finite(run(inputs, [&](Ts in) { return sparsemax(in[0], mask); }).output));
  EXPECT_FALSE(all_finite(run(inputs, [&](Ts in) { return entmax(in[0], mask); }).output));
}

TEST(StraightThrough, HasTheValuesOfOneAndPassesBackToTheOther) {
  const NamedInputs inputs = {{"hard", {2, 3}}, {"soft", {2, 3}}};
  const PassOptions once = {.calls = 1, .probe = {1, 2, 3, 4, 5, 6}};
  const RunResult found = run(inputs, [](Ts in) { return straight_through(in[0], in[1]); }, once);
  EXPECT_EQ(found.output, inputs[0].values);
  EXPECT_EQ(found.gradients[0], std::vector<Real>(6, 0));
  EXPECT_EQ(found.gradients[1], once.probe);
}

// Which of scores 1, 2, 3, ... are kept around each centre, as one digit each; 0 for the others.
std::string kept(const SeenBy& mask, const std::vector<Real>& centres, int width) {
  const int count = static_cast<int>(centres.size()), length = Mask(mask).positions;
  NamedInputs inputs = {{"scores", {count, 1, length}}, {"centres", {count, 1, 1}, centres}};
  for (int i = 0; i < count * length; ++i) inputs[0].values[i] = Real(i % length + 1);
  const auto found = run(inputs, [&](Ts in) { return keep_window(in[0], in[1], width, mask); }).output;
  std::string digits;
  for (int i = 0; i < count * length; ++i) {
    if (i > 0 && i % length == 0) digits += ' ';
    digits += found[i] == Real(-1e30) ? "0" : std::to_string(static_cast<int>(found[i]));
  }
  return digits;
}

TEST(KeepWindow, StaysInsideTheRow) {
  const SeenBy all = {"", OwnMask({"111111"})}, some = {"", OwnMask({"011110"})}, none = {"", OwnMask({"000000"})};
  EXPECT_EQ(kept(all, {0, Real(2.4), Real(2.6), 5}, 1), "120000 023400 003450 000056");
  EXPECT_EQ(kept(all, {Real(-1e20), Real(1e20)}, 1), "120000 000056");
  EXPECT_EQ(kept(some, {0, 5}, 1), "023000 000450");
  EXPECT_EQ(kept(all, {3}, 0), "000400");
  EXPECT_EQ(kept(all, {Real(2.5)}, 0), "000400");
  EXPECT_EQ(kept(all, {3}, 9), "123456");
  EXPECT_EQ(kept(none, {3}, 9), "000000");
  EXPECT_EQ(kept({"", OwnMask({"110011"})}, {3}, 0), "000050") << "a hole";
  EXPECT_EQ(kept({"", OwnMask({"111111"}), 1}, {5, 5, 0}, 1), "120000 023000 120000") << "causal";
}

TEST(GaussianWindow, IsOneAtItsCentre) {
  const OwnMask mask({"11101"});
  const NamedInputs inputs = {{"centres", {2, 1, 1}, {1, Real(3.5)}}};
  const auto found = run(inputs, [&](Ts in) { return gaussian_window(in[0], 2, mask); }).output;
  const auto at = [](double distance) { return std::exp(-distance * distance / 8); };
  expect_close(found, Numbers{at(1), 1, at(1), 0, at(3), at(3.5), at(2.5), at(1.5), 0, at(0.5)}, "window");
}

TEST(SelectionShapes, WantAMaskThatFits) {
  const OwnMask mask({"11111"});
  const NamedInputs inputs = {{"scores", {2, 1, 4}}};
  EXPECT_THROW(run(inputs, [&](Ts in) { return sparsemax(in[0], mask); }), Error);
  EXPECT_THROW(run(inputs, [&](Ts in) { return walk(in[0], in[0], mask); }), Error);
  EXPECT_THROW(run(inputs, [&](Ts in) { return jump(in[0], in[0], mask); }), Error);
  EXPECT_THROW(run(inputs, [&](Ts in) { return gaussian_window(in[0], 1, mask); }), Error);
}

}  // namespace
}  // namespace fovea::selections_test
