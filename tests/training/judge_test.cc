// What held-out figures decide, without a run.
#include "training/judge.h"

#include <gtest/gtest.h>

namespace fovea::judge_test {
namespace {

class JudgeTest : public testing::Test {
 protected:
  JudgeTest() {
    options.patience = 3;
    options.decay_after = 2;
  }
  // A validation after ten more updates; 2 is the loss of single symbols.
  ValidationReport validate(double exact, double loss, bool all_right = false) {
    const Judge judge(options, 2.0);
    progress.update += 10;
    ValidationReport report;
    report.metrics = {{"exact", exact}};
    report.held_out_loss = loss;
    report.all_right = all_right;
    judge.compare(report, progress);
    judge.judge(report, progress);
    return report;
  }

  TrainingOptions options;
  Progress progress;
};

TEST_F(JudgeTest, TheMetricDecidesAndOfEqualOnesTheLoss) {
  EXPECT_TRUE(validate(0, 3).best) << "the first";
  EXPECT_FALSE(validate(0, 3).best);
  EXPECT_TRUE(validate(0, 2.5).best);
  EXPECT_TRUE(validate(0.1, 4).best);
  EXPECT_FALSE(validate(0.05, 1).best);
  EXPECT_EQ(progress.best, 0.1);
  EXPECT_EQ(progress.best_loss, 4);
  EXPECT_EQ(progress.best_update, 40);
  EXPECT_EQ(progress.since_best, 1);
  EXPECT_EQ(progress.validations, 5);
  EXPECT_EQ(progress.metric, "exact");
}

TEST_F(JudgeTest, TheLossMayDecide) {
  options.metric = "loss";
  EXPECT_TRUE(validate(0.5, 3).best);
  EXPECT_TRUE(validate(0.1, 2.9).best);
  EXPECT_FALSE(validate(0.9, 2.9).best);
}

TEST_F(JudgeTest, TheLossGoesOnWhenEveryAnswerIsRight) {
  options.metric = "loss";
  validate(1, 0.5, true);
  EXPECT_EQ(progress.finished, "");
  options.metric = "exact";
  validate(1, 0.5, true);
  EXPECT_NE(progress.finished, "");
}

TEST_F(JudgeTest, TheRateFallsWhenMoreThanSingleSymbolsIsKnown) {
  validate(0, 1.91);  // 0.95 of 2 is 1.9
  validate(0, 3), validate(0, 3);
  EXPECT_EQ(progress.rate_factor, 1);
  validate(0, 1.89);
  EXPECT_TRUE(Judge(options, 2.0).has_left_single_symbols(progress.best_loss));
  validate(0, 3);
  EXPECT_EQ(progress.rate_factor, 1);
  validate(0, 3);
  EXPECT_EQ(progress.rate_factor, 0.5);
  options.patience = 100;
  validate(0, 3), validate(0, 3);
  EXPECT_EQ(progress.rate_factor, 0.25);
  options.decay = "none";
  validate(0, 3), validate(0, 3);
  EXPECT_EQ(progress.rate_factor, 0.25);
}

TEST_F(JudgeTest, PatienceIsOfValidationsAndOfUpdates) {
  options.patience_updates = 40;
  EXPECT_EQ(validate(0.5, 1).patience_left, 3);
  EXPECT_EQ(validate(0.5, 1).patience_left, 2);
  EXPECT_EQ(validate(0.5, 1).patience_left, 1);
  EXPECT_EQ(validate(0.5, 1).patience_left, 0);
  EXPECT_EQ(progress.finished, "") << "after 30 updates";
  EXPECT_EQ(validate(0.5, 1).patience_left, 0);
  EXPECT_EQ(progress.finished, "4 validations brought nothing better");
  // With more of it the run is not over.
  Judge(options, 2.0).reconsider(progress);
  EXPECT_NE(progress.finished, "");
  options.patience = 9;
  Judge(options, 2.0).reconsider(progress);
  EXPECT_EQ(progress.finished, "");
}

TEST_F(JudgeTest, WhereAllIsRightThereIsNothingToWaitFor) {
  progress.validating = true;
  progress.loss = 5, progress.symbols = 7;
  validate(1, 0.1, true);
  EXPECT_EQ(progress.finished, "every held-out line is right");
  EXPECT_FALSE(progress.validating);
  EXPECT_EQ(progress.loss, 0);
  EXPECT_EQ(progress.symbols, 0);
  options.patience = 100;
  Judge(options, 2.0).reconsider(progress);
  EXPECT_EQ(progress.finished, "every held-out line is right");
}

TEST_F(JudgeTest, WhatWasNotMeasuredDecidesNothing) {
  ValidationReport report;
  EXPECT_THROW(Judge(options, 2.0).compare(report, progress), Error);
}

}  // namespace
}  // namespace fovea::judge_test
