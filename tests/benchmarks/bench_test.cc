// What is measured is real: figures are positive, and what is saved for other programs is what the model computes.
#include "benchmarks/bench.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/as_size.h"
#include "support/temporary_folder.h"
#include "benchmarks/shapes.h"
#include "tasks/batching.h"

namespace fovea::bench_test {
namespace {

using nlohmann::json;

BenchOptions tiny(const std::string& shape, const std::string& mode, const std::filesystem::path& save = {}) {
  return {.shape = shape,
          .mode = mode,
          .threads = 2,
          .seconds = 0,
          .batch = 4,
          .source = 5,
          .target = 4,
          .size = 8,
          .symbols = 20,
          .save = save};
}

TEST(Bench, EveryFigureIsPositive) {
  for (const auto& [shape, mode] :
       {std::pair{"S", "train"}, {"S", "greedy"}, {"T", "train"}, {"T", "greedy"}, {"T", "beam"}}) {
    const BenchResult r = bench(tiny(shape, mode));
    for (const double figure : {r.ms, r.tokens_per_second, r.gflops, r.whole_gflops, r.roofline_gflops,
                                r.product_gflops, r.share.value(), r.peak_mib}) {
      EXPECT_GT(figure, 0) << shape << " " << mode;
    }
    const bool beams = std::string(mode) == "beam", trains = std::string(mode) == "train";
    EXPECT_EQ(r.threads, 2);
    EXPECT_EQ(r.batch, beams ? 1 : 4);
    EXPECT_EQ(r.unit, trains ? "step" : beams ? "line" : "batch");
    EXPECT_NEAR(r.tokens_per_second * r.ms / 1e3, trains ? 4 * (5 + 4) : r.batch * 4, 1e-6);
    EXPECT_EQ(r.source, 5);
    EXPECT_EQ(r.size, 8);
    EXPECT_EQ(r.symbols, 20);
  }
}

TEST(Bench, ShapesAreThoseOfTheDesign) {
  const std::unique_ptr<Model> model = made_model(find_bench_shape("T"));
  EXPECT_EQ(model->task().target().size(), 8000);
  // Embeddings and output, and of each layer attention, feed-forward and norms, with biases; a norm after each side.
  const int d = 256, attention = 4 * (d * d + d), forward = 2 * 4 * d * d + 5 * d, norm = 2 * d;
  const int encoder = attention + forward + 2 * norm, decoder = 2 * attention + forward + 3 * norm;
  EXPECT_EQ(model->parameters().count(), 3 * 8000 * d + 8000 + 3 * (encoder + decoder) + 2 * norm);
  EXPECT_EQ(find_bench_shape("L").size, 512);
}

TEST(Bench, CountsProducts) {
  BenchShape shape = find_bench_shape("T");
  shape.size = 8, shape.batch = 2, shape.source = 5, shape.target = 4, shape.symbols = 20;
  const std::unique_ptr<Model> model = made_model(shape);
  const double encoder = 4 * 64 + 2 * 8 * 32, decoder = 6 * 64 + 2 * 8 * 32, memory = 2 * 64, output = 8 * 20;
  const auto weights = [&](double target) {
    return 2 * (3 * (encoder * 10 + decoder * target + memory * 10) + output * target);
  };
  const Parameters& parameters = model->parameters();
  EXPECT_DOUBLE_EQ(training_flops(parameters, shape, Counted::whole),
                   3 * (weights(8) + 3 * 4 * 8 * 2 * (25 + 16 + 20)));
  EXPECT_DOUBLE_EQ(answering_flops(parameters, shape, 2, 1, Counted::whole),
                   weights(8) + 3 * 4 * 8 * 2 * (25 + 10 + 20));
  EXPECT_DOUBLE_EQ(answering_flops(parameters, shape, 2, 5, Counted::whole),
                   weights(40) + 3 * 4 * 8 * 2 * (25 + 5 * (10 + 20)));

  shape.transformer = false;
  const std::unique_ptr<Model> recurrent = made_model(shape);
  const double both_ways = 2 * 2 * 8 * 32, key = 16 * 8, bridge = 2 * 16 * 8;
  const double step = 8 * 8 + (8 + 8 + 16) * 32 + (8 + 16 + 8) * 8 + 8 * 20;
  EXPECT_DOUBLE_EQ(training_flops(recurrent->parameters(), shape, Counted::whole),
                   6 * ((both_ways + key) * 10 + bridge * 2 + step * 8));
  // Done is less: a symbol that comes again is not multiplied again, and answering keeps what it has multiplied.
  EXPECT_DOUBLE_EQ(training_flops(parameters, shape, Counted::done), training_flops(parameters, shape, Counted::whole));
  shape.batch = 40;
  const double symbols = shape.symbols * 4, of_source = 2 * 8 * 32, of_target = 8 * 32;
  EXPECT_DOUBLE_EQ(training_flops(recurrent->parameters(), shape, Counted::whole) -
                       training_flops(recurrent->parameters(), shape, Counted::done),
                   6 * (of_source * (40 * 5 - symbols) + of_target * (40 * 4 - symbols)));
  EXPECT_DOUBLE_EQ(answering_flops(recurrent->parameters(), shape, 2, 5, Counted::whole) -
                       answering_flops(recurrent->parameters(), shape, 2, 5, Counted::done),
                   2 * (of_source * 10 + of_target * 40));
}

// Their own limit is not that of the multiply-adds.
TEST(Bench, EightBitsHaveNoShare) {
  BenchOptions options = tiny("S", "greedy");
  options.int8 = true;
  EXPECT_FALSE(bench(options).share);
}

// Minus the mean log-probability of targets.
double loss_of(const Model& model, const Batch& batch) {
  Arena arena;
  Pass pass(model.parameters(), arena);
  const EncoderDecoder::Loss loss = model.network().loss(pass, batch);
  return static_cast<double>(*loss.total.data()) / loss.symbols;
}

TEST(Bench, SavesWhatTheModelComputes) {
  for (const char* shape : {"M", "T"}) {
    TemporaryFolder folder;
    bench(tiny(shape, "beam", folder.path()));
    Files files;
    const std::unique_ptr<Model> model = load_model(files, folder.path());
    const json said = json::parse(read_bytes(folder / "batch.json"));
    ASSERT_EQ(said["source"].size(), 4u);
    ASSERT_EQ(said["target"].size(), 4u);
    EXPECT_GT(said["gradient_norm"].get<double>(), 0);
    std::vector<Encoding> examples;
    for (int i = 0; i < 4; ++i) {
      const Symbols source = said["source"][i];
      Encoding& example = examples.emplace_back();
      example.source.sources = {{source, {}, static_cast<int>(source.size())}};
      example.target = said["target"][i].get<Symbols>();
    }
    std::vector<const Encoding*> rows;
    for (const Encoding& example : examples) rows.push_back(&example);
    Batch batch;
    fill_batch(model->task(), rows, batch);
    EXPECT_NEAR(said["loss"].get<double>(), loss_of(*model, batch), 1e-5);

    // An answer's score is what the model gives its symbols when it is forced them.
    for (int i = 0; i < 4; ++i) {
      for (const char* mode : {"greedy", "beam"}) {
        const Symbols symbols = said[mode][i]["symbols"];
        ASSERT_EQ(symbols.size(), 4u) << mode;
        for (const std::int32_t symbol : symbols) EXPECT_GE(symbol, Vocabulary::first_symbol);
        const std::vector<std::span<const std::int32_t>> written = {std::span(symbols)},
                                                         before = {std::span(symbols).first(3)};
        const Reading* source = &examples[as_size(i)].source;
        Batch one;
        fill_source(model->task(), {&source, 1}, one.source);
        fill_side(before, {.first = Vocabulary::start}, one.previous);
        fill_side(written, {}, one.targets);
        EXPECT_NEAR(said[mode][i]["score"].get<double>(), -loss_of(*model, one), 1e-5) << mode;
      }
      EXPECT_GE(said["beam"][i]["score"].get<double>(), said["greedy"][i]["score"].get<double>() - 1e-6);
    }
  }
}

TEST(Bench, SavesTheSameBytesAgain) {
  TemporaryFolder first, second;
  bench(tiny("S", "train", first.path()));
  bench(tiny("S", "greedy", second.path()));
  EXPECT_TRUE(read_bytes(first / "model.safetensors") == read_bytes(second / "model.safetensors"));
  EXPECT_EQ(read_bytes(first / "batch.json"), read_bytes(second / "batch.json"));
}

TEST(Bench, RefusesWhatThereIsNot) {
  EXPECT_THROW(bench({.shape = "Q"}), Error);
  EXPECT_THROW(bench({.mode = "fast"}), Error);
  EXPECT_THROW(bench({.int8 = true}), Error);  // training has no such thing
}

}  // namespace
}  // namespace fovea::bench_test
