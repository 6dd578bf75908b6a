// Encoders as they are without any setting, against the formulas of their papers.
#include "models/encoder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "models/tiny_model.h"

namespace fovea {
namespace {

using Row = std::vector<double>;

class Encoding {
 public:
  explicit Encoding(const ModelOptions& options) : encoder_(make_encoder(parameters_, options, source_symbols)) {
    parameters_.allocate();
    std::ranges::copy(random_values(static_cast<int>(parameters_.count()), "weights"), parameters_.values().begin());
    const Side side = tiny_side({source}, {}, 0);
    Pass pass(parameters_, arena_);
    const Tensor found = encoder_->encode(pass, side, side.mask()).memory.values;
    for (std::size_t i = 0; i < source.size(); ++i) {
      const Real* first = found.data() + static_cast<std::ptrdiff_t>(i) * found.shape().last();
      memory.emplace_back(first, first + found.shape().last());
    }
  }

  Row weight(const std::string& name) const {
    for (const Parameters::Entry& entry : parameters_.entries()) {
      if (entry.name == "encoder." + name) return {parameters_.values(entry).begin(), parameters_.values(entry).end()};
    }
    ADD_FAILURE() << "no weight encoder." << name;
    return {};
  }
  // x W
  Row times(const Row& x, const std::string& name) const {
    const Row w = weight(name);
    const std::size_t columns = w.size() / x.size();
    Row y(columns);
    for (std::size_t i = 0; i < w.size(); ++i) y[i % columns] += x[i / columns] * w[i];
    return y;
  }
  Row embedding(std::size_t i, std::size_t size) const {
    const Row table = weight("embedding.table");
    const auto first = table.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(source[i]) * size);
    return {first, first + static_cast<std::ptrdiff_t>(size)};
  }
  void expect(const std::vector<Row>& wanted) const {
    for (std::size_t i = 0; i < source.size(); ++i) {
      for (std::size_t j = 0; j < wanted[i].size(); ++j) {
        EXPECT_NEAR(memory[i][j], wanted[i][j], is_double ? 1e-12 : 1e-5) << "position " << i << ", number " << j;
      }
    }
  }

  const Sequence source = {4, 7, 6, 7, 5};
  std::vector<Row> memory;

 private:
  Parameters parameters_;
  std::unique_ptr<Encoder> encoder_;
  Arena arena_;
};

Row plus(Row a, const Row& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}
Row joined(Row a, const Row& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }

// Cheng 2016: a_i of v' tanh(Wx x_t + Wh~ h~_{t-1} + Wh h_i), h~ and c~ its sums of all earlier h_i and c_i.
TEST(Encoders, LstmnIsThatOfThePaperByDefault) {
  ModelOptions options;
  options.encoder.kind = "lstmn";
  options.encoder.size = 3;
  options.encoder.embedding = 2;
  options.intra_attention.size = 4;
  const Encoding encoding(options);
  std::vector<Row> h, c;
  Row h_before(3), c_before(3);
  for (std::size_t t = 0; t < encoding.source.size(); ++t) {
    const Row x = encoding.embedding(t, 2);
    if (t > 0) {
      const Row asked = plus(encoding.times(joined(x, h_before), "intra_attention.additive.query.weight"),
                             encoding.weight("intra_attention.additive.key.bias"));
      const Row v = encoding.weight("intra_attention.additive.v");
      Row shares;
      double total = 0;
      for (const Row& past : h) {
        const Row hidden = plus(asked, encoding.times(past, "intra_attention.additive.key.weight"));
        double score = 0;
        for (std::size_t j = 0; j < hidden.size(); ++j) score += v[j] * std::tanh(hidden[j]);
        total += shares.emplace_back(std::exp(score));
      }
      h_before = c_before = Row(3);
      for (std::size_t i = 0; i < h.size(); ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
          h_before[j] += shares[i] / total * h[i][j];
          c_before[j] += shares[i] / total * c[i][j];
        }
      }
    }
    const Row gates = plus(encoding.times(x, "cell.input"),
                           plus(encoding.times(h_before, "cell.state"), encoding.weight("cell.bias")));
    Row h_now(3), c_now(3);
    for (std::size_t j = 0; j < 3; ++j) {
      c_now[j] = sigmoid_of(gates[3 + j]) * c_before[j] + sigmoid_of(gates[j]) * std::tanh(gates[6 + j]);
      h_now[j] = sigmoid_of(gates[9 + j]) * std::tanh(c_now[j]);
    }
    h.push_back(h_now);
    c.push_back(c_now);
  }
  encoding.expect(h);
}

// Gehring 2017: h + A * sigmoid(B), [A ; B] = W h_{i-1..i+1} + b, times the square root of one half.
TEST(Encoders, ConvolutionIsAGatedLinearUnit) {
  for (const int embedding : {3, 2}) {
    ModelOptions options;
    options.encoder.kind = "convolution";
    options.encoder.layers = 2;
    options.encoder.size = 3;
    options.encoder.embedding = embedding;
    options.encoder.positions = "none";
    const Encoding encoding(options);
    std::vector<Row> x;
    for (std::size_t i = 0; i < encoding.source.size(); ++i) {
      x.push_back(encoding.embedding(i, static_cast<std::size_t>(embedding)));
      if (embedding != 3) x.back() = plus(encoding.times(x.back(), "widen.weight"), encoding.weight("widen.bias"));
    }
    for (const std::string layer : {"layer0", "layer1"}) {
      std::vector<Row> above;
      for (std::size_t i = 0; i < x.size(); ++i) {
        const Row none(3);
        const Row window = joined(i > 0 ? x[i - 1] : none, joined(x[i], i + 1 < x.size() ? x[i + 1] : none));
        const Row both = plus(encoding.times(window, layer + ".weight"), encoding.weight(layer + ".bias"));
        Row now = x[i];
        for (std::size_t j = 0; j < 3; ++j) now[j] = std::sqrt(0.5) * (now[j] + both[j] * sigmoid_of(both[3 + j]));
        above.push_back(now);
      }
      x = above;
    }
    encoding.expect(x);
  }
}

}  // namespace
}  // namespace fovea
