// Generators that take symbols from the source or from a lexicon, each against its formula (oracles/generators.h):
// where a symbol stands several times its places add up, one that only the source has lives on its places alone, and
// all is one in sum.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/as_size.h"
#include "models/oracles/generators.h"
#include "models/tiny_model.h"

namespace fovea::copying_test {
namespace {

using oracle::Row;
constexpr int steps = 2, rows = 2, size = 3, memory_size = 4;
// The unknown symbol 8 and the known symbol 6 stand twice; the second source ends early.
const std::vector<Sequence> sources = {{8, 6, 8, 4, 6}, {5, 7}};

class Written {
 public:
  explicit Written(
      const std::string& kind, const std::function<void(ModelOptions&)>& change = [](ModelOptions&) {})
      : options(tiny_options()) {
    options.generator.kind = kind;
    change(options);
    const GeneratorKind& entry = generators().find(kind);
    ParameterId table = parameters.add("table", {target_symbols, size}, Initial::constant(0));
    output = entry.make(parameters, options, {size, size, size, size, memory_size, target_symbols, table, size});
    parameters.allocate();
    std::ranges::copy(random_values(static_cast<int>(parameters.count()), kind, 1), parameters.values().begin());
    linked = linked_of(options);
    side = tiny_side(sources, {.last = stop}, 0);
    link(side, linked);

    Pass& pass = asked.emplace(parameters, arena);
    readout.features = filled(pass, {steps, rows, size}, "features");
    readout.state = filled(pass, {steps, rows, size}, "state");
    readout.context = filled(pass, {steps, rows, size}, "context");
    readout.embedding = filled(pass, {steps, rows, size}, "embedding");
    readout.selected.weights = masked_softmax(filled(pass, {steps, rows, side.length}, "scores"), side.mask());
    memory = {filled(pass, {side.length, rows, memory_size}, "memory"), side.mask()};
    written = output->write(pass, readout, output->prepare(pass, memory, side.copy_map.view()));
  }

  // Row r of [.., n].
  static Row row(Tensor x, int r) {
    const int n = x.shape().last();
    return {x.data() + std::ptrdiff_t(r) * n, x.data() + std::ptrdiff_t(r + 1) * n};
  }

  // What the formula knows of row b of the batch, and says of row r of [steps, rows].
  oracle::Model told() const { return {parameters, options}; }
  oracle::Example example(int b) const { return oracle::example_of(side, side, side, b); }
  oracle::Rows columns(int b) const {
    oracle::Rows all;
    for (std::size_t i = 0; i < example(b).source.size(); ++i) {
      all.push_back(row(memory.values, static_cast<int>(i) * rows + b));
    }
    return all;
  }
  oracle::Written formula(int r) const {
    const std::size_t positions = example(r % rows).source.size();
    const Row weights = oracle::part(row(readout.selected.weights, r), 0, positions);
    return oracle::generators().at(options.generator.kind)(told(), example(r % rows), columns(r % rows),
                                                           {row(readout.features, r),
                                                            row(readout.state, r),
                                                            row(readout.context, r),
                                                            row(readout.embedding, r),
                                                            {{}, {weights}, {}}});
  }

  ModelOptions options;
  Parameters parameters;
  Arena arena;
  std::optional<Pass> asked;
  Linked linked;
  SourceBatch side;
  Readout readout;
  Memory memory;
  std::unique_ptr<Generator> output;
  Generator::Written written;

 private:
  static Tensor filled(Pass& pass, Shape shape, const std::string& name) {
    Tensor x = pass.tape().make(shape);
    std::ranges::copy(random_values(shape.count(), name, 2), x.data());
    return x;
  }
};

constexpr double close = is_double ? 1e-9 : 1e-5;

Row probabilities(const Row& logs) {
  return oracle::each(logs, [](double x) { return std::exp(x); });
}

void check_formula(const Written& w) {
  for (int r = 0; r < steps * rows; ++r) {
    SCOPED_TRACE(fmt::format("{}, row {}", w.options.generator.kind, r));
    const oracle::Written wanted = w.formula(r);
    const Row found = probabilities(Written::row(w.written.log_probabilities, r));
    expect_close(found, probabilities(wanted.log_probabilities), "probabilities", close);
    EXPECT_NEAR(oracle::sum(found), 1, 1e-5);
    if (!w.written.gate) continue;
    EXPECT_NEAR(Written::row(w.written.gate, r)[0], wanted.gate, close);
    Row copying = wanted.copying;
    copying.resize(as_size(w.side.length));  // nothing of pads
    expect_close(Written::row(w.written.copying, r), copying, "copying", close);
    if (w.linked != Linked::copies) continue;
    const std::size_t only_source = r % rows == 0 ? 8 : 7, of_nobody = r % rows == 0 ? 7 : 8;
    double mass = 0;
    for (std::size_t i = 0; i < wanted.copying.size(); ++i) {
      const bool there = w.example(r % rows).source[i] == static_cast<int>(only_source);
      mass += there ? wanted.copying[i] : 0;
    }
    EXPECT_GT(mass, 1e-4);
    EXPECT_NEAR(found[only_source], mass, close);
    EXPECT_LT(found[of_nobody], 1e-20);
  }
}

TEST(Copying, PointerGenerator) { check_formula(Written("pointer_generator")); }

TEST(Copying, PointerGeneratorWithAnAttentionOfItsOwn) {
  const Written w("pointer_generator", [](ModelOptions& o) {
    o.generator.own_attention = true;
    o.attention.score = "bilinear";
  });
  check_formula(w);
  const Row decoders = Written::row(w.readout.selected.weights, 0);
  EXPECT_GT(largest_difference(Written::row(w.written.copying, 0),
                               oracle::scaled(decoders, 1 - Written::row(w.written.gate, 0)[0]))
                .size,
            1e-3);
}

TEST(Copying, CopyNet) { check_formula(Written("copynet")); }

// Selective read: what stands where the symbol written was copied from, by how much each place was copied.
TEST(Copying, CopyNetReadsWhatItCopied) {
  Written w("copynet");
  Pass& pass = *w.asked;
  const Sequence previous = {8, 5};  // twice in the first source, once in the second
  const GeneratorSources prepared = w.output->prepare(pass, w.memory, w.side.copy_map.view());
  const Tensor copying = step(w.written.copying, 0);
  const Tensor read = w.output->feedback(pass, prepared, copying, previous);
  for (int b = 0; b < rows; ++b) {
    const Row copied = oracle::part(Written::row(copying, b), 0, w.columns(b).size());
    expect_close(Written::row(read, b),
                 oracle::generator::selective_read(w.example(b), w.columns(b), copied, previous[b]), "read", close);
  }
  const auto all_zero = [](Tensor x) { return std::ranges::all_of(x.values(), [](Real v) { return v == 0; }); };
  EXPECT_TRUE(all_zero(w.output->feedback(pass, prepared, {}, Sequence{8, 5}))) << "nothing copied yet";
  EXPECT_TRUE(all_zero(w.output->feedback(pass, prepared, copying, Sequence{5, 6}))) << "in neither source";
}

TEST(Copying, Sentinel) { check_formula(Written("sentinel")); }

TEST(Lexicon, Mix) {
  for (const double share : {0.0, 0.4}) {
    check_formula(Written("lexicon_mix", [&](ModelOptions& o) { o.generator.lexicon_share = share; }));
  }
}

TEST(Lexicon, BeginsWithTheWordOfBothForAsMuch) {
  const Written w("lexicon_mix");
  const auto share = std::ranges::find(w.parameters.entries(), "generator.lexicon_share", &Parameters::Entry::name);
  ASSERT_NE(share, w.parameters.entries().end());
  EXPECT_EQ(share->initial.kind, Initial::Kind::constant);
  EXPECT_EQ(share->initial.value, 0) << "of which the sigmoid is a half";
}

TEST(Lexicon, Bias) {
  check_formula(Written("lexicon_bias", [](ModelOptions& o) { o.generator.lexicon_floor = 0.02; }));
}

// Heads share what is copied: the mean of their weights.
TEST(Copying, WeightsOfHeadsAreTheirMean) {
  Parameters none;
  none.allocate();
  Arena arena;
  Pass pass(none, arena);
  Readout readout;
  readout.heads = 2;
  readout.state = pass.tape().make({1, 2, 1});
  readout.selected.weights = pass.tape().make({1, 4, 3});  // row b * heads + h
  for (int i = 0; i < 12; ++i) readout.selected.weights.data()[i] = Real(i);
  const auto mean = readout.weights().values();
  EXPECT_EQ(std::vector<Real>(mean.begin(), mean.end()),
            (std::vector<Real>{Real(1.5), Real(2.5), Real(3.5), Real(7.5), Real(8.5), Real(9.5)}));
}

}  // namespace
}  // namespace fovea::copying_test
