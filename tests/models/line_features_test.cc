// Features of a line: their vectors' sum is read at every step, by every decoder, and nowhere else.
#include <gtest/gtest.h>

#include <cmath>

#include "base/as_size.h"
#include "models/as_oracles_say.h"

namespace fovea::line_features_test {
namespace {

FeatureIds features_of(const std::vector<std::vector<std::int32_t>>& lines, int length) {
  FeatureIds features;
  features.length = length;
  features.batch = static_cast<int>(lines.size());
  features.ids.assign(as_size(length) * lines.size(), 0);
  features.real.assign(features.ids.size(), 0);
  for (std::size_t b = 0; b < lines.size(); ++b) {
    for (std::size_t i = 0; i < lines[b].size(); ++i) {
      features.ids[i * lines.size() + b] = lines[b][i];
      features.real[i * lines.size() + b] = 1;
    }
  }
  return features;
}

TEST(LineFeatures, AreTheSumOfTheirVectors) {
  Parameters parameters;
  const LineFeatures read(parameters, "line_features", 5, 3);
  parameters.allocate();
  parameters.initialise(7);
  Arena arena;
  Pass pass(parameters, arena);
  const Tensor found = read(pass, features_of({{4, 2}, {}, {3}}, 3));
  const auto row = [&](int symbol, int i) { return parameters.values()[as_size(symbol * 3 + i)]; };
  ASSERT_EQ(found.shape(), (Shape{3, 3}));
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(static_cast<double>(found.data()[i]), static_cast<double>(row(4, i) + row(2, i)), 1e-6);
    EXPECT_EQ(found.data()[3 + i], 0) << "a line without any";
    EXPECT_EQ(found.data()[6 + i], row(3, i));
  }
}

constexpr int feature_symbols = 6;

Batch featured_batch(const TinyModel& model, int pads = 0) {
  Batch batch = model.batch();
  batch.source.features = features_of({{4, 2}, {}, {3, 5, 3}}, 3 + pads);
  return batch;
}

// Every way in which steps are taken: one by one or all at once, with every kind of decoder and mixed outputs.
std::vector<ModelOptions> every_way() {
  std::vector<ModelOptions> all(10, tiny_options());
  all[1].decoder.cell = "gru";
  all[2].decoder.style = "luong";
  all[3].decoder.style = "luong";
  all[3].decoder.feeding = false;
  all[4].decoder.style = "plain";
  all[4].decoder.layers = 2;
  all[5].decoder.style = "luong";
  all[5].decoder.feeding = false;
  all[5].attention.select = "exact_hard";
  all[6].generator.kind = "copynet";
  all[7].decoder.kind = "transformer";
  all[7].attention.score = "scaled_dot";
  all[8] = all[0];
  all[9] = all[7];
  for (const std::size_t i : {8, 9}) all[i].decoder.embedding = 1;  // one number is a vector, too
  return all;
}

TEST(LineFeatures, AreReadAsTheFormulasSay) {
  for (const ModelOptions& options : every_way()) {
    SCOPED_TRACE(options.decoder.kind + " " + options.decoder.style + " " + options.generator.kind);
    const TinyModel model(options, feature_symbols);
    expect_told_log_probabilities(model, options, featured_batch(model, 1));
  }
}

TEST(LineFeatures, GradientIsThatOfTheLossAndEveryWeightMatters) {
  for (const ModelOptions& options : every_way()) {
    SCOPED_TRACE(options.decoder.kind + " " + options.decoder.style + " " + options.generator.kind);
    TinyModel model(options, feature_symbols);
    const Batch batch = featured_batch(model);
    std::vector<Real> gradient(as_size(model.parameters.count()));
    model.terms(batch, gradient);
    const std::vector<Numbers> all = numbers_of(model.parameters, gradient);
    expect_every_weight_matters(all);
    const Difference error =
        largest_loss_gradient_error(some_of(all, is_double ? 20 : 1), [&] { return model.loss(batch); });
    EXPECT_LE(error.size, is_double ? gradient_tolerance : 0.1) << error.where;
  }
}

TEST(LineFeatures, EveryStepReadsThemOneByOneAsAllAtOnce) {
  for (const ModelOptions& options : every_way()) {
    SCOPED_TRACE(options.decoder.kind + " " + options.decoder.style + " " + options.generator.kind);
    TinyModel model(options, feature_symbols);
    const Batch batch = featured_batch(model);
    const double forced = model.nll(batch);
    EXPECT_NEAR(stepped_nll(model, batch), forced, (is_double ? 1e-9 : 1e-4) * std::max(1.0, forced));
    EXPECT_NEAR(model.nll(featured_batch(model, 2)), forced, 1e-5 * forced) << "pads change nothing";
    Batch other = batch;
    other.source.features.ids[0] = 1;
    EXPECT_GT(std::abs(model.nll(other) - forced), 1e-4) << "another feature changes the answer";
  }
}

}  // namespace
}  // namespace fovea::line_features_test
