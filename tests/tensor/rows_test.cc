// Values of the operations on single numbers, rows, masks and positions, against plain loops.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "support/gradient_check.h"
#include "tensor/op_case.h"
#include "tensor/ops.h"

namespace fovea::rows_test {
namespace {

// formula(i) is output i.
template <class Formula>
void expect_values(const NamedInputs& inputs, const Operation& operation, const Formula& formula) {
  const RunResult found = run(inputs, operation);
  std::vector<double> expected;
  for (int i = 0; i < std::ssize(found.output); ++i) expected.push_back(formula(i));
  expect_close(found.output, expected, "output");
}

TEST(Pointwise, IsItsFormula) {
  const NamedInputs two = {{"a", {3, 7}, random_values(21, "a", 4)}, {"b", {3, 7}, random_values(21, "b", 4)}};
  const auto a = [&](int i) { return double(two[0].values[i]); };
  const auto b = [&](int i) { return double(two[1].values[i]); };
  expect_values(two, [](Ts t) { return relu(t[0]); }, [&](int i) { return std::max(a(i), 0.0); });
  expect_values(two, [](Ts t) { return softplus(t[0]); }, [&](int i) { return std::log(1 + std::exp(a(i))); });
  expect_values(two, [](Ts t) { return log(t[0], 5); }, [&](int i) { return std::log(a(i) + 5); });
  expect_values(two, [](Ts t) { return shift(t[0], Real(0.25)); }, [&](int i) { return a(i) + 0.25; });
  expect_values(two, [](Ts t) { return minimum(t[0], t[1]); }, [&](int i) { return std::min(a(i), b(i)); });
}

TEST(GatherRows, KeepsAllAxesButTheFirst) {
  const std::vector<std::int32_t> rows = {2, 0};
  const std::vector<std::pair<Shape, std::string>> shapes = {
      {{3}, "[2]"}, {{3, 2}, "[2, 2]"}, {{3, 2, 4}, "[2, 2, 4]"}, {{3, 2, 4, 5}, "[2, 2, 4, 5]"}};
  for (const auto& [shape, wanted] : shapes) {
    const NamedInputs x = {{"x", shape}};
    std::string found;
    const auto gathered = run(x, [&](Ts t) {
      const Tensor y = gather_rows(t[0], rows);
      found = y.shape().text();
      return y;
    });
    EXPECT_EQ(found, wanted);
    const std::vector<Real>& all = x[0].values;
    const auto size = std::ssize(all) / 3;
    std::vector<Real> expected(all.end() - size, all.end());
    expected.insert(expected.end(), all.begin(), all.begin() + size);
    EXPECT_EQ(gathered.output, expected) << wanted;
  }
}

TEST(Concat, OfOneIsThatOne) {
  const NamedInputs x = {{"x", {2, 3}}};
  EXPECT_EQ(run(x, [](Ts t) { return concat({t[0]}); }).output, x[0].values);
}

TEST(Products, WantShapesThatMeet) {
  const NamedInputs inputs = {{"x", {2, 3}}, {"weight", {4, 5}}, {"base", {2, 5}}};
  EXPECT_THROW(run(inputs, [](Ts t) { return linear(t[0], t[1]); }), Error);
  EXPECT_THROW(run(inputs, [](Ts t) { return add_products(t[2], {{t[0], t[1]}}); }), Error);
}

TEST(Pointwise, ShapesThatDifferAreNamedInTheirOrder) {
  try {
    run({{"a", {2, 3}}, {"b", {3, 2}}}, [](Ts t) { return add(t[0], t[1]); });
    FAIL() << "they were added";
  } catch (const Error& e) {
    EXPECT_EQ(e.what(), fmt::format("add: {} and {} differ", Shape({2, 3}).text(), Shape({3, 2}).text()));
  }
}

TEST(Pointwise, SoftplusOfExtremesIsFinite) {
  const NamedInputs x = {{"x", {4}, {1000, -1000, Real(1e30), Real(-1e30)}}};
  const RunResult found = run(x, [](Ts t) { return softplus(t[0]); }, {.calls = 1, .probe = {1, 1, 1, 1}});
  EXPECT_EQ(found.output, (std::vector<Real>{1000, 0, Real(1e30), 0}));
  EXPECT_EQ(found.gradients[0], (std::vector<Real>{1, 0, 1, 0}));
}

TEST(Pointwise, OfEqualValuesTheFirstIsTheMinimum) {
  const NamedInputs equal = {{"a", {1}, {3}}, {"b", {1}, {3}}};
  const RunResult found = run(equal, [](Ts t) { return minimum(t[0], t[1]); }, {.calls = 1, .probe = {5}});
  EXPECT_EQ(found.gradients[0], std::vector<Real>{5});
  EXPECT_EQ(found.gradients[1], std::vector<Real>{0});
}

TEST(Detach, KeepsTheValuesAndPassesNothingBack) {
  const NamedInputs x = {{"x", {3}, {1, 2, 3}}};
  const RunResult alone = run(x, [](Ts t) { return detach(t[0]); });
  EXPECT_EQ(alone.output, x[0].values);
  EXPECT_FALSE(alone.output_wants_gradient);
  const auto product = [](Ts t) { return multiply(t[0], detach(tanh(t[0]))); };
  const RunResult found = run(x, product, {.calls = 1, .probe = {1, 1, 1}});
  expect_close(found.gradients[0], std::vector<double>{std::tanh(1.0), std::tanh(2.0), std::tanh(3.0)}, "gradient");
}

constexpr int columns_of_x = 7;
const NamedInput x_input = {"x", {2, 3, columns_of_x}};
double x_at(int r, int j) { return x_input.values[r * columns_of_x + j]; }

TEST(Rows, AreSummedScaledAndPicked) {
  const NamedInputs inputs = {x_input, {"row", {columns_of_x}}, {"factors", {2, 3, 1}}};
  const auto x = [](int i) { return x_at(i / columns_of_x, i % columns_of_x); };
  expect_values(
      inputs, [](Ts t) { return add_row(t[0], t[1]); },
      [&](int i) { return x(i) + inputs[1].values[i % columns_of_x]; });
  expect_values(
      inputs, [](Ts t) { return scale_rows(t[0], t[2]); },
      [&](int i) { return x(i) * inputs[2].values[i / columns_of_x]; });
  expect_values(inputs, [](Ts t) { return sum_steps(t[0]); }, [&](int i) { return x(i) + x(i + 3 * columns_of_x); });
  double total = 0;
  for (const Real value : x_input.values) total += value;
  expect_values(inputs, [](Ts t) { return sum(t[0]); }, [&](int) { return total; });
  expect_values(inputs, [](Ts t) { return columns(t[0], 3, 2); }, [](int i) { return x_at(i / 2, 3 + i % 2); });
  const std::vector<std::int32_t> ids = {1, 0, 6, 3, 0, 2};
  expect_values(
      inputs, [&](Ts t) { return pick(t[0], ids, 0); }, [&](int r) { return ids[r] ? x_at(r, ids[r]) : 0.0; });
}

TEST(Rows, HaveLengthAndLogSum) {
  const auto sum_over = [](int r, auto term) {
    double sum = 0;
    for (int j = 0; j < columns_of_x; ++j) sum += term(x_at(r, j));
    return sum;
  };
  expect_values(
      {x_input}, [](Ts t) { return unit_rows(t[0]); },
      [&](int i) {
        const int r = i / columns_of_x;
        return x_at(r, i % columns_of_x) / std::sqrt(sum_over(r, [](double v) { return v * v; }));
      });
  expect_values(
      {x_input}, [](Ts t) { return log_sum(t[0]); },
      [&](int r) { return std::log(sum_over(r, [](double v) { return std::exp(v); })); });
}

TEST(Rows, ARowOfZerosHasNoDirection) {
  const NamedInputs inputs = {{"x", {3, 2}, {0, 0, 3, 4, Real(0.003), Real(0.004)}}};
  const RunResult found = run(inputs, [](Ts t) { return unit_rows(t[0]); });
  expect_close(found.output, std::vector<double>{0, 0, 0.6, 0.8, 0.6, 0.8}, "unit rows");
  EXPECT_EQ(found.gradients[0][0], 0);
}

TEST(Rows, WhatDoesNotFitIsRefused) {
  Arena arena;
  Tape tape(arena);
  const Tensor x = tape.make({2, 3, 7});
  const std::vector<std::int32_t> ids = {1, 0, 7, 3, 0, 2};
  std::ranges::fill(x.values(), Real(1));
  EXPECT_ANY_THROW(pick(x, ids, -1));
  EXPECT_ANY_THROW(pick(x, Ids(ids).first(5), -1));
  EXPECT_NO_THROW(pick(x, ids, 7));
  EXPECT_ANY_THROW(columns(x, 5, 3));
  EXPECT_ANY_THROW(columns(x, -1, 3));
  EXPECT_ANY_THROW(add_row(x, tape.make({6})));
  EXPECT_ANY_THROW(scale_rows(x, tape.make({2, 3})));
  EXPECT_ANY_THROW(layer_norm(x, tape.make({6}), tape.make({7})));
  EXPECT_ANY_THROW(sum_steps(tape.make({7})));
  EXPECT_ANY_THROW(minimum(x, tape.make({2, 7, 3})));
  EXPECT_ANY_THROW(rotate(x, {}));
  EXPECT_ANY_THROW(relative_bias(tape.make({2, 3, 6}), 5, {}));
}

// Attention over [positions, batch, size].
constexpr int positions = 5, batch = 4, size = 7;

TEST(Attention, SeesWhatTheMaskSays) {
  const OwnMask own = mixed_mask();
  const NamedInputs inputs = {{"queries", {positions, batch, size}}, {"keys", {positions, batch, size}}};
  for (const int causal : {-1, 0, 2, 100}) {
    Mask mask = own;
    mask.causal = causal;
    const auto attend = [&](Ts t) {
      const Tensor scores = dot_scores(t[0], t[1], Real(0.5), mask);
      const Tensor weights = masked_softmax(scores, mask);
      return concat({scores, weights, weighted_sum(weights, t[1], mask)});
    };
    std::vector<double> expected;
    for (int q = 0; q < positions; ++q) {
      for (int b = 0; b < batch; ++b) {
        std::vector<double> scores(positions), weights(positions), context(size);
        double total = 0;
        for (int i = 0; i < positions; ++i) {
          if (!mask.sees(q, b, i)) continue;
          for (int j = 0; j < size; ++j) {
            scores[i] +=
                0.5 * inputs[0].values[(q * batch + b) * size + j] * inputs[1].values[(i * batch + b) * size + j];
          }
          total += weights[i] = std::exp(scores[i]);
        }
        for (int i = 0; i < positions && total > 0; ++i) {
          weights[i] /= total;
          for (int j = 0; j < size; ++j) context[j] += weights[i] * inputs[1].values[(i * batch + b) * size + j];
        }
        for (const auto& part : {scores, weights, context}) expected.insert(expected.end(), part.begin(), part.end());
      }
    }
    expect_close(run(inputs, attend).output, expected, "causal " + std::to_string(causal));
  }
}

TEST(Attention, AnExcludedScoreWeighsNothing) {
  const OwnMask all({"111", "111"});
  const NamedInputs scores = {{"scores", {1, 2, 3}, {Real(-1e30), 2, 2, Real(-1e30), Real(-1e30), Real(-2e30)}}};
  const RunResult found = run(scores, [&](Ts t) { return masked_softmax(t[0], all); });
  EXPECT_EQ(found.output, (std::vector<Real>{0, Real(0.5), Real(0.5), 0, 0, 0}));
  for (const int i : {0, 3, 4, 5}) EXPECT_EQ(found.gradients[0][i], 0) << i;
}

TEST(Positions, ByDistanceHoldsWhatIsFar) {
  const NamedInputs inputs = {{"x", {2, 3, 5}}};
  for (const int stride : {0, 1}) {
    expect_values(
        inputs, [&](Ts t) { return relative_bias(t[0], 9, {.first = 3, .stride = stride}); },
        [&](int out) {
          const int row = out / 9, distance = out % 9 - (3 + row / 3 * stride);
          return inputs[0].values[row * 5 + 2 + std::max(-2, std::min(2, distance))];
        });
  }
}

TEST(Positions, RotateTurnsPairs) {
  const NamedInputs inputs = {{"x", {4, 2, 6}}};
  expect_values(
      inputs, [](Ts t) { return rotate(t[0], {.first = 5, .stride = 1}); },
      [&](int out) {
        const int step = 5 + out / 12, pair = out % 6 - out % 2;
        const double angle = step * std::pow(10000.0, -pair / 6.0);
        const double even = inputs[0].values[out / 2 * 2], odd = inputs[0].values[out / 2 * 2 + 1];
        return out % 2 ? even * std::sin(angle) + odd * std::cos(angle)
                       : even * std::cos(angle) - odd * std::sin(angle);
      });
}

// What rotary positions are for: a product depends on how far two steps are apart, not on where they stand.
TEST(Positions, ProductsOfRotatedRowsDependOnTheDistance) {
  const NamedInputs inputs = {{"q", {1, 1, 8}}, {"k", {1, 1, 8}}};
  const OwnMask one({"1"});  // it must outlive the backward pass
  const auto score = [&](int q, int k) {
    const RunResult found =
        run(inputs, [&](Ts t) { return dot_scores(rotate(t[0], {.first = q}), rotate(t[1], {.first = k}), 1, one); });
    return found.output;
  };
  expect_close(score(3, 5), score(40, 42), "score");
  EXPECT_GT(largest_difference(score(3, 5), score(3, 6)).size, 1e-3);
}

// An entry of the batch keeps its bits whoever else is there, and however far it is padded.
TEST(Attention, BatchMatesAndPadsChangeNoBit) {
  const NamedInputs alone = {{"q", {4, 1, 19}}, {"k", {3, 1, 19}}};
  const auto attend = [](const OwnMask& mask) {
    return [&mask](Ts t) {
      const Tensor weights = masked_softmax(dot_scores(t[0], t[1], 1, mask), mask);
      return weighted_sum(weights, t[1], mask);
    };
  };
  const OwnMask short_mask({"111"});
  const RunResult expected = run(alone, attend(short_mask), {.calls = 1, .probe = random_values(76, "probe")});

  // The same row as the second of two, with five pads.
  NamedInputs padded = {{"others", {4, 2, 19}}, {"keys", {8, 2, 19}}};
  std::vector<Real> probe = random_values(152, "other probe");
  const auto second = [](std::vector<Real>& values, int r) { return values.begin() + (r * 2 + 1) * 19; };
  const auto own_probe = random_values(76, "probe");
  for (int r = 0; r < 4; ++r) {
    std::copy_n(alone[0].values.begin() + r * 19, 19, second(padded[0].values, r));
    std::copy_n(own_probe.begin() + r * 19, 19, second(probe, r));
    if (r < 3) std::copy_n(alone[1].values.begin() + r * 19, 19, second(padded[1].values, r));
  }
  const OwnMask long_mask({"11111111", "11100000"});
  RunResult found = run(padded, attend(long_mask), {.calls = 1, .probe = probe});
  for (int r = 0; r < 4; ++r) {
    for (int j = 0; j < 19; ++j) {
      EXPECT_EQ(second(found.output, r)[j], expected.output[r * 19 + j]);
      EXPECT_EQ(second(found.gradients[0], r)[j], expected.gradients[0][r * 19 + j]);
      if (r < 3) {
        EXPECT_EQ(second(found.gradients[1], r)[j], expected.gradients[1][r * 19 + j]);
      }
    }
  }
}

}  // namespace
}  // namespace fovea::rows_test
