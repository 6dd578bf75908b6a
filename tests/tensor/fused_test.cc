// Fused operations against the same computation composed of smaller ones or written as plain loops, values and
// gradients alike; and rows of a batch against the same rows alone.
#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "base/as_size.h"
#include "support/gradient_check.h"
#include "tensor/op_cases.h"
#include "tensor/ops.h"

namespace fovea::fused_test {
namespace {

void expect_same_computation(const NamedInputs& inputs, const Operation& fused, const Operation& composed) {
  const RunResult a = run(inputs, fused);
  const RunResult b = run(inputs, composed);
  expect_close(a.output, b.output, "output");
  expect_same_gradients(inputs, a, b);
}

// A fixed tensor with these values.
Tensor fixed(Tape& tape, Shape shape, const std::vector<Real>& values) {
  const Tensor tensor = tape.make(shape);
  std::ranges::copy(values, tensor.data());
  return tensor;
}

// after where the mask is 1, before where it is 0: [batch, size] each.
Tensor choose(Tensor mask, Tensor after, Tensor before) {
  return add(multiply(mask, after), add(before, scale(multiply(mask, before), Real(-1))));
}

const OwnMask mask = mixed_mask();
constexpr int steps = 5, batch = 4, in = 3, size = 5;
const int order[2][steps] = {{0, 1, 2, 3, 4}, {4, 3, 2, 1, 0}};  // by direction

class Recurrent : public testing::TestWithParam<Direction> {
 protected:
  std::span<const int> steps_in_order() const { return order[GetParam() == Direction::forward ? 0 : 1]; }
};
INSTANTIATE_TEST_SUITE_P(Fused, Recurrent, testing::Values(Direction::forward, Direction::backward),
                         [](const auto& info) { return direction_name(info.param); });

TEST_P(Recurrent, LstmIsALoopOfSteps) {
  const NamedInputs inputs = {{"x", {steps, batch, in}}, {"w_x", {in, 4 * size}}, {"w_h", {size, 4 * size}},
                              {"b", {4 * size}},         {"h0", {batch, size}},   {"c0", {batch, size}}};
  const auto fused = [&](Ts t) {
    const auto [h, c] = lstm(t[0], {t[1], t[2], t[3]}, {t[4], t[5]}, mask, GetParam());
    return concat({h, c});
  };
  const auto from_projected = [&](Ts t) {
    const auto [h, c] = lstm(linear(t[0], t[1], t[3]), {{}, t[2], t[3]}, {t[4], t[5]}, mask, GetParam());
    return concat({h, c});
  };
  const auto composed = [&](Ts t) {
    const Tensor bits = fixed(t[0].tape(), {steps, batch, size}, mask.as_values(size));
    LstmState state = {t[4], t[5]};
    std::vector<Tensor> all(steps);
    for (const int i : steps_in_order()) {
      const Tensor gates = add(linear(step(t[0], i), t[1], t[3]), linear(state.h, t[2]));
      const LstmState next = lstm_step(gates, state.c);
      state = {choose(step(bits, i), next.h, state.h), choose(step(bits, i), next.c, state.c)};
      all[i] = concat({state.h, state.c});
    }
    return stack(all);
  };
  expect_same_computation(inputs, fused, composed);
  expect_same_computation(inputs, from_projected, composed);
}

TEST_P(Recurrent, GruIsALoopOfSteps) {
  const NamedInputs inputs = {{"x", {steps, batch, in}}, {"w_x", {in, 3 * size}}, {"b_x", {3 * size}},
                              {"w_h", {size, 3 * size}}, {"b_h", {3 * size}},     {"h0", {batch, size}}};
  const auto fused = [&](Ts t) { return gru(t[0], {t[1], t[2], t[3], t[4]}, t[5], mask, GetParam()); };
  const auto from_projected = [&](Ts t) {
    return gru(linear(t[0], t[1], t[2]), {{}, t[2], t[3], t[4]}, t[5], mask, GetParam());
  };
  const auto composed = [&](Ts t) {
    const Tensor bits = fixed(t[0].tape(), {steps, batch, size}, mask.as_values(size));
    Tensor h = t[5];
    std::vector<Tensor> all(steps);
    for (const int i : steps_in_order()) {
      const Tensor next = gru_step(linear(step(t[0], i), t[1], t[2]), linear(h, t[3], t[4]), h);
      all[i] = h = choose(step(bits, i), next, h);
    }
    return stack(all);
  };
  expect_same_computation(inputs, fused, composed);
  expect_same_computation(inputs, from_projected, composed);
}

TEST(Fused, LstmStepIsItsFormula) {
  const NamedInputs inputs = {{"gates", {3, 4 * size}}, {"c", {3, size}}};
  const auto fused = [](Ts t) {
    const auto [h, c] = lstm_step(t[0], t[1]);
    return concat({h, c});
  };
  const auto composed = [](Ts t) {
    const Tensor input = sigmoid(columns(t[0], 0, size)), forget = sigmoid(columns(t[0], size, size));
    const Tensor candidate = tanh(columns(t[0], 2 * size, size)), output = sigmoid(columns(t[0], 3 * size, size));
    const Tensor c = add(multiply(forget, t[1]), multiply(input, candidate));
    return concat({multiply(output, tanh(c)), c});
  };
  expect_same_computation(inputs, fused, composed);
}

TEST(Fused, GruStepIsItsFormula) {
  const NamedInputs inputs = {{"input_gates", {3, 3 * size}}, {"state_gates", {3, 3 * size}}, {"h", {3, size}}};
  const auto fused = [](Ts t) { return gru_step(t[0], t[1], t[2]); };
  const auto composed = [](Ts t) {
    const Tensor sum = add(t[0], t[1]);
    const Tensor reset = sigmoid(columns(sum, 0, size)), update = sigmoid(columns(sum, size, size));
    const Tensor candidate = tanh(add(columns(t[0], 2 * size, size), multiply(reset, columns(t[1], 2 * size, size))));
    return add(multiply(update, t[2]), add(candidate, scale(multiply(update, candidate), Real(-1))));
  };
  expect_same_computation(inputs, fused, composed);
}

// scores[q, b, i] = tanh(queries[q, b] + keys[i, b]) v, one product for each query and position.
TEST(Fused, AdditiveScoresAreTanhAndAProduct) {
  constexpr int queries = 3;
  const NamedInputs inputs = {{"queries", {queries, batch, size}}, {"keys", {steps, batch, size}}, {"v", {size}}};
  const auto fused = [](Ts t) { return additive_scores(t[0], t[1], t[2], mask); };
  const auto composed = [](Ts t) {
    const Tensor v = as_shape(t[2], {size, 1});
    const Tensor bits = fixed(t[0].tape(), {steps, batch, 1}, mask.as_values(1));
    std::vector<Tensor> rows;
    for (int q = 0; q < queries; ++q) {
      const auto score = [&](int i) {
        return multiply(step(bits, i), linear(tanh(add(step(t[0], q), step(t[1], i))), v));
      };
      rows.push_back(concat({score(0), score(1), score(2), score(3), score(4)}));
    }
    return stack(rows);
  };
  expect_same_computation(inputs, fused, composed);
}

TEST(Fused, MaskedSoftmaxIsAPlainLoop) {
  constexpr int queries = 3;
  const NamedInputs inputs = {{"scores", {queries, batch, steps}}};
  const RunResult found = run(inputs, [](Ts t) { return masked_softmax(t[0], mask); });
  std::vector<double> expected;
  for (int q = 0; q < queries; ++q) {
    for (int b = 0; b < batch; ++b) {
      const Real* scores = inputs[0].values.data() + (q * batch + b) * steps;
      double sum = 0;
      for (int i = 0; i < steps; ++i) sum += Mask(mask).data[i * batch + b] ? std::exp(double(scores[i])) : 0.0;
      for (int i = 0; i < steps; ++i) {
        expected.push_back(Mask(mask).data[i * batch + b] ? std::exp(double(scores[i])) / sum : 0.0);
      }
    }
  }
  expect_close(found.output, expected, "weights");
}

// Row b of a tensor [steps, batch, size], as it would stand in a batch of its own.
std::vector<Real> row_of(const std::vector<Real>& values, int b, int width) {
  std::vector<Real> row;
  for (int i = 0; i < std::ssize(values) / (batch * width); ++i) {
    const auto begin = values.begin() + (i * batch + b) * width;
    row.insert(row.end(), begin, begin + width);
  }
  return row;
}

// What a line's answer rests on: its bits do not depend on who else is in the batch.
TEST(BatchMates, ChangeNoBit) {
  const auto model = [](const OwnMask& real) {
    return [&real](Ts t) {
      const Tensor h = lstm(t[0], {t[1], t[2], t[3]}, {}, real, Direction::backward).h;
      const Tensor g = gru(h, {t[4], t[5], t[6], t[5]}, {}, real, Direction::forward);
      const Tensor weights = masked_softmax(additive_scores(g, h, t[7], real), real);
      return log_softmax(concat({weighted_sum(weights, h, real), masked_softmax(weights, real)}));
    };
  };
  NamedInputs inputs = {
      {"x", {steps, batch, in}},   {"w_x", {in, 4 * size}}, {"w_h", {size, 4 * size}},   {"b", {4 * size}},
      {"gru_x", {size, 3 * size}}, {"gru_b", {3 * size}},   {"gru_h", {size, 3 * size}}, {"v", {size}}};
  const std::vector<std::string> rows = {"11111", "11000", "01101", "00000"};
  const RunResult together = run(inputs, model(mask), {.any_wanted = false});
  const std::vector<Real> x = inputs[0].values;
  for (int b = 0; b < batch; ++b) {
    inputs[0] = {"x", {steps, 1, in}, row_of(x, b, in)};
    const OwnMask own({rows[as_size(b)]});
    const RunResult alone = run(inputs, model(own), {.any_wanted = false});
    EXPECT_EQ(alone.output, row_of(together.output, b, size + steps)) << "row " << b;
  }
}

}  // namespace
}  // namespace fovea::fused_test
