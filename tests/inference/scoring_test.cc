// Given answers get the log-probabilities that search gives its own, that training minimises, whatever shares the
// batch.
#include "inference/scoring.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/as_size.h"
#include "inference/predictor.h"
#include "tasks/average.h"
#include "tasks/batching.h"
#include "training/tiny_run.h"

namespace fovea::scoring_test {
namespace {

class ScoringTest : public testing::Test {
 protected:
  ScoringTest() {
    make_tiny_model(folder_.path());
    for (const Example& example : tiny_examples(5, 90)) examples_.push_back(example);
    examples_[3].target += "xxyy";
    examples_[4].target = "";
    for (const Example& e : examples_) lines_.push_back(e.source + "\t" + e.target);
  }

  TemporaryFolder folder_;
  std::vector<Example> examples_;
  std::vector<std::string> lines_;
};

TEST_F(ScoringTest, IsTheLossThatTrainingMakesSmall) {
  Predictor predictor(folder_.path(), 1);
  const auto found = predictor.predict(lines_, {.score = true});
  const Model& model = predictor.model();
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const Encoding encoded = model.task().encode(examples_[i]);
    const std::vector<const Encoding*> row = {&encoded};
    Batch batch;
    fill_batch(model.task(), row, batch);
    Arena arena;
    Pass pass(model.parameters(), arena);
    const double loss = static_cast<double>(*model.network().loss(pass, batch).terms.front().value.data());
    ASSERT_TRUE(found[i].scored.has_value()) << i;
    EXPECT_NEAR(found[i].scored->log_probability, -loss, 1e-4) << i;
    ASSERT_EQ(found[i].scored->tokens.size(), examples_[i].target.size() + 1);
    EXPECT_EQ(found[i].scored->tokens.back().token, "</s>");
    double sum = 0;
    for (const ScoredToken& token : found[i].scored->tokens) sum += token.log_probability;
    EXPECT_NEAR(sum, found[i].scored->log_probability, 1e-9);
  }
}

TEST_F(ScoringTest, ItsOwnAnswerHasTheScoreThatSearchGaveIt) {
  Predictor predictor(folder_.path(), 1);
  PredictOptions options;
  set_field(options.answer.search, "length_power=0");
  std::vector<SourceText> sources;
  for (const Example& e : examples_) sources.push_back({e.source});
  const auto answers = predictor.predict(sources, options);
  for (std::size_t i = 0; i < sources.size(); ++i) sources[i].target = answers[i].output.text;
  options.score = true;
  const auto scored = predictor.predict(sources, options);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (answers[i].output.finished) {
      EXPECT_EQ(scored[i].scored->log_probability, answers[i].output.score);
    }
  }
}

TEST_F(ScoringTest, DoesNotDependOnTheBatchOrOnThreads) {
  const auto scores = [&](int threads, int batch) {
    std::vector<double> all;
    PredictOptions options = {.answer = {.batch = batch}, .score = true};
    for (const Prediction& p : Predictor(folder_.path(), threads).predict(lines_, options)) {
      all.push_back(p.scored->log_probability);
      for (const ScoredToken& token : p.scored->tokens) all.push_back(token.log_probability);
    }
    return all;
  };
  const auto alone = scores(1, 1);
  for (const int batch : {7, 64}) EXPECT_EQ(scores(3, batch), alone);
}

TEST_F(ScoringTest, LinesThatCannotBeScoredSaySo) {
  Predictor predictor(folder_.path(), 2);
  const std::vector<std::string> lines = {"abc", "", "abc\tx" + std::string(2000, 'y'), "ab\xff\txy", "abc\t?"};
  const auto found = predictor.predict(lines, {.score = true});
  EXPECT_EQ(found[0].status, LineStatus::too_few_columns);
  EXPECT_EQ(found[1].status, LineStatus::empty);
  EXPECT_EQ(found[2].status, LineStatus::too_long);
  EXPECT_EQ(found[3].status, LineStatus::repaired);
  for (const int i : {0, 1, 2}) EXPECT_FALSE(found[as_size(i)].scored.has_value());
  EXPECT_TRUE(found[3].scored->unknown.empty());
  EXPECT_FALSE(found[4].scored->unknown.empty());
}

TEST(Perplexity, IsTheInverseOfTheMeanProbability) {
  Perplexity perplexity;
  EXPECT_EQ(perplexity.value(), 1);
  perplexity.add({std::log(0.25), {{"a", std::log(0.5)}, {"</s>", std::log(0.5)}}});
  EXPECT_NEAR(perplexity.value(), 2, 1e-12);
  EXPECT_EQ(perplexity.symbols(), 2);
}

void train(const std::filesystem::path& folder, const std::vector<std::string>& settings) {
  Files files;
  Observer nobody;
  std::vector<std::string> all = {"training.validate_every=1000u"};
  all.insert(all.end(), settings.begin(), settings.end());
  Trainer(tiny_config(all), tiny_data(), {.folder = folder, .stop_after = {40, Period::Unit::updates}}, files, nobody)
      .run();
}

class EnsembleTest : public ScoringTest {
 protected:
  EnsembleTest() : other_(folder_.path() / "other"), wider_(folder_.path() / "wider") {
    std::filesystem::create_directories(other_);
    std::filesystem::create_directories(wider_);
    train(other_, {"training.seed=7"});
    train(wider_, {"decoder.size=10", "attention.heads=2", "encoder.cell=gru"});
  }

  std::filesystem::path other_, wider_;
};

TEST_F(EnsembleTest, HasTheMeanOfTheProbabilitiesAtEachStep) {
  const std::vector<std::vector<std::filesystem::path>> members = {{folder_.path()}, {other_}, {wider_}};
  std::vector<std::vector<Prediction>> apart;
  for (const auto& one : members) apart.push_back(Predictor(one, 1).predict(lines_, {.score = true}));
  Predictor together({folder_.path(), other_, wider_}, 2);
  const auto found = together.predict(lines_, {.score = true});
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    ASSERT_EQ(found[i].scored->tokens.size(), apart[0][i].scored->tokens.size());
    for (std::size_t t = 0; t < found[i].scored->tokens.size(); ++t) {
      double mean = 0;
      for (const auto& one : apart) mean += std::exp(one[i].scored->tokens[t].log_probability) / 3;
      EXPECT_NEAR(found[i].scored->tokens[t].log_probability, std::log(mean), 1e-5);
    }
  }
}

TEST_F(EnsembleTest, OfOneModelTwiceIsThatModel) {
  PredictOptions options;
  options.answer.search.beam = options.answer.search.nbest = 3;
  options.answer.search.alternatives = 2;
  std::vector<SourceText> sources;
  for (const Example& e : examples_) sources.push_back({e.source});
  const auto one = Predictor(wider_, 1).predict(sources, options);
  const auto twice = Predictor({wider_, wider_}, 1).predict(sources, options);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    EXPECT_EQ(twice[i].output.text, one[i].output.text);
    EXPECT_NEAR(twice[i].output.score, one[i].output.score, 1e-5);
    ASSERT_EQ(twice[i].output.steps.size(), one[i].output.steps.size());
    for (std::size_t t = 0; t < one[i].output.steps.size(); ++t) {
      const auto &a = one[i].output.steps[t].looks, &b = twice[i].output.steps[t].looks;
      ASSERT_EQ(a.size(), 2u);
      for (std::size_t m = 0; m < a.size(); ++m) EXPECT_EQ(a[m].weights, b[m].weights);
    }
  }
}

TEST_F(EnsembleTest, AnswersDoNotDependOnBatchesOrThreads) {
  PredictOptions options;
  options.answer.search.beam = 3;
  options.answer.batch = 1;
  std::vector<std::string> lines;
  for (const Example& e : examples_) lines.push_back(e.source);
  const auto alone = Predictor({folder_.path(), wider_}, 1).predict(lines, options);
  options.answer.batch = 40;
  const auto together = Predictor({folder_.path(), wider_}, 3).predict(lines, options);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(alone[i].output.text, together[i].output.text);
    EXPECT_EQ(alone[i].output.score, together[i].output.score);
  }
}

TEST_F(EnsembleTest, ModelsThatDoNotFitAreRefused) {
  const std::filesystem::path words = folder_.path() / "words";
  std::filesystem::create_directories(words);
  train(words, {"target.tokenizer=word"});
  try {
    Predictor({folder_.path(), words}, 1);
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::usage);
    EXPECT_NE(std::string(e.what()).find("they write other symbols"), std::string::npos) << e.what();
  }
}

TEST_F(EnsembleTest, TheAverageHasTheMeanOfAllWeights) {
  Files files;
  const auto a = load_model(files, folder_.path()), b = load_model(files, other_);
  const auto mean = average_models(files, {folder_.path(), other_});
  const auto x = a->parameters().values(), y = b->parameters().values(), z = mean->parameters().values();
  ASSERT_EQ(z.size(), x.size());
  for (std::size_t i = 0; i < z.size(); ++i) {
    EXPECT_EQ(z[i], static_cast<Real>((static_cast<double>(x[i]) + static_cast<double>(y[i])) / 2));
  }
  EXPECT_THROW(average_models(files, {folder_.path(), wider_}), Error);
}

}  // namespace
}  // namespace fovea::scoring_test
