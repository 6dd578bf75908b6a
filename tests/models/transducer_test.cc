// The whole encoder-decoder: its gradient, and that a step at a time gives what all at once gives.
#include "models/transducer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>
#include <vector>

#include "layers/loss_check.h"
#include "models/decoders/bridge.h"
#include "models/slow_transducer.h"

namespace fovea {
namespace {

constexpr int symbols = 7, start = 2, stop = 3;
using Sequences = std::vector<std::vector<std::int32_t>>;
const Sequences sources = {{4, 5, 6}, {6}, {5, 1, 4, 4}}, targets = {{5}, {4, 6, 5}, {}};  // ragged on both sides

Side side(const Sequences& sequences, Frame frame) {
  const std::vector<std::span<const std::int32_t>> rows(sequences.begin(), sequences.end());
  Side filled;
  fill_side(rows, frame, filled);
  return filled;
}

Batch ragged_batch() {
  return {side(sources, {.last = stop}), side(targets, {.first = start}), side(targets, {.last = stop}), {11, 12, 13}};
}

struct Case {
  std::string name;
  ModelOptions options;
  double dropout = 0;
  double sampling = 0;

  friend std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }
};

ModelOptions tiny() {
  ModelOptions options;
  options.encoder.size = options.encoder.embedding = 3;
  options.decoder.size = options.decoder.embedding = 3;
  options.attention.size = options.output.size = 3;
  return options;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const std::string style : {"bahdanau", "plain"}) {
    for (const std::string& cell : cell_names()) {
      for (const std::string& bridge : bridge_names()) {
        if (style == "plain" && bridge != "last" && bridge != "mean") continue;  // refused, see below
        for (const int layers : {1, 2}) {
          for (const bool both_ways : {false, true}) {
            ModelOptions options = tiny();
            options.decoder.style = style;
            options.encoder.cell = options.decoder.cell = cell;
            options.decoder.bridge = bridge;
            options.encoder.layers = options.decoder.layers = layers;
            options.encoder.bidirectional = both_ways;
            const char* direction = both_ways ? "both_ways" : "forward";
            all.push_back({fmt::format("{}_{}_{}_{}_{}", style, cell, bridge, layers, direction), options});
          }
        }
      }
    }
  }
  // What the grid leaves out.
  Case mixed = {"gru_to_lstm", tiny()};
  mixed.options.encoder.cell = "gru";
  all.push_back(mixed);
  mixed.name = "lstm_to_gru";
  std::swap(mixed.options.encoder.cell, mixed.options.decoder.cell);
  all.push_back(mixed);
  Case smoothed = {"label_smoothing", tiny()};
  smoothed.options.objective.label_smoothing = 0.2;
  all.push_back(smoothed);
  Case dropping = {"dropout", tiny(), 0.3};
  dropping.options.encoder.layers = dropping.options.decoder.layers = 2;
  all.push_back(dropping);
  all.push_back({"sampling", tiny(), 0, 0.5});
  return all;
}

// Filled with weights that make no gate saturate and no bias zero.
struct TinyModel {
  explicit TinyModel(const ModelOptions& options) : transducer(parameters, options, symbols, symbols) {
    parameters.allocate();
    std::ranges::copy(random_values(static_cast<int>(parameters.count()), "weights", Real(0.8)),
                      parameters.values().begin());
  }

  double loss(const Case& c, const Batch& batch, std::span<Real> gradient = {}) {
    parameters.invalidate_packed();
    std::vector<Real> ignored(gradient.empty() ? static_cast<std::size_t>(parameters.count()) : 0);
    const TrainingPass training = {gradient.empty() ? ignored : gradient, Random(1, Purpose::dropout), batch.samples,
                                   c.dropout, c.sampling};
    Pass pass(parameters, arena, training);
    const Transducer::Loss found = transducer.loss(pass, batch);
    if (!gradient.empty()) pass.tape().backward(found.total);
    return static_cast<double>(*found.total.data());
  }

  Parameters parameters;
  Transducer transducer;
  Arena arena;
};

class EveryTransducer : public testing::TestWithParam<Case> {};

TEST_P(EveryTransducer, GradientIsThatOfTheLoss) {
  const Batch batch = ragged_batch();
  TinyModel model(GetParam().options);
  std::vector<Real> gradient(static_cast<std::size_t>(model.parameters.count()));
  model.loss(GetParam(), batch, gradient);
  const Difference error = largest_loss_gradient_error(numbers_of(model.parameters, gradient),
                                                       [&] { return model.loss(GetParam(), batch); });
  EXPECT_LE(error.size, gradient_tolerance) << error.where;
}

TEST_P(EveryTransducer, EveryWeightMatters) {
  TinyModel model(GetParam().options);
  std::vector<Real> gradient(static_cast<std::size_t>(model.parameters.count()));
  model.loss(GetParam(), ragged_batch(), gradient);
  for (const Numbers& numbers : numbers_of(model.parameters, gradient)) {
    EXPECT_TRUE(std::ranges::any_of(numbers.gradient, [](Real g) { return g != 0; })) << numbers.name;
  }
}

// Along the targets, one step after another.
std::vector<std::vector<Real>> stepped(const TinyModel& model, StepModel& asked, const Batch& batch) {
  std::vector<std::vector<Real>> rows;
  Arena arenas[2];
  State state;
  for (int t = 0; t < batch.inputs.length; ++t) {
    Pass pass(model.parameters, arenas[t % 2]);
    if (t == 0) state = asked.start(pass);
    const auto previous =
        Ids(batch.inputs.ids)
            .subspan(static_cast<std::size_t>(t * batch.inputs.batch), static_cast<std::size_t>(batch.inputs.batch));
    const StepResult result = asked.step(pass, state, previous);
    rows.emplace_back(result.log_probabilities.values().begin(), result.log_probabilities.values().end());
    state = result.state;
  }
  return rows;
}

TEST_P(EveryTransducer, StepByStepIsAllAtOnce) {
  Case c = GetParam();
  c.options.objective.label_smoothing = 0;
  c.dropout = c.sampling = 0;
  const Batch batch = ragged_batch();
  TinyModel model(c.options);
  const double taught = model.loss(c, batch);
  Arena arena;
  Pass pass(model.parameters, arena);
  const auto asked = model.transducer.begin(pass, batch.source);
  const auto rows = stepped(model, *asked, batch);
  double sum = 0;
  for (std::size_t cell = 0; cell < batch.outputs.ids.size(); ++cell) {
    if (!batch.outputs.real[cell]) continue;
    const std::size_t t = cell / 3, b = cell % 3;
    sum -= static_cast<double>(rows[t][b * symbols + static_cast<std::size_t>(batch.outputs.ids[cell])]);
  }
  EXPECT_NEAR(sum, taught, 1e-5 * std::max(1.0, taught));
}

TEST_P(EveryTransducer, LossIsThatOfTheFormulas) {
  Case c = GetParam();
  c.options.objective.label_smoothing = 0;
  c.dropout = c.sampling = 0;
  TinyModel model(c.options);
  const SlowTransducer slow(model.parameters, c.options);
  double wanted = 0;
  for (std::size_t i = 0; i < sources.size(); ++i) wanted += slow.loss(sources[i], targets[i], start, stop);
  EXPECT_NEAR(model.loss(c, ragged_batch()), wanted, is_double ? 1e-10 : 1e-4);
}

TEST_P(EveryTransducer, PadsOfTheBatchDoNotCount) {
  Case c = GetParam();
  c.sampling = 0;
  TinyModel model(c.options);
  const double together = model.loss(c, ragged_batch());
  double alone = 0;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const Sequences source = {sources[i]}, target = {targets[i]};
    alone += model.loss(c, {side(source, {.last = stop}),
                            side(target, {.first = start}),
                            side(target, {.last = stop}),
                            {11 + static_cast<std::int64_t>(i)}});
  }
  EXPECT_NEAR(together, alone, (is_double ? 1e-12 : 1e-5) * together);
}

// Two hypotheses of three sources, then the second hypotheses of two of them in another order.
TEST_P(EveryTransducer, ASearchMayDropAndReorder) {
  TinyModel model(GetParam().options);
  model.parameters.invalidate_packed();
  Arena arena, even, odd;
  Pass pass(model.parameters, arena);
  const Batch batch = ragged_batch();
  const auto asked = model.transducer.begin(pass, batch.source);
  Pass first(model.parameters, odd);
  const StepResult one = asked->step(first, asked->start(first), std::vector<std::int32_t>(3, start));

  const auto ask = [&](const std::vector<std::int32_t>& rows, const std::vector<std::int32_t>& previous) {
    Pass next(model.parameters, even);
    const StepResult result = asked->step(next, one.state.rows(next, rows), previous);
    return std::vector<Real>(result.log_probabilities.values().begin(), result.log_probabilities.values().end());
  };
  const auto all = ask({0, 1, 2, 0, 1, 2}, {4, 5, 6, 6, 5, 4});  // row h * 3 + s
  asked->keep(std::vector<std::int32_t>{2, 0});
  EXPECT_EQ(asked->sources(), 2);
  const auto kept = ask({2, 0, 2, 0}, {6, 4, 4, 6});
  const int origin[] = {2, 0, 5, 3};
  for (int row = 0; row < 4; ++row) {
    for (int j = 0; j < symbols; ++j) {
      EXPECT_EQ(kept[row * symbols + j], all[origin[row] * symbols + j]) << "row " << row;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, EveryTransducer, testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param.name; });

TEST(Transducer, SourceWeighsOnTheLoss) {
  Case c = {"", tiny()};
  for (const std::string style : {"bahdanau", "plain"}) {
    c.options.decoder.style = style;
    TinyModel model(c.options);
    Batch batch = ragged_batch();
    const double before = model.loss(c, batch);
    batch.source.ids[0] = 6;
    EXPECT_GT(std::abs(model.loss(c, batch) - before), 1e-4) << style;
  }
}

TEST(Transducer, RefusesADecoderThatHearsNothing) {
  for (const std::string bridge : {"zero", "learned"}) {
    ModelOptions options = tiny();
    options.decoder.style = "plain";
    options.decoder.bridge = bridge;
    EXPECT_THROW(TinyModel model(options), Error) << bridge;
  }
}

TEST(Transducer, CountsTheStopSymbols) {
  TinyModel model(tiny());
  model.parameters.invalidate_packed();
  Pass pass(model.parameters, model.arena);
  EXPECT_EQ(model.transducer.loss(pass, ragged_batch()).symbols, 1 + 3 + 0 + 3);
}

}  // namespace
}  // namespace fovea
