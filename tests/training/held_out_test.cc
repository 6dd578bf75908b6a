// What is measured on lines a model is not trained on.
#include "training/held_out.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tasks/batching.h"
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
  const HeldOut held_out(model, others, encode_all(model, training), workers);
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
    HeldOut held_out(model, data.held_out, encode_all(model, data.training), workers);
    const ValidationReport report = held_out.validate(nullptr);
    EXPECT_NEAR(report.held_out_loss, sum / static_cast<double>(symbols), 1e-5);
    EXPECT_NEAR(report.held_out_loss, std::log(model.task().target().size()), 0.5) << "an untrained model guesses";
  }
}

}  // namespace
}  // namespace fovea::held_out_test
