// What is said of a run in one line.
#include "runs/run_report.h"

#include <gtest/gtest.h>

namespace fovea::run_report_test {
namespace {

std::string described(const std::vector<std::string>& settings) {
  Config config;
  for (const std::string& setting : settings) set_field(config, setting);
  ValidationReport best;
  best.update = 7;
  best.held_out_loss = 0.5;
  for (const Metric* metric : metrics()) best.metrics.add(metric->name, 0.25);
  return describe(best, config);
}

TEST(RunReport, TheLineHasWhatDecidedAndWhatSaysMoreOfSuchTargets) {
  EXPECT_EQ(described({"target.tokenizer=char"}), "exact 25.00%, CER 25.00%, loss 0.500, at update 7");
  EXPECT_EQ(described({"target.tokenizer=word"}), "exact 25.00%, PER 25.00%, loss 0.500, at update 7") << "phones";
  EXPECT_EQ(described({"target.tokenizer=word", "training.metric=chrf"}),
            "chrF 0.25, exact 25.00%, BLEU 0.25, loss 0.500, at update 7");
  EXPECT_EQ(described({"target.tokenizer=char", "training.metric=wer"}),
            "WER 25.00%, exact 25.00%, CER 25.00%, loss 0.500, at update 7");
  EXPECT_EQ(described({"target.tokenizer=char", "training.metric=loss"}),
            "exact 25.00%, CER 25.00%, loss 0.500, at update 7");
  EXPECT_EQ(described({"target.tokenizer=whole", "task=classify"}), "exact 25.00%, loss 0.500, at update 7");
  EXPECT_EQ(describe(std::nullopt, Config()), "not measured yet");
}

}  // namespace
}  // namespace fovea::run_report_test
