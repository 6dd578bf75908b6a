// Documents: sentences of their own length in each row, held against the formula in oracles/encoders.h.
#include <gtest/gtest.h>

#include "base/as_size.h"
#include "models/cases.h"
#include "models/oracles/encoders.h"

namespace fovea::hierarchical_test {
namespace {

using Sentences = std::vector<std::vector<int>>;

ModelOptions options_of(const std::string& cell) {
  ModelOptions options = tiny_options();
  options.encoder.kind = "hierarchical";
  options.encoder.cell = cell;
  return options;
}

Side side_of(const std::vector<Sentences>& documents, int more = 0) {
  std::vector<Sequence> rows;
  for (const Sentences& document : documents) {
    rows.emplace_back();
    for (const auto& sentence : document) rows.back().insert(rows.back().end(), sentence.begin(), sentence.end());
  }
  Side side = tiny_side(rows, {}, more);
  side.segments.assign(side.ids.size(), 99);
  for (std::size_t b = 0; b < documents.size(); ++b) {
    std::size_t i = 0;
    for (std::size_t s = 0; s < documents[b].size(); ++s) {
      for (std::size_t w = 0; w < documents[b][s].size(); ++w, ++i) {
        side.segments[i * documents.size() + b] = static_cast<std::int32_t>(s);
      }
    }
  }
  return side;
}

struct Reader {
  explicit Reader(const ModelOptions& options)
      : input(make_input(parameters, "encoder.embedding", options.encoder, SourceShape::of_symbols(source_symbols))),
        encoder(make_encoder(parameters, options, *input)) {
    parameters.allocate();
    std::ranges::copy(random_values(static_cast<int>(parameters.count()), "weights", Real(0.8)),
                      parameters.values().begin());
  }
  Parameters parameters;
  std::unique_ptr<Input> input;
  std::unique_ptr<Encoder> encoder;
};

const std::vector<Sentences> documents = {{{4, 7, 6}, {5}, {8, 4}}, {{6, 5}}, {{5}, {7, 7, 8, 4}}};

TEST(Hierarchical, ReadsSentencesAsTheFormulaSays) {
  for (const std::string cell : {"lstm", "gru"}) {
    const ModelOptions options = options_of(cell);
    const Reader reader(options);
    const oracle::Model told = {reader.parameters, options};
    for (const int more : {0, 3}) {
      const Side side = side_of(documents, more);
      Arena arena;
      Pass pass(reader.parameters, arena);
      const Encoded found = reader.encoder->encode(pass, reader.input->vectors(pass, side), side.mask());
      const int batch = side.batch, size = found.memory.values.shape()[2];
      for (int b = 0; b < batch; ++b) {
        const Sentences& document = documents[as_size(b)];
        const oracle::Encoded wanted = oracle::encoder::hierarchical_sentences(told, document);
        int cellwise = 0;
        for (std::size_t s = 0; s < document.size(); ++s) {
          const int row = static_cast<int>(s) * batch + b;
          EXPECT_EQ(found.memory.mask.data[row], 1);
          for (int i = 0; i < size; ++i) {
            EXPECT_NEAR(found.memory.values.data()[row * size + i], wanted.memory[s][as_size(i)], 1e-5);
          }
          for (std::size_t w = 0; w < document[s].size(); ++w, ++cellwise) {
            const int position = cellwise * batch + b;
            EXPECT_EQ(found.column_of[as_size(position)], static_cast<int>(s));
            EXPECT_NEAR(found.share_of.data()[position], wanted.summary[s][w], 1e-5);
          }
        }
        for (int s = static_cast<int>(document.size()); s < found.memory.mask.positions; ++s) {
          EXPECT_EQ(found.memory.mask.data[s * batch + b], 0);
        }
      }
    }
  }
}

// Values are dropped by the line they are of, not by the sentence.
TEST(Hierarchical, IsTrainedWithDropout) {
  TinyModel model(options_of("lstm"));
  Batch batch = model.batch();
  static_cast<Side&>(batch.source) = side_of(documents);
  const double whole = model.loss(batch);
  EXPECT_NE(model.terms(batch, {}, 0.5)[0].value, whole);
}

// What a step shows is a weight for each word: that of its sentence times its own share.
TEST(Hierarchical, WeightsAreShownForWords) {
  TinyModel model(options_of("lstm"));
  SourceBatch source(side_of(documents));
  Arena arena;
  Pass pass(model.parameters, arena);
  const auto answering = model.network.begin(pass, source);
  const std::vector<std::int32_t> previous(3, start);
  const StepResult result = answering->step(pass, answering->start(pass), previous);
  ASSERT_EQ(result.looks.size(), 1u);
  for (int b = 0; b < 3; ++b) {
    const auto weights = result.looks[0].weights_of(b);
    ASSERT_EQ(std::ssize(weights), source.length);
    double sum = 0;
    for (int i = 0; i < source.length; ++i) {
      sum += static_cast<double>(weights[as_size(i)]);
      if (!source.real[as_size(i * 3 + b)]) {
        EXPECT_EQ(weights[as_size(i)], 0);
      }
    }
    EXPECT_NEAR(sum, 1, 1e-5);
  }
}

}  // namespace
}  // namespace fovea::hierarchical_test
