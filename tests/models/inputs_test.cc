// Inputs: encoders cannot tell where their vectors come from, and learn through all of them.
#include <gtest/gtest.h>

#include "models/encoder.h"
#include "models/tiny_model.h"
#include "support/gradient_check.h"

namespace fovea::inputs_test {
namespace {

constexpr int positions = 4, batch = 2;

// Two sources of symbols, the second shorter, and the same as rows of numbers with a single one.
Side symbols_side() { return tiny_side({{4, 7, 6, 5}, {8, 5}}, {}, 0); }

Side rows_side() {
  Side side = symbols_side();
  side.width = source_symbols;
  side.values.assign(static_cast<std::size_t>(positions * batch * source_symbols), 0);
  for (std::size_t i = 0; i < side.ids.size(); ++i) {
    if (side.real[i]) side.values[i * source_symbols + static_cast<std::size_t>(side.ids[i])] = 1;
  }
  side.ids.assign(side.ids.size(), 0);
  return side;
}

struct Reader {
  Reader(const ModelOptions& options, SourceShape shape)
      : input(make_input(parameters, "encoder.embedding", options.encoder, shape)),
        encoder(make_encoder(parameters, options, *input)) {
    parameters.allocate();
    for (const Parameters::Entry& entry : parameters.entries()) {
      // A table's row and a row of a weight are the same thing here.
      const bool first = entry.name.starts_with("encoder.embedding.");
      const std::string name = first && !entry.name.ends_with("bias") ? "first" : entry.name;
      const auto values = random_values(entry.shape.count(), name);
      std::ranges::copy(values, parameters.values(entry).begin());
      if (entry.name == "encoder.embedding.bias") std::ranges::fill(parameters.values(entry), Real(0));
    }
  }

  // Of the real positions.
  std::vector<Real> read(const Side& side) const {
    Arena arena;
    Pass pass(parameters, arena);
    const Memory memory = encoder->encode(pass, input->vectors(pass, side), side.mask()).memory;
    std::vector<Real> numbers;
    const int size = memory.values.shape()[2];
    for (int row = 0; row < memory.mask.positions * memory.mask.batch; ++row) {
      if (!memory.mask.data[row]) continue;
      const Real* first = memory.values.data() + std::ptrdiff_t(row) * size;
      numbers.insert(numbers.end(), first, first + size);
    }
    return numbers;
  }

  Parameters parameters;
  std::unique_ptr<Input> input;
  std::unique_ptr<Encoder> encoder;
};

TEST(Inputs, ARowWithASingleOneReadsLikeTheSymbolOfThatNumber) {
  for (const std::string& kind : encoders().names()) {
    ModelOptions options = tiny_options();
    options.encoder.kind = kind;
    options.encoder.embedding = 3;
    const std::vector<Real> symbols = Reader(options, SourceShape::of_symbols(source_symbols)).read(symbols_side());
    const std::vector<Real> rows = Reader(options, SourceShape::of_rows(source_symbols)).read(rows_side());
    ASSERT_EQ(symbols.size(), rows.size()) << kind;
    ASSERT_FALSE(symbols.empty()) << kind;
    for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_NEAR(rows[i], symbols[i], 1e-5) << kind;
  }
}

TEST(Inputs, EachIsMadeForWhatItReads) {
  const ModelOptions options = tiny_options();
  for (const InputKind* kind : inputs()) {
    Parameters parameters;
    const SourceShape shape = kind->reads_symbols ? SourceShape::of_symbols(5) : SourceShape::of_rows(5);
    const auto chosen = make_input(parameters, "x", options.encoder, shape);
    EXPECT_EQ(chosen->table() != nullptr, kind->reads_symbols) << kind->name;
    EXPECT_EQ(chosen->size(), options.encoder.embedding) << kind->name;
  }
}

// Rows of numbers are data: what is learned is what is made of them.
TEST(Inputs, GradientsReachTheWeightsOfRows) {
  ModelOptions options = tiny_options();
  Reader reader(options, SourceShape::of_rows(source_symbols));
  const Side side = rows_side();
  const std::vector<std::int64_t> samples = {1, 2};
  std::vector<Real> gradient(static_cast<std::size_t>(reader.parameters.count()));
  const auto loss = [&](std::span<Real> into) {
    reader.parameters.invalidate_packed();
    Arena arena;
    const TrainingPass training = {into, Random(1, Purpose::dropout), samples, 0, 0, 0};
    Pass pass(reader.parameters, arena, training);
    const Tensor values = reader.encoder->encode(pass, reader.input->vectors(pass, side), side.mask()).memory.values;
    const Tensor sum_of_squares = sum(multiply(values, values));
    pass.tape().backward(sum_of_squares);
    return static_cast<double>(*sum_of_squares.data());
  };
  loss(gradient);
  std::vector<Real> ignored(gradient.size());
  const Difference error =
      largest_loss_gradient_error(numbers_of(reader.parameters, gradient), [&] { return loss(ignored); });
  EXPECT_LT(error.size, is_double ? 1e-6 : 2e-2) << error.where;
}

}  // namespace
}  // namespace fovea::inputs_test
