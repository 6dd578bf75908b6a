// What an update does to the weights, to the number: the gradient of its batch, scaled down to training.clip if it is
// longer, given to the optimizer; against the formulas written plainly in double.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/as_size.h"
#include "training/gradient.h"
#include "training/tiny_run.h"

namespace fovea::update_test {
namespace {

using Numbers64 = std::vector<double>;

// The weights after each of the first updates, those at birth first, and the gradients between them.
struct FirstUpdates {
  std::vector<Numbers64> weights;
  std::vector<Numbers64> gradients;
};

FirstUpdates first_updates(const Config& config, int updates) {
  TemporaryFolder folder;
  Files files;
  Observer nobody;
  Model model(config, Task(config, tiny_data().training));
  std::vector<Encoding> examples;
  std::vector<Length> lengths;
  for (const Example& example : tiny_data().training) {
    examples.push_back(model.task().encode(example));
    lengths.push_back({examples.back().source.size() + 1, static_cast<int>(examples.back().target.size()) + 1});
  }
  const auto seed = static_cast<std::uint64_t>(config.training.seed);
  const BatchPlan plan = plan_batches(lengths, config.training.batch, seed, 0);
  Workers workers(1);
  GradientWorker worker(model, examples, workers);
  FirstUpdates found;
  const auto numbers = [](std::span<const Real> values) { return Numbers64(values.begin(), values.end()); };
  found.weights.push_back(numbers(model.parameters().values()));
  for (int update = 0; update < updates; ++update) {
    worker.compute({.examples = plan[as_size(update)],
                    .random = Random(seed, Purpose::dropout).at(static_cast<std::uint64_t>(update)),
                    .dropout = config.training.dropout,
                    .shards = config.training.shards});
    found.gradients.push_back(numbers(worker.gradient()));
    Trainer trainer(config, tiny_data(), {.folder = folder.path(), .stop_after = {update + 1, Period::Unit::updates}},
                    files, nobody);
    trainer.run();
    const std::span<const Real> after = trainer.model().parameters().values();
    std::ranges::copy(after, model.parameters().values().begin());
    model.parameters().invalidate_packed();
    found.weights.push_back(numbers(after));
  }
  return found;
}

// As it is, or as long as `longest`.
Numbers64 clipped(Numbers64 gradient, double longest) {
  double squares = 0;
  for (const double g : gradient) squares += g * g;
  const double norm = std::sqrt(squares);
  for (double& g : gradient) g *= longest > 0 && norm > longest ? longest / norm : 1;
  return gradient;
}

constexpr int several = 3;
constexpr double learning_rate = 0.5;
const std::vector<double> clips = {0, 0.05, 1000};  // none; always; never

Config config_of(const std::string& optimizer, double clip) {
  return tiny_config({"training.optimizer=" + optimizer, fmt::format("training.learning_rate={}", learning_rate),
                      fmt::format("training.clip={}", clip), "training.momentum=0.8", "training.decay=none",
                      "training.warmup=0"});
}

TEST(Update, OfSgdGoesAlongTheClippedGradient) {
  for (const double clip : clips) {
    const FirstUpdates found = first_updates(config_of("sgd", clip), several);
    Numbers64 velocity(found.weights[0].size());
    for (std::size_t update = 0; update < several; ++update) {
      const Numbers64 gradient = clipped(found.gradients[update], clip);
      for (std::size_t i = 0; i < velocity.size(); ++i) {
        velocity[i] = 0.8 * velocity[i] + gradient[i];
        ASSERT_NEAR(found.weights[update + 1][i], found.weights[update][i] - learning_rate * velocity[i], 1e-6)
            << "clip " << clip << ", update " << update + 1 << ", weight " << i;
      }
    }
  }
}

// Kingma & Ba 2015, algorithm 1.
TEST(Update, OfAdamIsThatOfTheClippedGradient) {
  for (const double clip : clips) {
    const FirstUpdates found = first_updates(config_of("adam", clip), several);
    Numbers64 m(found.weights[0].size()), v = m;
    for (std::size_t update = 0; update < several; ++update) {
      const Numbers64 gradient = clipped(found.gradients[update], clip);
      const double t = static_cast<double>(update + 1);
      for (std::size_t i = 0; i < m.size(); ++i) {
        m[i] = 0.9 * m[i] + 0.1 * gradient[i];
        v[i] = 0.999 * v[i] + 0.001 * gradient[i] * gradient[i];
        const double step = m[i] / (1 - std::pow(0.9, t)) / (std::sqrt(v[i] / (1 - std::pow(0.999, t))) + 1e-8);
        ASSERT_NEAR(found.weights[update + 1][i], found.weights[update][i] - learning_rate * step, 5e-6)
            << "clip " << clip << ", update " << update + 1 << ", weight " << i;
      }
    }
  }
}

// ---- rare symbols of sources, replaced by the unknown symbol

// In how many of `tries` updates the vector of the unknown symbol learns from this source alone.
double share_with_unknown(const std::string& source, const std::vector<std::string>& settings, int tries) {
  Model model = untrained_model(settings);
  const std::vector<Encoding> examples = {model.task().encode({source, "x", "", 1})};
  Workers workers(1);
  GradientWorker worker(model, examples, workers);
  const auto& entries = model.parameters().entries();
  const auto table = std::ranges::find(entries, "encoder.embedding.table", &Parameters::Entry::name);
  const auto size = as_size(table->shape[1]);
  const std::vector<std::uint32_t> batch = {0};
  double found = 0;
  for (int i = 0; i < tries; ++i) {
    worker.compute({.examples = batch, .random = Random(static_cast<std::uint64_t>(i), Purpose::dropout)});
    const auto unknown = worker.gradient().subspan(as_size(table->offset) + Vocabulary::unknown * size, size);
    found += std::ranges::any_of(unknown, [](Real g) { return g != 0; });
  }
  return found / tries;
}

// A symbol that stands n times in the data is replaced with probability 1 / (1 + 4 n), so that training knows what is
// unknown.
TEST(Update, ReplacesRareSymbolsByTheUnknownOne) {
  constexpr int tries = 1500;
  const auto expect_share = [](double found, double p) { EXPECT_NEAR(found, p, 4 * std::sqrt(p * (1 - p) / tries)); };
  expect_share(share_with_unknown("a", {}, tries), 0.2);
  expect_share(share_with_unknown("aaaaaaaaa", {}, tries), 1 - std::pow(1 - 1.0 / 37, 9));
  expect_share(share_with_unknown("abc", {}, tries), 1 - std::pow(0.8, 3));
  // Not where sources are targets too.
  EXPECT_EQ(share_with_unknown("abc", {"objective.agreement=0.1"}, 100), 0);
}

}  // namespace
}  // namespace fovea::update_test
