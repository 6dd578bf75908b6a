// What every attention mechanism does in a model: answers the same after saving and loading, and learns to copy. This
// file names none.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/as_size.h"
#include "attention/combinations.h"
#include "inference/answering.h"
#include "tasks/metrics/measurement.h"
#include "training/gradient.h"
#include "training/optimizer.h"

namespace fovea::every_model_test {
namespace {

AttentionOptions model_attention() { return {.bias = {}, .size = 16}; }

Config small_model(const Combination& c) {
  Config config;
  config.model.attention = c.options;
  config.model.encoder.size = config.model.encoder.embedding = 12;
  config.model.encoder.cell = config.model.decoder.cell = "gru";
  config.model.decoder.size = config.model.decoder.embedding = config.model.generator.size = 24;
  config.model.decoder.bridge = "zero";  // all that is known of the source comes through the attention
  if (c.select().marginal) {
    config.model.decoder.style = "luong";
    config.model.decoder.feeding = false;
  }
  return config;
}

std::vector<Example> copies(int count, std::uint64_t seed) {
  std::vector<Example> examples;
  for (int i = 0; i < count; ++i) {
    const Random random = Random(seed, Purpose::data).at(static_cast<std::uint64_t>(i));
    std::string text;
    for (std::uint64_t j = 0; j < 1 + random.below(5, 0); ++j) text += static_cast<char>('a' + random.below(6, j + 1));
    examples.push_back({text, text, "", i + 1});
  }
  return examples;
}

std::vector<std::vector<Answer>> answers(const Model& model, const std::vector<Example>& examples,
                                         const AnswerOptions& options) {
  Workers workers(1);
  std::vector<Reading> encoded;
  for (const Example& example : examples) encoded.push_back(model.task().encode_source(example.source));
  std::vector<const Reading*> sources;
  for (const Reading& source : encoded) sources.push_back(&source);
  return Answering(model, workers).answer(sources, options);
}

double share_right(const Model& model, const std::vector<Example>& examples) {
  Measurement measured;
  const auto found = answers(model, examples, {});
  for (std::size_t i = 0; i < examples.size(); ++i) {
    measured.add(
        {.references = {&examples[i].target, 1},
         .text = model.task().target_text(found[i][0].symbols, model.task().encode_source(examples[i].source))});
  }
  return measured.values().find("exact").value();
}

TEST(EveryModel, SavedAndLoadedAnswersTheSame) {
  const auto examples = copies(10, 1);
  for (const Combination& c : each_mechanism(model_attention())) {
    SCOPED_TRACE(c.name());
    const Config config = small_model(c);
    Model model(config, Task(config, examples));
    // Away from the small start, and as the file stores them: in single precision.
    for (Real& value : model.parameters().values()) value = static_cast<Real>(static_cast<float>(value * 4));
    model.parameters().invalidate_packed();
    const std::string bytes = encode_safetensors({model.metadata(), model.arrays()});
    const auto loaded = Model::decode(ByteSource::of(bytes), "model");
    const AnswerOptions options = {.search = {.beam = 3, .nbest = 3, .alternatives = 3}};
    const auto before = answers(model, examples, options), after = answers(*loaded, examples, options);
    for (std::size_t i = 0; i < examples.size(); ++i) {
      ASSERT_EQ(before[i].size(), after[i].size());
      for (std::size_t n = 0; n < before[i].size(); ++n) {
        EXPECT_EQ(before[i][n].symbols, after[i][n].symbols);
        EXPECT_EQ(before[i][n].score, after[i][n].score);
        for (std::size_t s = 0; s < before[i][n].steps.size(); ++s) {
          EXPECT_EQ(before[i][n].steps[s].looks[0].weights, after[i][n].steps[s].looks[0].weights);
        }
      }
    }
  }
}

// In every pair both are of use, or the model says what does not go together.
TEST(EveryModel, TakesAPairOrNamesBoth) {
  const auto examples = copies(10, 1);
  for (const Combination& c : all_pairs(model_attention())) {
    SCOPED_TRACE(c.name());
    const Config config = small_model(c);
    try {
      Model model(config, Task(config, examples));
      EXPECT_FALSE(answers(model, examples, {})[0].empty());
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      const std::string text = error.what();
      int named = 0;
      for (const std::string& name :
           {"select = " + c.options.select, "score = " + c.options.score, "read = " + c.options.read,
            "bias = " + (c.options.bias.empty() ? "none" : c.options.bias[0])}) {
        named += text.find(name) != std::string::npos;
      }
      EXPECT_EQ(named, 2) << text;
    }
  }
}

TEST(EveryModel, ThatMixesOutputsRefusesToFeedAContextBack) {
  const auto examples = copies(10, 1);
  for (const std::string& select : selects().names()) {
    Combination c = {model_attention()};
    c.options.select = select;
    Config config = small_model(c);
    config.model.decoder.style = "bahdanau";
    if (!c.select().marginal) {
      EXPECT_NO_THROW(Model(config, Task(config, examples))) << select;
      continue;
    }
    try {
      Model model(config, Task(config, examples));
      ADD_FAILURE() << select << " accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      EXPECT_NE(std::string(error.what()).find("attention.select = " + select), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("decoder.style = bahdanau"), std::string::npos) << error.what();
    }
  }
}

// ---- learning

class Learner {
 public:
  explicit Learner(const Config& config)
      : model_(config, Task(config, copies(lines, 1))),
        encoded_(encode(model_)),
        worker_(model_, encoded_, workers_),
        optimizer_({}, as_size(model_.parameters().count())) {}

  const Model& model() const { return model_; }

  // One update; the likelihood's loss for each symbol before it.
  double learn() {
    constexpr std::uint32_t rows = 20;
    ++update_;
    std::vector<std::uint32_t> batch;
    for (std::uint32_t i = 0; i < rows; ++i) batch.push_back(static_cast<std::uint32_t>((update_ * rows + i) % lines));
    const Random random = Random(1, Purpose::dropout).at(static_cast<std::uint64_t>(update_));
    const GradientResult result = worker_.compute({.examples = batch, .random = random, .shards = 1});
    EXPECT_TRUE(std::isfinite(result.norm)) << "update " << update_;
    const double factor = result.norm > 1 ? 1 / result.norm : 1;
    optimizer_.apply({update_, 0.01, factor}, 0, worker_.gradient(), model_.parameters().values());
    model_.parameters().invalidate_packed();
    return result.nll / static_cast<double>(result.symbols);
  }

 private:
  static constexpr int lines = 4000;

  static std::vector<Encoding> encode(const Model& model) {
    std::vector<Encoding> encoded;
    for (const Example& example : copies(lines, 1)) encoded.push_back(model.task().encode(example));
    return encoded;
  }

  Model model_;
  std::vector<Encoding> encoded_;
  Workers workers_{1};
  GradientWorker worker_;
  Optimizer optimizer_;
  std::int64_t update_ = 0;
};

class EachMechanism : public testing::TestWithParam<Combination> {};

TEST_P(EachMechanism, LearnsToCopyFiveSymbols) {
  const Combination& c = GetParam();
  const auto unseen = copies(100, 2);
  Learner learner(small_model(c));
  const double first = learner.learn();
  if (c.score().ignores_query || c.select().ignores_scores || c.read().ignores_values) {
    double last = first;
    for (int update = 0; update < 500; ++update) last = learner.learn();
    EXPECT_LT(last, 0.9 * first);  // there is something to learn without looking where it matters
    return;
  }
  double right = 0;
  for (int round = 0; round < 8 && right < 0.95; ++round) {
    for (int update = 0; update < 250; ++update) learner.learn();
    right = share_right(learner.model(), unseen);
  }
  EXPECT_GE(right, 0.95);
}

INSTANTIATE_TEST_SUITE_P(Once, EachMechanism, testing::ValuesIn(each_mechanism(model_attention())),
                         [](const auto& info) { return fmt::format("{:02}_{}", info.index, info.param.name()); });

}  // namespace
}  // namespace fovea::every_model_test
