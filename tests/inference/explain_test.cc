// One line with all there is to say about it, and what is told about many.
#include "inference/explain.h"

#include <gtest/gtest.h>

#include "inference/line_report.h"
#include "training/tiny_run.h"

namespace fovea::explain_test {
namespace {

class ExplainTest : public testing::Test {
 protected:
  ExplainTest() { make_tiny_model(folder_.path()); }
  std::string refusal(const std::string& line, const PredictOptions& options = {}) {
    Predictor predictor(folder_.path(), 1);
    try {
      explain(predictor, line, "", options);
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::data);
      return e.what();
    }
    return "";
  }
  TemporaryFolder folder_;
};

TEST_F(ExplainTest, IsThePredictionWithItsSteps) {
  Predictor predictor(folder_.path(), 1);
  const std::string line = tiny_examples(5, 1)[0].source;
  const PredictOptions options = {.answer = {.search = {.beam = 2, .nbest = 2}}};
  const Output plain = predictor.predict(std::vector{line}, options)[0].output;
  const Output explained = explain(predictor, line, "", {.answer = {.search = {.beam = 2}}}).output;
  EXPECT_EQ(explained.text, plain.text);
  EXPECT_EQ(explained.score, plain.score);
  EXPECT_EQ(explained.nbest.size(), 2U);
  ASSERT_FALSE(explained.steps.empty());
  EXPECT_EQ(explained.steps[0].alternatives.size(), 3U) << "two letters and the stop symbol: all that can be written";
  EXPECT_EQ(explained.steps[0].looks.size(), explained.maps.size());
}

TEST_F(ExplainTest, WritesAGivenTarget) {
  Predictor predictor(folder_.path(), 1);
  const Example example = tiny_examples(5, 1)[0];
  EXPECT_EQ(explain(predictor, example.source, example.target, {}).output.text, example.target);
  EXPECT_TRUE(explain(predictor, example.source, example.target, {}).warnings.empty());
  const Explained unknown = explain(predictor, example.source, "x\u1234y\u0416\u1234", {});
  EXPECT_EQ(unknown.output.text, "x\u1234y\u0416\u1234");
  ASSERT_EQ(unknown.output.steps.size(), 6U);
  EXPECT_EQ(unknown.output.steps[3].token, "\u0416");
  ASSERT_EQ(unknown.warnings.size(), 1U);
  EXPECT_TRUE(unknown.warnings[0].ends_with(": \u1234 \u0416")) << unknown.warnings[0];
}

TEST_F(ExplainTest, SaysWhyALineIsNotAnswered) {
  EXPECT_EQ(refusal(""), "the line is empty: there is nothing to look at");
  EXPECT_EQ(refusal("abc", {.max_length = 2}), "the line is longer than 2 characters (`max_length`)");
  EXPECT_EQ(refusal("abc", {.columns = Columns({"source", "features", "target"})}),
            "this model reads source<TAB>features; the line has fewer columns");
}

TEST_F(ExplainTest, AModelInMemoryAnswersAsItsFileDoes) {
  Files files;
  std::vector<std::unique_ptr<Model>> models;
  models.push_back(load_model(files, folder_.path()));
  Predictor memory(std::move(models), 2), file(folder_.path(), 1);
  std::vector<std::string> lines;
  for (const Example& example : tiny_examples(5, 40)) lines.push_back(example.source);
  const auto a = memory.predict(lines, {}), b = file.predict(lines, {});
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(a[i].output.text, b[i].output.text);
    EXPECT_EQ(a[i].output.score, b[i].output.score);
  }
}

TEST(LineReport, CountsAndNamesTheFirst) {
  LineReport report;
  report.add({.text = "x"});
  report.add({.status = LineStatus::too_long});
  report.add({.text = "y", .finished = false});
  report.add({.status = LineStatus::too_long});
  report.add({.abstained = true});
  const std::vector<std::string> all = report.warnings("in.txt", Columns(), 7, false);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_TRUE(all[0].starts_with("2 lines (first: in.txt:2) longer than 7 characters (`max_length`)")) << all[0];
  EXPECT_TRUE(all[1].starts_with("1 line (first: in.txt:3) whose answer is unfinished")) << all[1];
  EXPECT_TRUE(all[2].starts_with("1 line (first: in.txt:5) without an answer")) << all[2];
  EXPECT_EQ(report.perplexity().symbols(), 0);
}

}  // namespace
}  // namespace fovea::explain_test
