// Inputs: encoders cannot tell where their vectors come from, and learn through all of them.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/as_size.h"
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
  side.values.assign(as_size(positions * batch * source_symbols), 0);
  for (std::size_t i = 0; i < side.ids.size(); ++i) {
    if (side.real[i]) side.values[i * source_symbols + as_size(side.ids[i])] = 1;
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

// Whichever of its batch mates stands beside it.
TEST(Inputs, OfASourceWithoutPositionsNothingIsRemembered) {
  for (const std::string& kind : encoders().names()) {
    ModelOptions options = tiny_options();
    options.encoder.kind = kind;
    const Reader reader(options, SourceShape::of_symbols(source_symbols));
    const Side side = tiny_side({{4, 7, 6, 5}, {}, {8, 5}}, {}, 0);
    Arena arena;
    Pass pass(reader.parameters, arena);
    const Mask mask = reader.encoder->encode(pass, reader.input->vectors(pass, side), side.mask()).memory.mask;
    std::vector<int> remembered(3);
    for (int i = 0; i < mask.positions * mask.batch; ++i) remembered[as_size(i % mask.batch)] += mask.data[i] ? 1 : 0;
    EXPECT_GT(remembered[0], 0) << kind;
    EXPECT_EQ(remembered[1], 0) << kind;
    EXPECT_GT(remembered[2], 0) << kind;
  }
}

// Pictures of four rows and two or three columns of regions, 2 x 4 pixels each.
constexpr Regions tiny_regions = {2, 2, 4, 2};

std::vector<SourceShape> shapes() {
  return {SourceShape::of_symbols(source_symbols), SourceShape::of_rows(5), SourceShape::of_frames(5),
          SourceShape::of_picture(tiny_regions)};
}

// Each setting is in its bounds, and the second convolution would have 9 x 4096 x 8192 weights.
TEST(Inputs, PicturesOfTooManyWeightsAreRefused) {
  ModelOptions options = tiny_options();
  options.encoder.channels = 4096;
  constexpr Regions wide = {2, 4, 4, 3};
  Parameters parameters;
  EXPECT_THROW(make_input(parameters, "x", options.encoder, SourceShape::of_picture(wide)), Error);
}

TEST(Inputs, EachIsMadeForWhatItReads) {
  const ModelOptions options = tiny_options();
  std::set<SourceShape::Form> forms;
  for (const InputKind* kind : inputs()) EXPECT_TRUE(forms.insert(kind->reads).second) << kind->name;
  for (const SourceShape& shape : shapes()) {
    ASSERT_TRUE(forms.contains(shape.form));
    Parameters parameters;
    const auto chosen = make_input(parameters, "x", options.encoder, shape);
    EXPECT_EQ(chosen->table() != nullptr, shape.form == SourceShape::Form::symbols);
    EXPECT_EQ(chosen->size(), options.encoder.embedding);
  }
  EXPECT_EQ(forms.size(), shapes().size());
}

// So many regions of each picture, closed by a row of zeros, with so many positions more than the longest needs.
Side picture_side(const std::vector<int>& counts, int width, int more = 0) {
  Side side;
  side.batch = static_cast<int>(counts.size());
  side.length = std::ranges::max(counts) + 1 + more;
  side.width = width;
  const auto cells = as_size(side.length * side.batch);
  side.real.assign(cells, 0);
  side.values.assign(cells * as_size(width), 0);
  for (int b = 0; b < side.batch; ++b) {
    const auto values = random_values(counts[as_size(b)] * width, "picture" + std::to_string(b));
    for (int i = 0; i <= counts[as_size(b)]; ++i) {
      const int cell = i * side.batch + b;
      side.real[as_size(cell)] = 1;
      if (i == counts[as_size(b)]) break;
      std::copy_n(values.begin() + i * width, width, side.values.begin() + std::ptrdiff_t(cell) * width);
    }
  }
  return side;
}

// An input by itself, with numbers for weights.
struct Made {
  explicit Made(SourceShape shape) : input(make_input(parameters, "x", tiny_options().encoder, shape)) {
    parameters.allocate();
    for (const Parameters::Entry& entry : parameters.entries()) {
      std::ranges::copy(random_values(entry.shape.count(), entry.name), parameters.values(entry).begin());
    }
  }

  // [positions, batch, size]
  std::vector<Real> read(const Side& side) const {
    Arena arena;
    Pass pass(parameters, arena);
    const auto values = input->vectors(pass, side).values(pass).values();
    return {values.begin(), values.end()};
  }
  double weight(const std::string& name, int row, int column) const {
    for (const Parameters::Entry& entry : parameters.entries()) {
      if (entry.name != name) continue;
      const int columns = entry.shape.last();
      return parameters.values(entry)[as_size(row * columns + column)];
    }
    ADD_FAILURE() << name;
    return 0;
  }

  Parameters parameters;
  std::unique_ptr<Input> input;
};

// A picture as pixels, [rows][columns][channels], and what a convolution and a pooling make of one, in plain loops.
using Pixels = std::vector<std::vector<std::vector<double>>>;

Pixels convolved(const Made& made, const std::string& name, const Pixels& x, int channels, int across, int down) {
  const int rows = static_cast<int>(x.size()), columns = static_cast<int>(x[0].size());
  const int in = static_cast<int>(x[0][0].size());
  Pixels y(x.size() / as_size(down), std::vector(x[0].size() / as_size(across), std::vector<double>(channels, 0.0)));
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) {
      for (int o = 0; o < channels; ++o) {
        double sum = made.weight(name + ".bias", 0, o);
        for (int dx = -1; dx <= 1; ++dx) {
          for (int dy = -1; dy <= 1; ++dy) {
            if (r + dy < 0 || r + dy >= rows || c + dx < 0 || c + dx >= columns) continue;
            for (int i = 0; i < in; ++i) {
              sum += made.weight(name + ".weight", ((dx + 1) * 3 + dy + 1) * in + i, o) * x[r + dy][c + dx][i];
            }
          }
        }
        double& pooled = y[r / down][c / across][o];
        pooled = std::max(pooled, sum);  // never below 0: relu
      }
    }
  }
  return y;
}

// What inputs are to make of row b of a side, in plain loops: a vector for each real position.
using Vectors = std::vector<std::vector<double>>;
using Oracle = Vectors (*)(const Made& made, const Side& side, int b);

Vectors rows_of(const Side& side, int b) {
  Vectors rows;
  for (int cell = b; cell < side.length * side.batch; cell += side.batch) {
    const auto first = side.values.begin() + std::ptrdiff_t(cell) * side.width;
    if (side.real[as_size(cell)]) rows.emplace_back(first, first + side.width);
  }
  return rows;
}

Vectors embedding(const Made& made, const Side& side, int b) {
  Vectors y;
  for (int cell = b; cell < side.length * side.batch; cell += side.batch) {
    if (!side.real[as_size(cell)]) continue;
    y.emplace_back();
    for (int o = 0; o < made.input->size(); ++o) {
      y.back().push_back(made.weight("x.table", side.ids[as_size(cell)], o));
    }
  }
  return y;
}

// Of so many vectors, x_i and as many before and after it.
Vectors convolved(const Made& made, const std::string& name, const Vectors& x, int reach) {
  Vectors y(x.size(), std::vector<double>(as_size(made.input->size())));
  const int in = static_cast<int>(x[0].size()), length = static_cast<int>(x.size());
  for (int i = 0; i < length; ++i) {
    for (std::size_t o = 0; o < y[0].size(); ++o) {
      y[i][o] = made.weight(name + ".bias", 0, static_cast<int>(o));
      for (int d = -reach; d <= reach; ++d) {
        for (int n = 0; n < in && i + d >= 0 && i + d < length; ++n) {
          y[i][o] += made.weight(name + ".weight", (d + reach) * in + n, static_cast<int>(o)) * x[i + d][n];
        }
      }
    }
  }
  return y;
}

Vectors linear(const Made& made, const Side& side, int b) { return convolved(made, "x", rows_of(side, b), 0); }

Vectors frames(const Made& made, const Side& side, int b) {
  Vectors x = rows_of(side, b);
  for (const char* name : {"x.first", "x.second"}) {
    x = convolved(made, name, x, 1);
    for (std::vector<double>& vector : x) {
      for (double& number : vector) number = std::max(0.0, number);
    }
  }
  return x;
}

// Regions are 2 x 4: halved across twice, and never down, since two rows are few.
Vectors picture(const Made& made, const Side& side, int b) {
  const int size = made.input->size(), channels = tiny_options().encoder.channels;
  const Vectors rows = rows_of(side, b);
  const std::size_t regions = rows.size() - 1;
  Pixels pixels(4, std::vector(regions / 2 * 4, std::vector<double>(2)));
  for (std::size_t i = 0; i < regions; ++i) {
    for (std::size_t n = 0; n < rows[i].size(); ++n)
      pixels[i % 2 * 2 + n / 8][i / 2 * 4 + n / 2 % 4][n % 2] = rows[i][n];
  }
  const Pixels once = convolved(made, "x.convolution0", pixels, channels, 2, 1);
  const Pixels twice = convolved(made, "x.convolution1", once, 2 * channels, 2, 1);
  Vectors y(rows.size(), std::vector<double>(as_size(size), 0.0));
  for (std::size_t i = 0; i < regions; ++i) {
    for (int o = 0; o < size; ++o) {
      y[i][o] = made.weight("x.vectors.bias", 0, o);
      for (int n = 0; n < 4 * channels; ++n) {
        y[i][o] += made.weight("x.vectors.weight", n, o) *
                   twice[i % 2 * 2 + as_size(n / (2 * channels))][i / 2][as_size(n % (2 * channels))];
      }
    }
  }
  return y;
}

TEST(Inputs, EachReadsAsItsFormulaSays) {
  const std::map<std::string_view, Oracle> oracles = {
      {"embedding", embedding}, {"linear", linear}, {"frames", frames}, {"picture", picture}};
  for (const InputKind* kind : inputs()) {
    ASSERT_TRUE(oracles.contains(kind->name)) << kind->name << " has no oracle";
    const auto all = shapes();
    const SourceShape shape = *std::ranges::find(all, kind->reads, &SourceShape::form);
    const Made made(shape);
    const Side side = shape.width > 0 ? picture_side({6, 4}, shape.width, 1) : symbols_side();
    const std::vector<Real> found = made.read(side);
    for (int b = 0; b < side.batch; ++b) {
      const Vectors wanted = oracles.at(kind->name)(made, side, b);
      ASSERT_FALSE(wanted.empty());
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        for (std::size_t o = 0; o < wanted[i].size(); ++o) {
          const std::size_t at = (i * as_size(side.batch) + as_size(b)) * wanted[i].size() + o;
          EXPECT_NEAR(found[at], wanted[i][o], is_double ? 1e-9 : 1e-3) << kind->name << " " << b << " " << i;
        }
      }
    }
  }
}

// To the last bit: neither the pads behind a picture nor a wider one beside it are seen.
TEST(Inputs, BatchMatesChangeNothing) {
  for (const SourceShape& shape : {SourceShape::of_frames(5), SourceShape::of_picture(tiny_regions)}) {
    const Made made(shape);
    const int size = made.input->size();
    const std::vector<Real> alone = made.read(picture_side({4}, shape.width));
    const std::vector<Real> beside = made.read(picture_side({4, 8}, shape.width, 1));
    for (int i = 0; i <= 4; ++i) {
      for (int o = 0; o < size; ++o) {
        EXPECT_EQ(alone[as_size(i * size + o)], beside[as_size(i * 2 * size + o)]);
      }
    }
  }
}

// Rows of numbers are data: what is learned is what is made of them.
TEST(Inputs, GradientsReachTheWeightsOfRows) {
  ModelOptions options = tiny_options();
  Reader reader(options, SourceShape::of_rows(source_symbols));
  const Side side = rows_side();
  const std::vector<std::int64_t> samples = {1, 2};
  std::vector<Real> gradient(as_size(reader.parameters.count()));
  const auto loss = [&](std::span<Real> into) {
    reader.parameters.invalidate_packed();
    Arena arena;
    const TrainingPass training = {into, Random(1, Purpose::dropout), samples};
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
