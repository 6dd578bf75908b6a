// Outputs that take symbols from the source or from a lexicon, each against its formula in plain loops: where a symbol
// stands several times its places add up, one that only the source has lives on its places alone, and all is one in
// sum.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "models/tiny_model.h"

namespace fovea {
namespace {

using Vector = std::vector<double>;
constexpr int steps = 2, rows = 2, size = 3, memory_size = 4;
// The unknown symbol 8 and the known symbol 6 stand twice; the second source ends early.
const std::vector<Sequence> sources = {{8, 6, 8, 4, 6}, {5, 7}};

class Written {
 public:
  Written(const std::string& kind, const std::function<void(ModelOptions&)>& change) : options(tiny_options()) {
    options.output.kind = kind;
    change(options);
    const OutputKind& entry = find_output(kind);
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
    written = output->write(pass, readout, output->prepare(pass, memory, side.links.view()));
  }

  // Row r of [.., n].
  static Vector row(Tensor x, int r) {
    const int n = x.shape().last();
    return {x.data() + std::ptrdiff_t(r) * n, x.data() + std::ptrdiff_t(r + 1) * n};
  }
  Vector column(int position, int b) const { return row(memory.values, position * rows + b); }
  bool real(int position, int b) const { return side.real[static_cast<std::size_t>(position * rows + b)]; }

  // x W, and b if there is one.
  Vector map(const std::string& name, const Vector& x) const {
    Vector y;
    for (const Parameters::Entry& entry : parameters.entries()) {
      const auto values = parameters.values(entry);
      if (entry.name == name + ".weight") {
        y.resize(static_cast<std::size_t>(entry.shape.last()));
        for (std::size_t i = 0; i < values.size(); ++i)
          y[i % y.size()] += x[i / y.size()] * static_cast<double>(values[i]);
      }
      if (entry.name == name + ".bias") {
        for (std::size_t j = 0; j < y.size(); ++j) y[j] += static_cast<double>(values[j]);
      }
    }
    return y;
  }

  // sum of shares of position times what it stands for, by symbol
  Vector spread(const Vector& shares, int b) const {
    Vector out(static_cast<std::size_t>(linked == Linked::copies ? source_symbols : target_symbols));
    for (int i = 0; i < side.length; ++i) {
      for (const Meaning& meaning : meanings(side.ids[static_cast<std::size_t>(i * rows + b)], linked)) {
        out[static_cast<std::size_t>(meaning.symbol)] += static_cast<double>(meaning.share) * shares[i];
      }
    }
    return out;
  }

  ModelOptions options;
  Parameters parameters;
  Arena arena;
  std::optional<Pass> asked;
  Linked linked;
  Side side;
  Readout readout;
  Memory memory;
  std::unique_ptr<OutputLayer> output;
  OutputLayer::Written written;

 private:
  static Tensor filled(Pass& pass, Shape shape, const std::string& name) {
    Tensor x = pass.tape().make(shape);
    std::ranges::copy(random_values(shape.count(), name, 2), x.data());
    return x;
  }
};

Vector softmax_of(Vector x) {
  double sum = 0;
  for (double& value : x) sum += value = std::exp(value);
  for (double& value : x) value /= sum;
  return x;
}
Vector joined(Vector a, const Vector& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
double dot(const Vector& a, const Vector& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }
Vector tanh_of(Vector x) {
  for (double& value : x) value = std::tanh(value);
  return x;
}
Vector times(double factor, Vector x) {
  for (double& value : x) value *= factor;
  return x;
}

// What a formula says of one row.
struct Shares {
  double gate;    // the vocabulary's
  Vector copied;  // by position
};
using Formula = std::function<Shares(const Written&, int r, const Vector& logits)>;

double total_of(const Written& w, int r) {
  double sum = 0;
  for (const double log_p : Written::row(w.written.log_probabilities, r)) sum += std::exp(log_p);
  return sum;
}

void check_mixture(const Written& w, const Formula& formula) {
  for (int r = 0; r < steps * rows; ++r) {
    const int b = r % rows;
    const Vector logits = w.map("output.choice", Written::row(w.readout.features, r));
    const Shares wanted = formula(w, r, logits);
    Vector p = w.spread(wanted.copied, b);
    const Vector vocabulary = softmax_of(logits);
    for (std::size_t j = 0; j < vocabulary.size(); ++j) p[j] += wanted.gate * vocabulary[j];
    const Vector found = Written::row(w.written.log_probabilities, r);
    ASSERT_EQ(found.size(), p.size());
    for (std::size_t j = 0; j < p.size(); ++j) {
      EXPECT_NEAR(std::exp(found[j]), p[j], 1e-6) << w.options.output.kind << ", row " << r << ", symbol " << j;
    }
    EXPECT_NEAR(total_of(w, r), 1, 1e-5) << w.options.output.kind;
    EXPECT_NEAR(Written::row(w.written.gate, r)[0], wanted.gate, 1e-6);
    expect_close(Written::row(w.written.copying, r), wanted.copied, "copying", 1e-6);
    if (w.linked != Linked::copies) continue;
    const auto only_source = static_cast<std::size_t>(b == 0 ? 8 : 7),
               of_nobody = static_cast<std::size_t>(b == 0 ? 7 : 8);
    double mass = 0;
    for (int i = 0; i < w.side.length; ++i) {
      if (w.side.ids[static_cast<std::size_t>(i * rows + b)] == static_cast<int>(only_source)) mass += wanted.copied[i];
    }
    EXPECT_GT(mass, 1e-4);
    EXPECT_NEAR(std::exp(found[only_source]), mass, 1e-6);
    EXPECT_LT(std::exp(found[of_nobody]), 1e-20);
  }
}

Shares pointer_generator(const Written& w, int r, const Vector& weights) {
  const Vector asked = joined(joined(Written::row(w.readout.context, r), Written::row(w.readout.state, r)),
                              Written::row(w.readout.embedding, r));
  const double gate = 1 / (1 + std::exp(-w.map("output.gate", asked)[0]));
  return {gate, times(1 - gate, weights)};
}

// Of the real positions, zeros elsewhere; scores may have more at the end.
Vector softmax_of_real(const Written& w, int b, Vector scores) {
  for (int i = 0; i < w.side.length; ++i) {
    if (!w.real(i, b)) scores[i] = -HUGE_VAL;
  }
  return softmax_of(scores);
}

TEST(Copying, PointerGenerator) {
  check_mixture(Written("pointer_generator", [](ModelOptions&) {}), [](const Written& w, int r, const Vector&) {
    return pointer_generator(w, r, Written::row(w.readout.selected.weights, r));
  });
}

TEST(Copying, PointerGeneratorWithAnAttentionOfItsOwn) {
  const auto change = [](ModelOptions& o) {
    o.output.own_attention = true;
    o.attention.score = "bilinear";
  };
  const Written w("pointer_generator", change);
  // Its scores are those of any attention, tested elsewhere: here, that they are not the decoder's.
  for (int r = 0; r < steps * rows; ++r) {
    EXPECT_NEAR(total_of(w, r), 1, 1e-5);
    const Shares with_decoders = pointer_generator(w, r, Written::row(w.readout.selected.weights, r));
    EXPECT_GT(largest_difference(Written::row(w.written.copying, r), with_decoders.copied).size, 1e-3);
    EXPECT_NEAR(Written::row(w.written.gate, r)[0], with_decoders.gate, 1e-6);
  }
}

TEST(Copying, CopyNet) {
  check_mixture(Written("copynet", [](ModelOptions&) {}), [](const Written& w, int r, const Vector& logits) {
    // One softmax over all scores: the vocabulary's, then the positions'.
    Vector scores;
    for (int i = 0; i < w.side.length; ++i) {
      scores.push_back(dot(tanh_of(w.map("output.copy", w.column(i, r % rows))), Written::row(w.readout.state, r)));
    }
    const Vector all = softmax_of_real(w, r % rows, joined(scores, logits));
    const auto middle = all.begin() + w.side.length;
    return Shares{std::accumulate(middle, all.end(), 0.0), Vector(all.begin(), middle)};
  });
}

// Selective read: what stands where the symbol written was copied from, by how much each place was copied.
TEST(Copying, CopyNetReadsWhatItCopied) {
  Written w("copynet", [](ModelOptions&) {});
  Pass& pass = *w.asked;
  const Sequence previous = {8, 5};  // twice in the first source, once in the second
  const OutputSources prepared = w.output->prepare(pass, w.memory, w.side.links.view());
  const Tensor copying = step(w.written.copying, 0);
  const Tensor read = w.output->feedback(pass, prepared, copying, previous);
  for (int b = 0; b < rows; ++b) {
    Vector wanted(memory_size);
    double total = 0;
    for (int i = 0; i < w.side.length; ++i) {
      if (w.side.ids[static_cast<std::size_t>(i * rows + b)] != previous[b]) continue;
      const double share = Written::row(copying, b)[i];
      total += share;
      for (int j = 0; j < memory_size; ++j) wanted[j] += share * w.column(i, b)[j];
    }
    expect_close(Written::row(read, b), times(1 / total, wanted), "read", 1e-5);
  }
  const auto all_zero = [](Tensor x) { return std::ranges::all_of(x.values(), [](Real v) { return v == 0; }); };
  EXPECT_TRUE(all_zero(w.output->feedback(pass, prepared, {}, Sequence{8, 5}))) << "nothing copied yet";
  EXPECT_TRUE(all_zero(w.output->feedback(pass, prepared, copying, Sequence{5, 6}))) << "in neither source";
}

TEST(Copying, Sentinel) {
  check_mixture(Written("sentinel", [](ModelOptions&) {}), [](const Written& w, int r, const Vector&) {
    const Vector query = tanh_of(w.map("output.pointer", Written::row(w.readout.state, r)));
    Vector scores;
    for (int i = 0; i < w.side.length; ++i) scores.push_back(dot(query, w.column(i, r % rows)));
    scores.push_back(w.map("output.sentinel", query)[0]);
    const Vector all = softmax_of_real(w, r % rows, scores);
    return Shares{all.back(), Vector(all.begin(), all.end() - 1)};
  });
}

TEST(Lexicon, Mix) {
  for (const double share : {0.0, 0.4}) {
    const Written w("lexicon_mix", [&](ModelOptions& o) { o.output.lexicon_share = share; });
    double lambda = share;
    for (const Parameters::Entry& entry : w.parameters.entries()) {
      if (entry.name == "output.lexicon_share") lambda = 1 / (1 + std::exp(-double(w.parameters.values(entry)[0])));
    }
    EXPECT_GT(lambda, 0);
    check_mixture(w, [&](const Written& x, int r, const Vector&) {
      const Vector copied = times(lambda, Written::row(x.readout.selected.weights, r));
      const Vector known = x.spread(copied, r % rows);
      // What the lexicon does not know is the vocabulary's.
      return Shares{1 - std::accumulate(known.begin(), known.end(), 0.0), copied};
    });
  }
}

TEST(Lexicon, Bias) {
  const Written w("lexicon_bias", [](ModelOptions& o) { o.output.lexicon_floor = 0.02; });
  for (int r = 0; r < steps * rows; ++r) {
    Vector scores = w.map("output.choice", Written::row(w.readout.features, r));
    const Vector known = w.spread(Written::row(w.readout.selected.weights, r), r % rows);
    for (std::size_t j = 0; j < scores.size(); ++j) scores[j] += std::log(known[j] + 0.02);
    const Vector p = softmax_of(scores), found = Written::row(w.written.log_probabilities, r);
    for (std::size_t j = 0; j < p.size(); ++j) EXPECT_NEAR(std::exp(found[j]), p[j], 1e-6);
    EXPECT_NEAR(total_of(w, r), 1, 1e-5);
  }
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
}  // namespace fovea
