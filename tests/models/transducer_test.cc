// The recurrent encoder-decoder against the formulas written down once more, with every cell, bridge and depth; and
// what training adds to it.
#include "models/transducer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>
#include <vector>

#include "models/decoders/bridge.h"
#include "models/oracles/objectives.h"
#include "models/tiny_model.h"

namespace fovea {
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
  // What the grid leaves out.
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
  Case dropping = {"dropout", tiny_options(), 0.3};
  dropping.options.encoder.layers = dropping.options.decoder.layers = 2;
  all.push_back(dropping);
  all.push_back({"sampling", tiny_options(), 0, 0.5});
  return all;
}

class EveryTransducer : public testing::TestWithParam<Case> {
 protected:
  double loss(std::span<Real> gradient = {}) {
    return model.terms(batch, gradient, GetParam().dropout, GetParam().sampling)[0].value;
  }

  TinyModel model = TinyModel(GetParam().options);
  Batch batch = model.batch();
  std::vector<Real> gradient = std::vector<Real>(static_cast<std::size_t>(model.parameters.count()));
};

TEST_P(EveryTransducer, GradientIsThatOfTheLoss) {
  loss(gradient);
  const std::vector<Numbers> all = numbers_of(model.parameters, gradient);
  const Difference error = largest_loss_gradient_error(some_of(all, is_double ? 1000 : 4), [&] { return loss(); });
  EXPECT_LE(error.size, gradient_tolerance) << error.where;
}

TEST_P(EveryTransducer, EveryWeightMatters) {
  loss(gradient);
  for (const Numbers& numbers : numbers_of(model.parameters, gradient)) {
    EXPECT_TRUE(std::ranges::any_of(numbers.gradient, [](Real g) { return g != 0; })) << numbers.name;
  }
}

TEST_P(EveryTransducer, LossIsThatOfTheFormulas) {
  const oracle::Model told = {model.parameters, GetParam().options};
  double wanted = 0;
  for (int b = 0; b < batch.source.batch; ++b) {
    wanted += oracle::objective::likelihood(oracle::tell(told, oracle::example_of(batch, b)));
  }
  EXPECT_NEAR(model.likelihood(batch), wanted, is_double ? 1e-10 : 1e-4);
}

INSTANTIATE_TEST_SUITE_P(Models, EveryTransducer, testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param.name; });

TEST(Transducer, SourceWeighsOnTheLoss) {
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

TEST(Transducer, CountsTheStopSymbols) {
  TinyModel model(tiny_options());
  Pass pass(model.parameters, model.arena);
  EXPECT_EQ(model.transducer.loss(pass, model.batch()).symbols, 2 + 4 + 0 + 3);
}

}  // namespace
}  // namespace fovea
