// What is measured on lines a model is not trained on.
#include "training/held_out.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tasks/batching.h"
#include "training/journal.h"
#include "training/tiny_run.h"

namespace fovea::held_out_test {
namespace {

std::vector<Encoding> encode_all(const Model& model, const std::vector<Example>& examples) {
  std::vector<Encoding> encoded;
  for (const Example& example : examples) encoded.push_back(model.task().encode(example));
  return encoded;
}

TEST(HeldOut, SingleSymbolsAreAsLikelyAsInTheTrainingData) {
  const Config config = tiny_config();
  const std::vector<Example> training = {{"a", "xxy", "", 1}, {"b", "x", "", 2}};
  const Model model(config, Task(config, training));
  Workers workers(1);
  // 3 x, 1 y and 2 stops; the z is unknown and counts as one.
  const std::vector<Example> others = {{"a", "xy", "", 1}, {"b", "z", "", 2}};
  const HeldOut held_out(model, others, encode_all(model, others), encode_all(model, training), workers);
  const double wanted = -(std::log(3.0 / 6) + std::log(1.0 / 6) + std::log(1.0 / 6) + 2 * std::log(2.0 / 6)) / 5;
  EXPECT_NEAR(held_out.loss_of_single_symbols(), wanted, 1e-12);
}

// Line by line through the model, without dropout and without label smoothing.
TEST(HeldOut, LossIsThatOfTheLines) {
  const Model model = untrained_model({"objective.label_smoothing=0.2", "training.dropout=0.5"});
  const TrainingData data = tiny_data();
  double sum = 0;
  std::int64_t symbols = 0;
  for (const Encoding& encoded : encode_all(model, data.held_out)) {
    Arena arena;
    Pass pass(model.parameters(), arena);
    Batch batch;
    const Encoding* const row = &encoded;
    fill_batch(model.task(), {&row, 1}, batch);
    const EncoderDecoder::Loss loss = model.network().loss(pass, batch);
    sum += static_cast<double>(*loss.terms.front().value.data());
    symbols += loss.symbols;
  }
  for (const int threads : {1, 3}) {
    Workers workers(threads);
    HeldOut held_out(model, data.held_out, encode_all(model, data.held_out), encode_all(model, data.training), workers);
    const ValidationReport report = held_out.validate(nullptr);
    EXPECT_NEAR(report.held_out_loss, sum / static_cast<double>(symbols), 1e-5);
    EXPECT_NEAR(report.held_out_loss, std::log(model.task().target().size()), 0.5) << "an untrained model guesses";
  }
}

// What went wrong can be asked again: the line has all columns that the model reads.
TEST(HeldOut, TheWorstComeFirstWithTheirLines) {
  const Config config = tiny_config({"columns=source,target,source2"});
  std::vector<Example> examples;
  for (int i = 0; i < 20; ++i) {
    examples.push_back({std::string(1, static_cast<char>('a' + i)), std::string(i + 1, 'x'), "", i, {}, {"two"}});
  }
  const Model model(config, Task(config, examples));
  Workers workers(1);
  HeldOut held_out(model, examples, encode_all(model, examples), encode_all(model, examples), workers);
  const ValidationReport report = held_out.validate(nullptr);
  ASSERT_EQ(report.worst.size(), 10U);
  EXPECT_EQ(report.worst[0].target.size(), 20U) << "the last line has most to be wrong";
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(report.worst[i].line, report.worst[i].source + "\ttwo");
    if (i > 0) {
      EXPECT_GE(report.worst[i - 1].edits, report.worst[i].edits);
    }
  }
  const Json event = event_json(report);
  EXPECT_EQ(event["worst"][0]["line"], report.worst[0].line);
  EXPECT_EQ(event["samples"][0]["line"], report.samples[0].line);
  ValidationReport plain;
  plain.worst = {{"abc", "x", "y", 1, "abc"}, {std::string(300, 'a'), "x", "y", 1, std::string(300, 'a')}};
  EXPECT_FALSE(event_json(plain)["worst"][0].contains("line")) << "it is said already";
  EXPECT_EQ(event_json(plain)["worst"][1]["line"], std::string(300, 'a')) << "what is shown is cut";
  EXPECT_EQ(event_json(plain)["worst"][1]["source"], std::string(200, 'a') + "...");
}

// So few lines that all wrong answers are among the worst: every edit of theirs takes one symbol for another, or none.
TEST(HeldOut, ConfusionsAreTheEditsOfAllWrongAnswers) {
  const Config config = tiny_config();
  std::vector<Example> examples;
  for (int i = 0; i < 8; ++i) {
    examples.push_back({std::string(1, static_cast<char>('a' + i)), std::string(i + 1, i % 2 ? 'x' : 'y'), "", i});
  }
  const Model model(config, Task(config, examples));
  Workers workers(1);
  HeldOut held_out(model, examples, encode_all(model, examples), encode_all(model, examples), workers);
  const ValidationReport report = held_out.validate(nullptr);
  std::int64_t edits = 0, confused = 0;
  for (const WrongAnswer& wrong : report.worst) edits += wrong.edits;
  for (const Confusion& confusion : report.confusions) {
    EXPECT_NE(confusion.wanted, confusion.written);
    confused += confusion.count;
  }
  EXPECT_GT(edits, 0);
  EXPECT_EQ(confused, edits);
}

}  // namespace
}  // namespace fovea::held_out_test
