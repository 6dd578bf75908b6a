// Several sources and none: a decoder reads them joined in every way, one step after another as all at once.
#include "base/as_size.h"
#include "models/join.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "models/as_oracles_say.h"

namespace fovea::joins_test {
namespace {

constexpr double nearly = is_double ? 1e-9 : 1e-4;

// ---- models of two sources

std::span<const Real> row_of(Tensor x, int row) {
  const auto size = as_size(x.shape().last());
  return x.values().subspan(as_size(row) * size, size);
}

const std::vector<SourceShape> two_sources = {SourceShape::of_symbols(source_symbols), SourceShape::of_symbols(7)};

Batch batch_of_two(const TinyModel& model, int pads = 0, std::int32_t changed = 5) {
  Batch batch = model.batch(pads);
  batch.source.others = {tiny_side({{4, changed}, {6, 5, 4, 4}, {}}, {.last = stop}, pads)};
  return batch;
}

std::vector<ModelOptions> every_way() {
  std::vector<ModelOptions> all;
  for (const std::string& join : joins().names()) {
    ModelOptions options = tiny_options();
    options.join = join;
    all.push_back(options);
    options.attention.heads = 2;
    all.push_back(options);
    options.decoder.style = "luong";
    options.decoder.feeding = false;
    all.push_back(options);
    options.encoder.kind = options.decoder.kind = "transformer";
    options.attention.score = "scaled_dot";
    all.push_back(options);
    options = tiny_options();
    options.join = join;
    options.decoder.style = "plain";
    options.encoder.cell = options.decoder.cell = "gru";
    if (join == "flat") all.push_back(options);
  }
  ModelOptions covering = tiny_options();
  covering.attention.bias = {"coverage"};
  all.push_back(covering);
  return all;
}

std::string name_of(const ModelOptions& o) {
  return o.join + " " + o.decoder.kind + " " + o.decoder.style + " " + std::to_string(o.attention.heads);
}

TEST(SeveralSources, AreReadAsTheFormulasSay) {
  for (const ModelOptions& options : every_way()) {
    SCOPED_TRACE(name_of(options));
    const TinyModel model(options, 0, two_sources);
    expect_told_log_probabilities(model, options, batch_of_two(model, 1));
  }
}

// One attention over all positions, or one to each source, whose weights are shared out.
TEST(SeveralSources, AreLookedAtAsTheFormulasSay) {
  for (const std::string& join : joins().names()) {
    ModelOptions options = tiny_options();
    options.join = join;
    const TinyModel model(options, 0, two_sources);
    const Batch batch = batch_of_two(model);
    Arena arena;
    Pass pass(model.parameters, arena);
    const Tensor weights = model.network.look(pass, batch);
    const std::vector<oracle::Steps> told = told_steps(model, options, batch);
    for (std::size_t b = 0; b < told.size(); ++b) {
      for (std::size_t t = 0; t < told[b].size(); ++t) {
        const oracle::Row& wanted = told[b][t].readout.attended.weights[0];
        expect_close(row_of(weights, static_cast<int>(t * told.size() + b)).first(wanted.size()), wanted,
                     fmt::format("{} row {}, step {}", join, b, t), as_the_formula);
      }
    }
  }
}

TEST(SeveralSources, GradientIsThatOfTheLossAndEveryWeightMatters) {
  for (const ModelOptions& options : every_way()) {
    SCOPED_TRACE(name_of(options));
    TinyModel model(options, 0, two_sources);
    const Batch batch = batch_of_two(model);
    std::vector<Real> gradient(as_size(model.parameters.count()));
    model.terms(batch, gradient);
    const std::vector<Numbers> all = numbers_of(model.parameters, gradient);
    expect_every_weight_matters(all);
    const Difference error =
        largest_loss_gradient_error(some_of(all, is_double ? 20 : 1), [&] { return model.loss(batch); });
    EXPECT_LE(error.size, is_double ? gradient_tolerance : 0.1) << error.where;
  }
}

TEST(SeveralSources, AreReadOneByOneAsAllAtOnce) {
  for (const ModelOptions& options : every_way()) {
    SCOPED_TRACE(name_of(options));
    TinyModel model(options, 0, two_sources);
    const Batch batch = batch_of_two(model);
    const double forced = model.nll(batch);
    EXPECT_NEAR(stepped_nll(model, batch), forced, nearly * std::max(1.0, forced));
    EXPECT_NEAR(model.nll(batch_of_two(model, 2)), forced, 1e-5 * forced) << "pads change nothing";
    EXPECT_GT(std::abs(model.nll(batch_of_two(model, 0, 6)) - forced), 1e-6) << "the second source matters";
  }
}

TEST(SeveralSources, BatchMatesChangeNothing) {
  const std::vector<Sequence> second = {{4, 5}, {6, 5, 4, 4}, {}};
  std::vector<ModelOptions> all = every_way();
  for (const std::string& join : joins().names()) {
    all.push_back(tiny_options());
    all.back().join = join;
    all.back().decoder.bridge = "mean";
  }
  for (const ModelOptions& options : all) {
    SCOPED_TRACE(name_of(options));
    TinyModel model(options, 0, two_sources);
    const double together = model.nll(batch_of_two(model));
    double sum = 0;
    for (std::size_t i = 0; i < second.size(); ++i) {
      Batch alone = tiny_batch({tiny_examples()[i]}, model.linked);
      alone.source.others = {tiny_side({second[i]}, {.last = stop}, 0)};
      sum += model.nll(alone);
    }
    EXPECT_NEAR(together, sum, nearly * std::max(1.0, sum));
  }
}

// One source behind the other, without pads between them, whatever else is in the batch.
TEST(SeveralSources, WeightsStandSourceBehindSource) {
  for (const std::string& join : joins().names()) {
    ModelOptions options = tiny_options();
    options.join = join;
    TinyModel model(options, 0, two_sources);
    const Batch batch = batch_of_two(model);
    Arena arena;
    Pass pass(model.parameters, arena);
    const Tensor weights = model.network.look(pass, batch);
    ASSERT_EQ(weights.shape()[2], batch.source.positions()) << join;
    for (int t = 0; t < batch.targets.length; ++t) {
      for (int b = 0; b < batch.source.batch; ++b) {
        int real = 0;
        for (int i = 0; i < batch.source.length; ++i) real += batch.source.real[i * batch.source.batch + b];
        for (int i = 0; i < batch.source.others[0].length; ++i)
          real += batch.source.others[0].real[i * batch.source.batch + b];
        const std::span<const Real> row = row_of(weights, t * batch.source.batch + b);
        double sum = 0;
        for (std::size_t i = 0; i < row.size(); ++i) {
          if (static_cast<int>(i) < real) {
            EXPECT_GT(row[i], 0) << join;
          }
          if (static_cast<int>(i) >= real) {
            EXPECT_EQ(row[i], 0) << join;
          }
          sum += static_cast<double>(row[i]);
        }
        EXPECT_NEAR(sum, 1, 1e-5) << join;
      }
    }
  }
}

TEST(SeveralSources, LookingBackNeedsOneAttention) {
  ModelOptions options = tiny_options();
  options.attention.bias = {"coverage"};
  options.join = "hierarchical";
  EXPECT_THROW(TinyModel(options, 0, two_sources), Error);
  for (const char* select : {"hard", "exact_hard"}) {
    ModelOptions chosen = tiny_options();
    chosen.attention.select = select;
    chosen.decoder.style = "luong";
    chosen.decoder.feeding = false;
    chosen.join = "concatenate";
    EXPECT_THROW(TinyModel(chosen, 0, two_sources), Error) << select;
    chosen.join = "flat";
    EXPECT_NO_THROW(TinyModel(chosen, 0, two_sources)) << select;
  }
}

// Each source's encoder drops what it drops by itself.
TEST(SeveralSources, DropNothingTogether) {
  TinyModel model(tiny_options(), 0, two_sources);
  const auto difference = [&](double dropout) {
    Arena arena;
    const std::vector<std::int64_t> samples = {1, 2, 3};
    std::vector<Real> gradient(as_size(model.parameters.count()));
    const TrainingPass training = {gradient, TinyModel::random, samples, dropout};
    Pass pass(model.parameters, arena, training);
    const auto dropped = [&](const std::string& part) {
      Tensor x = pass.tape().make({4, 3, 5});
      std::ranges::fill(x.values(), Real(1));
      const Pass::Inside inside(pass, part);
      return pass.drop(x, "encoder.layer0");
    };
    const Tensor one = dropped(""), two = dropped("source2.");
    double sum = 0;
    for (int i = 0; i < one.shape().count(); ++i) sum += std::abs(static_cast<double>(one.data()[i] - two.data()[i]));
    return sum;
  };
  EXPECT_EQ(difference(0), 0);
  EXPECT_GT(difference(0.5), 0);
}

// ---- no source at all

std::vector<ModelOptions> every_language_model() {
  std::vector<ModelOptions> all;
  for (const char* generator : {"softmax", "sentinel"}) {
    for (const char* kind : {"rnn", "transformer"}) {
      ModelOptions options = tiny_options();
      options.decoder.kind = kind;
      options.decoder.style = "plain";
      options.decoder.bridge = "zero";
      options.generator.kind = generator;
      all.push_back(options);
    }
  }
  all[0].decoder.bridge = "learned";
  all[0].decoder.layers = 2;
  return all;
}

Batch without_source(const TinyModel& model, int pads = 0) {
  Batch batch = model.batch(pads);
  batch.source = SourceBatch();
  batch.source.batch = batch.targets.batch;
  for (Side* side : std::initializer_list<Side*>{&batch.previous, &batch.targets}) {
    for (std::int32_t& id : side->ids) id = std::min(id, target_symbols - 1);
  }
  return batch;
}

TEST(NoSource, GradientIsThatOfTheLossAndEveryWeightMatters) {
  for (const ModelOptions& options : every_language_model()) {
    SCOPED_TRACE(options.decoder.kind + " " + options.generator.kind);
    TinyModel model(options, 0, {});
    const Batch batch = without_source(model);
    std::vector<Real> gradient(as_size(model.parameters.count()));
    model.terms(batch, gradient);
    const std::vector<Numbers> all = numbers_of(model.parameters, gradient);
    expect_every_weight_matters(all);
    const Difference error =
        largest_loss_gradient_error(some_of(all, is_double ? 20 : 1), [&] { return model.loss(batch); });
    EXPECT_LE(error.size, is_double ? gradient_tolerance : 0.1) << error.where;
  }
}

TEST(NoSource, IsWrittenOneByOneAsAllAtOnce) {
  for (const ModelOptions& options : every_language_model()) {
    SCOPED_TRACE(options.decoder.kind + " " + options.generator.kind);
    TinyModel model(options, 0, {});
    const Batch batch = without_source(model);
    const double forced = model.nll(batch);
    EXPECT_NEAR(stepped_nll(model, batch), forced, nearly * std::max(1.0, forced));
    EXPECT_NEAR(model.nll(without_source(model, 2)), forced, 1e-5 * forced) << "pads change nothing";
  }
}

// With a sentinel that is never looked at, a symbol can only be one that was read before: Merity 2016.
TEST(NoSource, ThePointerPointsToItsOwnPast) {
  for (const char* kind : {"rnn", "transformer"}) {
    ModelOptions options = tiny_options();
    options.decoder.kind = kind;
    options.decoder.style = "plain";
    options.decoder.bridge = "zero";
    options.generator.kind = "sentinel";
    TinyModel model(options, 0, {});
    for (const Parameters::Entry& entry : model.parameters.entries()) {
      const auto values = model.parameters.values(entry);
      if (entry.name == "generator.sentinel.weight") std::ranges::fill(values, Real(-2000));
      if (entry.name == "generator.pointer.weight") std::ranges::fill(values, Real(0));
      if (entry.name == "generator.pointer.bias") std::ranges::fill(values, Real(1));
    }
    const Batch batch = without_source(model);
    Arena arena;
    Pass pass(model.parameters, arena);
    const auto rows = stepped(model, *model.network.begin(pass, batch.source), batch.previous);
    for (int b = 0; b < batch.previous.batch; ++b) {
      std::vector<bool> read(target_symbols, false);
      for (int t = 0; t < batch.previous.length; ++t) {
        if (!batch.previous.real[t * batch.previous.batch + b]) break;
        read[batch.previous.ids[t * batch.previous.batch + b]] = true;
        if (t == 0) continue;  // the start symbol stands for nothing
        for (const int special : {0, unknown, start, stop}) {
          EXPECT_LT(std::exp(static_cast<double>(rows[t][as_size(b * target_symbols + special)])), 1e-20)
              << kind << ": the start symbol stands for nothing";
        }
        double sum = 0;
        for (int symbol = stop + 1; symbol < target_symbols; ++symbol) {
          const double p = std::exp(static_cast<double>(rows[t][as_size(b * target_symbols + symbol)]));
          if (!read[symbol]) {
            EXPECT_LT(p, 1e-20) << kind << " step " << t << " symbol " << symbol;
          }
          sum += p;
        }
        EXPECT_GT(sum, 0.05) << kind;
        EXPECT_LE(sum, 1 + 1e-5) << kind;
      }
    }
  }
}

}  // namespace
}  // namespace fovea::joins_test
