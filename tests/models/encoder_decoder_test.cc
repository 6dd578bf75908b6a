// The recurrent encoder-decoder against the formulas written down once more, with every cell, bridge and depth; and
// what training adds to it.
#include "models/encoder_decoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <ostream>
#include <string>
#include <vector>

#include "base/as_size.h"
#include "models/decoders/bridge.h"
#include "models/oracles/objectives.h"
#include "models/tiny_model.h"

namespace fovea::transducer_test {
namespace {

struct Case {
  std::string name;
  ModelOptions options;
  double dropout = 0;
  double sampling = 0;

  friend std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const std::string style : {"bahdanau", "plain"}) {
    for (const std::string& cell : cell_names()) {
      for (const std::string& bridge : bridge_names()) {
        if (style == "plain" && bridge != "last" && bridge != "mean") continue;  // refused
        for (const int layers : {1, 2}) {
          for (const bool both_ways : {false, true}) {
            ModelOptions options = tiny_options();
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
  // What the map leaves out.
  Case mixed = {"gru_to_lstm", tiny_options()};
  mixed.options.encoder.cell = "gru";
  all.push_back(mixed);
  mixed.name = "lstm_to_gru";
  std::swap(mixed.options.encoder.cell, mixed.options.decoder.cell);
  all.push_back(mixed);
  Case uneven = {"two_layers_to_one", tiny_options()};
  uneven.options.encoder.layers = 2;
  all.push_back(uneven);
  uneven.name = "one_layer_to_two";
  std::swap(uneven.options.encoder.layers, uneven.options.decoder.layers);
  all.push_back(uneven);
  for (const std::string style : {"bahdanau", "luong", "plain"}) {
    for (const bool feeding : {false, true}) {
      Case deep = {fmt::format("{}{}_residual", style, feeding ? "_feeding" : ""), tiny_options()};
      deep.options.decoder.style = style;
      deep.options.decoder.feeding = feeding;
      deep.options.encoder.layers = deep.options.decoder.layers = 3;
      deep.options.encoder.residual = deep.options.decoder.residual = true;
      all.push_back(deep);
    }
  }
  Case several = {"lstmn_of_several_heads", tiny_options()};  // whose context has another size than its past
  several.options.encoder.kind = "lstmn";
  several.options.intra_attention.heads = 2;
  all.push_back(several);
  Case dropping = {"dropout", tiny_options(), 0.3};
  dropping.options.encoder.layers = dropping.options.decoder.layers = 2;
  all.push_back(dropping);
  all.push_back({"sampling", tiny_options(), 0, 0.5});
  return all;
}

class EveryNetwork : public testing::TestWithParam<Case> {
 protected:
  double loss(std::span<Real> gradient = {}) {
    return model.terms(batch, gradient, GetParam().dropout, GetParam().sampling)[0].value;
  }

  TinyModel model = TinyModel(GetParam().options);
  Batch batch = model.batch();
  std::vector<Real> gradient = std::vector<Real>(as_size(model.parameters.count()));
};

TEST_P(EveryNetwork, GradientIsThatOfTheLoss) {
  loss(gradient);
  const std::vector<Numbers> all = numbers_of(model.parameters, gradient);
  const Difference error = largest_loss_gradient_error(some_of(all, is_double ? 20 : 4), [&] { return loss(); });
  EXPECT_LE(error.size, gradient_tolerance) << error.where;
}

TEST_P(EveryNetwork, EveryWeightMatters) {
  loss(gradient);
  expect_every_weight_matters(numbers_of(model.parameters, gradient));
}

TEST_P(EveryNetwork, LossIsThatOfTheFormulas) {
  const oracle::Model told = {model.parameters, GetParam().options};
  double wanted = 0;
  for (int b = 0; b < batch.source.batch; ++b) {
    wanted += oracle::objective::nll(oracle::tell(told, oracle::example_of(batch, b)));
  }
  EXPECT_NEAR(model.nll(batch), wanted, is_double ? 1e-10 : 1e-4);
}

INSTANTIATE_TEST_SUITE_P(Models, EveryNetwork, testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param.name; });

TEST(EncoderDecoder, SourceWeighsOnTheLoss) {
  for (const std::string style : {"bahdanau", "plain"}) {
    ModelOptions options = tiny_options();
    options.decoder.style = style;
    TinyModel model(options);
    Batch batch = model.batch();
    const double before = model.loss(batch);
    batch.source.ids[0] = 6;
    EXPECT_GT(std::abs(model.loss(batch) - before), 1e-4) << style;
  }
}

TEST(EncoderDecoder, EveryLayerAndHeadTellsWhereItLooked) {
  for (const std::string kind : {"rnn", "transformer"}) {
    ModelOptions options = tiny_options();
    options.decoder.kind = kind;
    options.decoder.layers = options.attention.heads = 2;
    TinyModel model(options);
    const Batch batch = model.batch();
    Arena arena, other;
    Pass pass(model.parameters, arena), next(model.parameters, other);
    const auto asked = model.network.begin(pass, batch.source);
    const StepResult result = asked->step(next, asked->start(next), Sequence(3, start));
    std::string found;
    for (const StepLook& look : result.looks) {
      found += fmt::format("{}.{} ", look.layer, look.head);
      const std::span<const Real> weights = look.weights_of(1);
      EXPECT_NEAR(static_cast<double>(std::accumulate(weights.begin(), weights.end(), Real(0))), 1, 1e-5);
    }
    EXPECT_EQ(found, kind == "rnn" ? "0.0 0.1 " : "0.0 0.1 1.0 1.1 ");
  }
}

TEST(EncoderDecoder, VectorsBeginWithinTheirSpread) {
  for (const std::string kind : {"rnn", "transformer"}) {
    ModelOptions options = tiny_options();
    options.encoder.kind = options.decoder.kind = kind;
    options.encoder.spread = 3;
    options.decoder.spread = 0.01;
    TinyModel model(options);
    model.parameters.initialise(1);
    const auto largest = [&](const std::string& name) {
      const auto& entries = model.parameters.entries();
      const auto table = model.parameters.values(*std::ranges::find(entries, name, &Parameters::Entry::name));
      double most = 0;
      for (const Real value : table) most = std::max(most, std::abs(static_cast<double>(value)));
      return most;
    };
    EXPECT_GT(largest("encoder.embedding.table"), 2) << kind;
    EXPECT_LE(largest("encoder.embedding.table"), 3) << kind;
    EXPECT_GT(largest("decoder.embedding.table"), 0.005) << kind;
    EXPECT_LE(largest("decoder.embedding.table"), 0.01) << kind;
  }
}

TEST(EncoderDecoder, CountsTheStopSymbols) {
  TinyModel model(tiny_options());
  Pass pass(model.parameters, model.arena);
  EXPECT_EQ(model.network.loss(pass, model.batch()).symbols, 2 + 4 + 0 + 3);
}

// What the states wait for does not change what is dropped: a share of sampling that never comes true takes the steps
// one by one.
TEST(EncoderDecoder, StepByStepDropsTheSame) {
  for (const std::string output : {"softmax", "pointer_generator"}) {
    ModelOptions options = tiny_options();
    options.decoder.style = "luong";
    options.decoder.feeding = false;
    options.decoder.layers = 2;
    options.generator.kind = output;
    TinyModel model(options);
    const double at_once = model.terms(model.batch(), {}, 0.4)[0].value;
    EXPECT_NEAR(model.terms(model.batch(), {}, 0.4, 1e-300)[0].value, at_once, is_double ? 1e-10 : 1e-4) << output;
    EXPECT_NE(model.terms(model.batch())[0].value, at_once);
  }
}

// A recurrent decoder chooses step by step, after what it chose before.
TEST(EncoderDecoder, ARecurrentDecoderReadsItsOwnChoices) {
  TinyModel model(tiny_options());
  const Batch batch = model.batch();
  Batch own = batch;
  for (int t = 1; t < batch.previous.length; ++t) {
    Arena arena;
    Pass pass(model.parameters, arena);
    const auto rows = stepped(model, *model.network.begin(pass, batch.source), own.previous);
    for (int b = 0; b < batch.previous.batch; ++b) {
      const auto log_p = std::span(rows[as_size(t) - 1]).subspan(as_size(b) * target_symbols, target_symbols);
      own.previous.ids[as_size(t * batch.previous.batch + b)] =
          static_cast<std::int32_t>(std::ranges::max_element(log_p) - log_p.begin());
    }
  }
  ASSERT_NE(own.previous.ids, batch.previous.ids);
  const double loss = model.terms(own)[0].value;
  EXPECT_NEAR(model.terms(batch, {}, 0, 1)[0].value, loss, is_double ? 1e-10 : 1e-4);
  EXPECT_GT(std::abs(model.terms(batch)[0].value - loss), 1e-3);
}

// A Transformer reads what it chose when it was given the right symbols, and learns from that reading alone.
TEST(EncoderDecoder, ATransformerReadsItsOwnChoices) {
  ModelOptions options = tiny_options();
  options.encoder.kind = options.decoder.kind = "transformer";
  options.decoder.layers = 2;
  TinyModel model(options);
  const Batch batch = model.batch();
  Arena arena;
  Pass pass(model.parameters, arena);
  const auto rows = stepped(model, *model.network.begin(pass, batch.source), batch.previous);
  Batch own = batch;
  for (int t = 1; t < batch.previous.length; ++t) {
    for (int b = 0; b < batch.previous.batch; ++b) {
      const auto log_p = std::span(rows[as_size(t) - 1]).subspan(as_size(b) * target_symbols, target_symbols);
      own.previous.ids[as_size(t * batch.previous.batch + b)] =
          static_cast<std::int32_t>(std::ranges::max_element(log_p) - log_p.begin());
    }
  }
  ASSERT_NE(own.previous.ids, batch.previous.ids);
  std::vector<Real> gradient(as_size(model.parameters.count())), wanted = gradient;
  const double loss = model.terms(own, wanted)[0].value;
  EXPECT_NEAR(model.terms(batch, gradient, 0, 1)[0].value, loss, is_double ? 1e-10 : 1e-4);
  expect_close(gradient, wanted, "gradient", is_double ? 1e-10 : 1e-3);
}

// What coverage embeddings hold at the end knows the last step: it is what one more step would begin with.
TEST(EncoderDecoder, CoverageEmbeddingsEndAfterTheLastStep) {
  ModelOptions options = tiny_options();
  options.attention.bias = {"coverage_embedding"};
  set_field(options.objective, "coverage_embedding=1");
  TinyModel model(options);
  for (const TinyExample& example : tiny_examples()) {
    const Batch batch = tiny_batch({example}, model.linked);
    Sequence written = {start};
    written.insert(written.end(), batch.targets.ids.begin(), batch.targets.ids.end());  // the stop symbol last
    Arena arena, arenas[2];
    Pass pass(model.parameters, arena);
    const auto asked = model.network.begin(pass, batch.source);
    State state;
    for (std::size_t t = 0; t < written.size(); ++t) {
      Pass now(model.parameters, arenas[t % 2]);
      state = asked->step(now, t == 0 ? asked->start(now) : state, Ids(written).subspan(t, 1)).state;
    }
    double squares = 0;
    for (const Real value : state.get("attention.own0").values()) squares += std::pow(static_cast<double>(value), 2);
    double found = 0;
    for (const auto& term : model.terms(batch)) found += term.name == "coverage_embedding" ? term.value : 0;
    EXPECT_NEAR(found, squares, is_double ? 1e-11 : 1e-5);
  }
}

// Smoothing asks something of the vocabulary's part, and nothing of the gate.
TEST(EncoderDecoder, SmoothingLeavesCopyingAlone) {
  for (const std::string output : {"pointer_generator", "copynet", "sentinel", "lexicon_mix"}) {
    const auto smoothed_part = [&](double change) {  // of the loss, with less or more copying
      double part[2];
      for (const double smoothing : {0.0, 0.25}) {
        ModelOptions options = tiny_options();
        options.generator.kind = output;
        options.objective.label_smoothing = smoothing;
        TinyModel model(options);
        for (const Parameters::Entry& entry : model.parameters.entries()) {
          const bool moves = entry.name == "generator.gate.bias" || entry.name == "generator.lexicon_share" ||
                             entry.name == "generator.sentinel.weight" || entry.name == "generator.copy.weight";
          for (Real& value : model.parameters.values(entry)) value += static_cast<Real>(moves ? change : 0);
        }
        // Empty targets: one step, so that what copynet gives back to the next does not matter.
        part[smoothing > 0] = model.terms(tiny_batch({{{4, 7, 6}, {}, 1}, {{5}, {}, 2}}, model.linked))[1].value;
      }
      return part[1] - 0.75 * part[0];
    };
    EXPECT_NEAR(smoothed_part(4), smoothed_part(0), is_double ? 1e-9 : 1e-3) << output;
    EXPECT_GT(smoothed_part(0), 0.1) << output;
  }
}

}  // namespace
}  // namespace fovea::transducer_test
