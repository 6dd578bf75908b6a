// Comparing as the library has it; tests/cli/compare_test.cc has it as the command does it.
#include <gtest/gtest.h>

#include "fovea.h"
#include "support/refusal.h"
#include "training/tiny_run.h"

namespace fovea::runs_compare_test {
namespace {

class CompareTest : public testing::Test {
 protected:
  CompareTest() {
    request_.data.examples = tiny_examples(1, 100);
    request_.config.settings = tiny_settings();
    request_.folder = folder_ / "runs";
    request_.threads = 1;
    request_.stop_after = {20, Period::Unit::updates};
  }
  std::string refused(std::vector<Varied> varied) {
    request_.varied = std::move(varied);
    return refusal([&] { compare(request_); });
  }

  TemporaryFolder folder_;
  CompareRequest request_;
};

TEST_F(CompareTest, HasARowForEachCombination) {
  request_.varied = {{"decoder.size", {"8", "12"}}, {"encoder.bidirectional", {"all"}}};
  const Comparison comparison = compare(request_);
  EXPECT_EQ(comparison.names, (std::vector<std::string>{"decoder.size", "encoder.bidirectional"}));
  ASSERT_EQ(comparison.rows.size(), 4u);
  EXPECT_EQ(comparison.rows[3].values, (std::vector<std::string>{"12", "false"}));
  for (const ComparedSettings& row : comparison.rows) {
    ASSERT_EQ(row.runs.size(), 1u) << row.trouble;
    EXPECT_EQ(row.runs[0].updates, 20);
    EXPECT_GT(row.runs[0].peak_mib, 1);
    EXPECT_EQ(row.runs[0].examples.size(), compared_examples);
  }
  EXPECT_GT(comparison.rows[2].runs[0].parameters, comparison.rows[0].runs[0].parameters);
}

// As training one of them alone would, but for the metric, by which all are judged.
TEST_F(CompareTest, EachRowHasWhatSuitsItsValues) {
  struct Watching : CompareObserver {
    void noticed(const std::string& text) override { told.push_back(text); }
    std::unique_ptr<Observer> watch(const PlannedRun& run) override {
      configs.push_back(run.config);
      return CompareObserver::watch(run);
    }
    std::vector<std::string> told;
    std::vector<Config> configs;
  } watching;
  request_.observer = &watching;
  request_.stop_after.count = 1;
  request_.config.settings = {"encoder.size=8",   "encoder.embedding=8", "attention.size=8",
                              "generator.size=8", "decoder.style=luong", "decoder.feeding=false"};
  request_.varied = {{"attention.select", {"softmax", "exact_hard"}}, {"decoder.size", {"8", "136"}}};
  const Comparison comparison = compare(request_);
  for (const ComparedSettings& row : comparison.rows) EXPECT_EQ(row.runs.size(), 1u) << row.trouble;
  ASSERT_EQ(watching.configs.size(), 4u);
  for (int i = 0; i < 4; ++i) {
    const Config& config = watching.configs[as_size(i)];
    EXPECT_EQ(config.model.objective.label_smoothing, i < 2 ? 0.1 : 0.0);
    EXPECT_EQ(config.training.learning_rate, i % 2 == 0 ? 0.002 : 0.001);
    EXPECT_EQ(config.training.metric, comparison.metric);
  }
  ASSERT_FALSE(watching.told.empty());
  EXPECT_EQ(
      watching.told.back(),
      "attention.select=exact_hard decoder.size=136: objective.label_smoothing = 0.0, training.learning_rate = 0.001");
}

TEST_F(CompareTest, ARowSaysWhatIsDoubtful) {
  request_.varied = {{"training.learning_rate", {"1e-9"}}};
  const Comparison comparison = compare(request_);
  ASSERT_EQ(comparison.rows[0].runs.size(), 1u);
  EXPECT_TRUE(comparison.rows[0].trouble.starts_with("nothing was learned")) << comparison.rows[0].trouble;
}

TEST_F(CompareTest, AFlagStopsTheRunInItsProcess) {
  std::atomic<int> stop = 0;
  struct Stopping : CompareObserver {
    explicit Stopping(std::atomic<int>& flag) : flag(flag) {}
    std::unique_ptr<Observer> watch(const PlannedRun& run) override {
      flag = 1;
      return CompareObserver::watch(run);
    }
    std::atomic<int>& flag;
  } stopping(stop);
  request_.varied = {{"decoder.size", {"8", "12"}}};
  request_.observer = &stopping;
  request_.stop_signal = &stop;
  request_.stop_after.count = 1'000'000;
  const Comparison comparison = compare(request_);
  EXPECT_EQ(comparison.rows[0].trouble, "stopped and saved");
  EXPECT_EQ(comparison.rows[1].trouble, "not finished");
}

TEST_F(CompareTest, RefusalsNameWhatWasGiven) {
  EXPECT_EQ(refused({}), "nothing is varied; name a setting and its values with `vary`");
  EXPECT_EQ(refused({{"decoder.size", {}}}), "`vary` decoder.size: no value to compare");
  EXPECT_TRUE(refused({{"decoder.size", {"big"}}}).starts_with("`vary` decoder.size=big: wants a whole number"));
  EXPECT_EQ(refused({{"training.seed", {"1"}}}), "`vary` training.seed: seeds are repeated with `seeds`");
  EXPECT_EQ(refused({{"columns", {"all"}}}), "`vary` columns: all runs have the same lines; choose with `columns`");
  request_.seeds = 0;
  EXPECT_EQ(refused({{"decoder.size", {"8"}}}), "`seeds` is 0; at least 1 is wanted");
  EXPECT_FALSE(std::filesystem::exists(request_.folder));
}

}  // namespace
}  // namespace fovea::runs_compare_test
