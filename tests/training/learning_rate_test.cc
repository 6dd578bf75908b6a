// How fast a run learns from update to update.
#include <gtest/gtest.h>

#include <cmath>

#include "base/as_size.h"
#include "training/trainer_run.h"

namespace fovea::learning_rate_test {
namespace {

class LearningRate : public TrainerTest {
 protected:
  // Of update 1, 2, ...
  std::vector<double> rates(const std::vector<std::string>& settings, std::int64_t updates) {
    train(tiny_config(settings), updates);
    std::vector<double> all;
    for (const UpdateReport& report : record_.updates) all.push_back(report.learning_rate);
    EXPECT_EQ(all.size(), as_size(updates));
    all.resize(as_size(updates));
    return all;
  }
};

TEST_F(LearningRate, WarmupRisesFromZero) {
  const auto seen = rates({"training.warmup=10", "training.decay=none", "training.learning_rate=0.02"}, 15);
  for (int update = 1; update <= 15; ++update) {
    EXPECT_NEAR(seen[as_size(update - 1)], 0.02 * std::min(1.0, update / 10.0), 1e-12) << update;
  }
}

TEST_F(LearningRate, InverseSquareRootFallsAfterWarmup) {
  const auto seen = rates({"training.warmup=4", "training.decay=inverse_sqrt", "training.learning_rate=0.02"}, 30);
  for (int update = 1; update <= 30; ++update) {
    const double expected = update <= 4 ? 0.02 * update / 4 : 0.02 * std::sqrt(4.0 / update);
    EXPECT_NEAR(seen[as_size(update - 1)], expected, 1e-12) << update;
  }
}

TEST_F(LearningRate, InverseSquareRootWithoutWarmup) {
  const auto seen = rates({"training.decay=inverse_sqrt", "training.learning_rate=0.02"}, 9);
  EXPECT_NEAR(seen[0], 0.02, 1e-12);
  EXPECT_NEAR(seen[8], 0.02 / 3, 1e-12);
}

TEST_F(LearningRate, CosineFallsToZero) {
  const auto seen = rates({"training.decay=cosine", "training.decay_updates=20", "training.learning_rate=0.02"}, 30);
  EXPECT_NEAR(seen[0], 0.02, 1e-12);
  EXPECT_NEAR(seen[5], 0.02 * (1 + std::sqrt(0.5)) / 2, 1e-12);
  EXPECT_NEAR(seen[10], 0.01, 1e-12);
  for (std::size_t i = 20; i < 30; ++i) EXPECT_NEAR(seen[i], 0, 1e-12);
  EXPECT_THROW(train(tiny_config({"training.decay=cosine"}), 1), Error) << "without a length";
}

// Half of the held-out targets are not like those of the training lines: soon nothing gets better any more.
TrainingData misleading_data() {
  TrainingData data = tiny_data();
  for (Example& example : data.training) example.target = "xy";
  for (std::size_t i = 0; i < data.held_out.size(); ++i) data.held_out[i].target = i % 2 ? "xy" : "xx";
  return data;
}

const std::vector<std::string> plateau = {"training.decay=plateau", "training.decay_after=2",
                                          "training.validate_every=5u", "training.learning_rate=0.02"};

TEST_F(LearningRate, PlateauHalvesTheRateAfterSeveralValidationsWithoutProgress) {
  Trainer run(tiny_config(plateau), misleading_data(),
              {.folder = folder_.path(), .stop_after = {200, Period::Unit::updates}}, files_, record_);
  run.run();
  double rate = 0.02;
  int since_best = 0, halvings = 0;
  std::size_t update = 0;
  for (const ValidationReport& report : record_.validations) {
    for (; update < as_size(report.update); ++update) {
      ASSERT_NEAR(record_.updates[update].learning_rate, rate, 1e-12) << "update " << update + 1;
    }
    since_best = report.best ? 0 : since_best + 1;
    if (since_best > 0 && since_best % 2 == 0) {
      rate /= 2;
      ++halvings;
    }
  }
  EXPECT_GE(halvings, 3);
  EXPECT_TRUE(run.has_left_single_symbols());
}

TEST_F(LearningRate, TheRateDoesNotFallBeforeAnythingIsLearned) {
  for (const double rate : rates(stuck, 30)) EXPECT_NEAR(rate, 1e-12, 1e-20);
}

TEST_F(LearningRate, AFallenRateIsRememberedOverAStop) {
  const RunOptions stopped = {.folder = folder_.path(), .stop_after = {152, Period::Unit::updates}};
  Trainer(tiny_config(plateau), misleading_data(), stopped, files_, record_).run();
  const double before = record_.updates.back().learning_rate;
  EXPECT_LT(before, 0.02);
  record_.updates.clear();
  const RunOptions on = {.folder = folder_.path(), .stop_after = {153, Period::Unit::updates}};
  Trainer(tiny_config(plateau), misleading_data(), on, files_, record_).run();
  ASSERT_EQ(record_.updates.size(), 1u);
  EXPECT_EQ(record_.updates[0].learning_rate, before);
}

}  // namespace
}  // namespace fovea::learning_rate_test
