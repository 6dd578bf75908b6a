// Values and gradients of operations as PyTorch computes them (tests/golden/make_goldens.py).
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "golden/as_inputs.h"
#include "tensor/ops.h"

namespace fovea::ops_golden_test {
namespace {

Tensor flat(Tensor x) { return as_shape(x, {1, x.shape().count()}); }

// `operation` gives the outputs, each flat, one after the other.
void expect_golden(const Golden& golden, const NamedInputs& inputs, const std::vector<std::string>& outputs,
                   const Operation& operation) {
  PassOptions options{.calls = 1};
  std::vector<double> expected;
  for (const std::string& name : outputs) {
    const auto probe = golden.probe(name).as<Real>();
    const auto& values = golden.output(name).values;
    options.probe.insert(options.probe.end(), probe.begin(), probe.end());
    expected.insert(expected.end(), values.begin(), values.end());
  }
  const RunResult found = run(inputs, operation, options);
  expect_close(found.output, expected, "outputs", golden_tolerance);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string& name = inputs[i].name;
    expect_close(found.gradients[i], golden.gradient(name).values, "gradient of " + name, golden_tolerance);
  }
}

// Golden states are zero beyond a row's end, where ours go on unchanged.
Tensor real_steps(Tensor h, const OwnMask& mask) {
  const Tensor bits = h.tape().make(h.shape());
  std::ranges::copy(mask.as_values(h.shape().last()), bits.data());
  return multiply(h, bits);
}

void expect_golden_lstm(const std::string& file, Direction direction) {
  const Golden golden(file);
  const NamedInputs inputs = inputs_of(golden, {"x", "w_x", "w_h", "b", "h0", "c0"});
  const int steps = inputs[0].shape[0];
  const OwnMask mask = mask_of(golden.input("lengths"), steps);
  const int last = direction == Direction::forward ? steps - 1 : 0;
  expect_golden(golden, inputs, {"h", "h_last", "c_last"}, [&](Ts t) {
    const auto [h, c] = lstm(t[0], {t[1], t[2], t[3]}, {t[4], t[5]}, mask, direction);
    return concat({flat(real_steps(h, mask)), flat(step(h, last)), flat(step(c, last))});
  });
}

void expect_golden_gru(const std::string& file, Direction direction) {
  const Golden golden(file);
  const NamedInputs inputs = inputs_of(golden, {"x", "w_x", "b_x", "w_h", "b_h", "h0"});
  const int steps = inputs[0].shape[0];
  const OwnMask mask = mask_of(golden.input("lengths"), steps);
  const int last = direction == Direction::forward ? steps - 1 : 0;
  expect_golden(golden, inputs, {"h", "h_last"}, [&](Ts t) {
    const Tensor h = gru(t[0], {t[1], t[2], t[3], t[4]}, t[5], mask, direction);
    return concat({flat(real_steps(h, mask)), flat(step(h, last))});
  });
}

TEST(OpsGolden, Lstm) { expect_golden_lstm("lstm.json", Direction::forward); }
TEST(OpsGolden, LstmReverse) { expect_golden_lstm("lstm_reverse.json", Direction::backward); }
TEST(OpsGolden, Gru) { expect_golden_gru("gru.json", Direction::forward); }
TEST(OpsGolden, GruReverse) { expect_golden_gru("gru_reverse.json", Direction::backward); }

TEST(OpsGolden, AdditiveAttention) {
  const Golden golden("additive.json");
  const NamedInputs inputs = inputs_of(golden, {"queries", "memory", "w", "u", "b", "v"});
  const OwnMask mask = mask_of(golden.input("lengths"), inputs[1].shape[0]);
  expect_golden(golden, inputs, {"scores", "weights", "context"}, [&](Ts t) {
    const Tensor scores = additive_scores(linear(t[0], t[2]), linear(t[1], t[3], t[4]), t[5], mask);
    const Tensor weights = masked_softmax(scores, mask);
    return concat({flat(scores), flat(weights), flat(weighted_sum(weights, t[1], mask))});
  });
}

TEST(OpsGolden, LayerNorm) {
  const Golden golden("layer_norm.json");
  expect_golden(golden, inputs_of(golden, {"x", "gain", "bias"}), {"y"},
                [](Ts t) { return flat(layer_norm(t[0], t[1], t[2])); });
}

TEST(OpsGolden, CrossEntropy) {
  const Golden golden("cross_entropy.json");
  const std::vector<std::int32_t> targets = golden.input("targets").as<std::int32_t>();
  const Real smoothing = golden.input("smoothing").as<Real>()[0];
  expect_golden(golden, inputs_of(golden, {"logits"}), {"loss", "loss_smoothed"}, [&](Ts t) {
    return concat({cross_entropy(t[0], targets, {.ignored = 0}),
                   cross_entropy(t[0], targets, {.smoothing = smoothing, .ignored = 0})});
  });
}

void expect_golden_selection(const std::string& file, Tensor (*select)(Tensor, Mask)) {
  const Golden golden(file);
  const NamedInputs inputs = inputs_of(golden, {"scores"});
  const OwnMask mask = mask_of(golden.input("lengths"), inputs[0].shape[2]);
  expect_golden(golden, inputs, {"weights"}, [&](Ts t) { return flat(select(t[0], mask)); });
}

TEST(OpsGolden, Sparsemax) { expect_golden_selection("sparsemax.json", sparsemax); }
TEST(OpsGolden, Entmax) { expect_golden_selection("entmax.json", entmax); }

// The mixture as the output pointer_generator makes it; every position stands for its own symbol.
TEST(OpsGolden, PointerGenerator) {
  const Golden golden("pointer_generator.json");
  const NamedInputs inputs = inputs_of(golden, {"logits", "gate", "scores"});
  const OwnMask mask = mask_of(golden.input("lengths"), inputs[2].shape[2]);
  const auto source = golden.input("source").as<std::int32_t>(), targets = golden.input("targets").as<std::int32_t>();
  std::vector<std::int32_t> starts(source.size() + 1);
  std::iota(starts.begin(), starts.end(), 0);
  const std::vector<Real> shares(source.size(), Real(1));
  const CopyMapView copy_map = {starts, source, shares, static_cast<int>(golden.output("log_p").shape[2])};
  expect_golden(golden, inputs, {"log_p", "loss"}, [&](Ts t) {
    const Tensor gate = sigmoid(t[1]);
    const Tensor copying = scale_rows(masked_softmax(t[2], mask), shift(scale(gate, -1), 1));
    const Tensor log_p = log_mixture(t[0], gate, scatter_to_vocabulary(copying, copy_map));
    return concat({flat(log_p), flat(scale(sum(pick(log_p, targets, 0)), -1))});
  });
}

TEST(OpsGolden, Rotary) {
  const Golden golden("rotary.json");
  const int first = golden.input("first").as<int>()[0];
  expect_golden(golden, inputs_of(golden, {"x"}), {"turned", "at_once"},
                [&](Ts t) { return concat({flat(rotate(t[0], {first, 1})), flat(rotate(t[0], {first, 0}))}); });
}

}  // namespace
}  // namespace fovea::ops_golden_test
