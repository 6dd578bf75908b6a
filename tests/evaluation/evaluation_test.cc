// Evaluation as the library has it; tests/cli/evaluate_test.cc has it as the command prints it.
#include "evaluation/evaluation.h"

#include <gtest/gtest.h>

#include "base/as_size.h"
#include "evaluation/gate.h"
#include "tasks/metrics/metric.h"
#include "training/tiny_run.h"

namespace fovea::evaluation_test {
namespace {

class EvaluationTest : public testing::Test {
 protected:
  EvaluationTest() { make_tiny_model(folder_.path()); }
  double figure(const Evaluation& evaluation, std::string_view name) const {
    const Figure* found = find_figure(evaluation.figures, name);
    return found ? found->value : -1;
  }

  TemporaryFolder folder_;
};

TEST_F(EvaluationTest, MetricsComeFirstWithTheirDirections) {
  Predictor predictor(folder_.path(), 1);
  const Evaluation evaluation = evaluate(predictor, tiny_examples(5, 50), {});
  const std::vector<Figure> measured = metric_figures(evaluation), known = known_figures();
  ASSERT_EQ(measured.size(), metrics().names().size());
  std::size_t i = 0;
  for (const Metric* metric : metrics()) {
    EXPECT_EQ(measured[i].name, metric->name);
    EXPECT_EQ(measured[i].better, metric->higher_is_better ? Better::higher : Better::lower);
    EXPECT_TRUE(measured[i++].interval);
  }
  for (const Figure& one : evaluation.figures) {
    const Figure* same = find_figure(known, one.name);
    ASSERT_TRUE(same) << one.name;
    EXPECT_EQ(same->better, one.better) << one.name;
  }
  EXPECT_GT(evaluation.answer_seconds, 0);
  ASSERT_EQ(evaluation.by_length.size(), 1u) << "all targets have three letters";
  EXPECT_EQ(evaluation.by_length[0].sources, figure(evaluation, "sources"));
}

TEST_F(EvaluationTest, IsTheSameForAnyNumberOfThreads) {
  Predictor one(folder_.path(), 1), three(folder_.path(), 3);
  const Evaluation a = evaluate(one, tiny_examples(5, 50), {}), b = evaluate(three, tiny_examples(5, 50), {});
  ASSERT_EQ(a.figures.size(), b.figures.size());
  for (std::size_t i = 0; i < a.figures.size(); ++i) {
    EXPECT_EQ(a.figures[i].value, b.figures[i].value) << a.figures[i].name;
    if (!a.figures[i].interval) continue;
    EXPECT_EQ(a.figures[i].interval->low, b.figures[i].interval->low) << a.figures[i].name;
  }
}

TEST_F(EvaluationTest, LinesOfOneSourceAreAskedOnce) {
  std::vector<Example> examples = tiny_examples(5, 20);
  Predictor predictor(folder_.path(), 1);
  const Evaluation once = evaluate(predictor, examples, {});
  for (int i = 0; i < 20; ++i) {
    examples.push_back(examples[as_size(i)]);
    examples.back().target = "zzzzzzzzzzzz";
  }
  const Evaluation twice = evaluate(predictor, examples, {});
  EXPECT_EQ(figure(twice, "sources"), figure(once, "sources"));
  EXPECT_EQ(figure(twice, "lines"), 40);
  for (const Figure& one : metric_figures(once)) EXPECT_EQ(figure(twice, one.name), one.value) << one.name;
}

// By which steps a target is reached only training knows.
TEST_F(EvaluationTest, ActionsHaveNoPerplexity) {
  const std::vector<std::string> settings = {"attention.select=actions", "decoder.style=luong",
                                             "decoder.feeding=false"};
  std::vector<std::unique_ptr<Model>> models;
  models.push_back(std::make_unique<Model>(untrained_model(settings)));
  Predictor predictor(std::move(models), 1);
  const Evaluation evaluation = evaluate(predictor, tiny_examples(5, 20), {});
  EXPECT_GE(figure(evaluation, "exact"), 0);
  EXPECT_EQ(figure(evaluation, "perplexity"), -1);
  EXPECT_GE(figure(evaluate(*std::make_unique<Predictor>(folder_.path(), 1), tiny_examples(5, 20), {}), "perplexity"),
            1);
}

TEST_F(EvaluationTest, SaysWhatWasNotAnswered) {
  Predictor predictor(folder_.path(), 1);
  std::vector<Example> examples = tiny_examples(5, 20);
  EXPECT_TRUE(evaluate(predictor, examples, {}).warnings.empty());
  examples[7].source = std::string(2000, 'a');
  examples[7].line = 8;
  const Evaluation evaluation = evaluate(predictor, examples, {});
  ASSERT_EQ(evaluation.warnings.size(), 1u);
  EXPECT_NE(evaluation.warnings[0].find("1 of "), std::string::npos) << evaluation.warnings[0];
  EXPECT_NE(evaluation.warnings[0].find("line 8"), std::string::npos) << evaluation.warnings[0];
}

TEST_F(EvaluationTest, AttentionIsMeasuredIfWanted) {
  Predictor predictor(folder_.path(), 1);
  std::vector<Example> examples = tiny_examples(5, 20);
  EXPECT_GT(figure(evaluate(predictor, examples, {}), "entropy"), 0);
  EXPECT_EQ(figure(evaluate(predictor, examples, {.attention = false}), "entropy"), -1);
  EXPECT_EQ(figure(evaluate(predictor, examples, {}), "aer"), -1);
  for (Example& example : examples) example.alignment = "0-0";
  EXPECT_GE(figure(evaluate(predictor, examples, {}), "aer"), 0);
}

TEST_F(EvaluationTest, OfNothingIsRefused) {
  Predictor predictor(folder_.path(), 1);
  EXPECT_THROW(evaluate(predictor, std::vector<Example>(), {}), Error);
}

TEST_F(EvaluationTest, FilesAreTheirLines) {
  const std::vector<Example> examples = tiny_examples(5, 50);
  PairOptions files;
  files.file = folder_.write("test.tsv", "\n" + to_tsv(examples));
  Predictor predictor(folder_.path(), 1);
  const Evaluation a = evaluate(predictor, files, {}), b = evaluate(predictor, examples, {});
  ASSERT_EQ(a.figures.size(), b.figures.size());
  for (std::size_t i = 0; i < a.figures.size(); ++i) EXPECT_EQ(a.figures[i].value, b.figures[i].value);
  EXPECT_EQ(a.notice, "left out: 1 blank");
  EXPECT_EQ(b.notice, "");
  files.columns = {"source", "features", "target"};
  EXPECT_THROW(evaluate(predictor, files, {}), Error) << "this model reads no features";
}

TEST(Gate, IsPassedOrMissed) {
  const std::vector<Figure> figures = {{"exact", 0.5, Better::higher}, {"cer", 0.2, Better::lower}};
  EXPECT_EQ(missed({"exact", 0.5, true}, figures), "");
  EXPECT_EQ(missed({"exact", 0.6, true}, figures), "exact is 0.5, wanted at least 0.6");
  EXPECT_EQ(missed({"cer", 0.2, false}, figures), "");
  EXPECT_EQ(missed({"cer", 0.1, false}, figures), "cer is 0.2, wanted at most 0.1");
  EXPECT_THROW(missed({"aer", 0.1, false}, figures), Error) << "not measured";
  EXPECT_NO_THROW(check_gate({"lines", 5, false}));
  EXPECT_THROW(check_gate({"exakt", 0.5, true}), Error);
  try {
    check_gate({"cer", 0.25, true});
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "`min` cer=0.25: of cer less is better; give the most that will do with `max` cer=0.25");
  }
}

}  // namespace
}  // namespace fovea::evaluation_test
