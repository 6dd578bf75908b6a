// Scores with settings of their own against their formulas, number by number.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "attention/attention.h"
#include "support/gradient_check.h"
#include "support/random_values.h"

namespace fovea {
namespace {

using Row = std::vector<double>;

constexpr int asked_size = 4, positions_seen = 3;

// One row of a batch, asked twice.
class Scoring {
 public:
  Scoring(const AttentionOptions& options, int memory_size)
      : memory_size_(memory_size), attention_(parameters_, "a", options, {asked_size, memory_size, 0}) {
    parameters_.allocate();
    parameters_.initialise(1);
    for (const Parameters::Entry& entry : parameters_.entries()) {
      std::ranges::copy(random_values(entry.shape.count(), entry.name), parameters_.values(entry).begin());
    }
    Pass pass(parameters_, arena_);
    const std::vector<std::uint8_t> real(positions_seen, 1);
    const Tensor values = filled(pass, {positions_seen, 1, memory_size}, "memory");
    const auto prepared = attention_.prepare(pass, {values, {real.data(), positions_seen, 1}});
    History history;
    for (int t = 0; t < 2; ++t) {
      const Tensor query = filled(pass, {1, 1, asked_size}, fmt::format("query{}", t));
      const auto attended = attention_.attend(pass, query, {t, 0}, prepared, history);
      queries.push_back(row(query, 0));
      scores.push_back(row(attended.scores, 0));
      weights.push_back(row(attended.selected.weights, 0));
      history = attended.history;
    }
    for (int i = 0; i < positions_seen; ++i) memory.push_back(row(values, i));
  }

  Row weight(const std::string& name) const {
    for (const Parameters::Entry& entry : parameters_.entries()) {
      if (entry.name == "a." + name) return {parameters_.values(entry).begin(), parameters_.values(entry).end()};
    }
    ADD_FAILURE() << "no weight a." << name;
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
  int weights_count() const { return static_cast<int>(parameters_.entries().size()); }
  int context_size() const { return attention_.context_size(); }

  std::vector<Row> queries, memory, scores, weights;

 private:
  static Tensor filled(Pass& pass, Shape shape, const std::string& name) {
    Tensor x = pass.tape().make(shape);
    std::ranges::copy(random_values(shape.count(), name), x.data());
    return x;
  }
  static Row row(Tensor x, int r) {
    const int n = x.shape().last();
    return {x.data() + std::ptrdiff_t(r) * n, x.data() + std::ptrdiff_t(r + 1) * n};
  }

  int memory_size_;
  Parameters parameters_;
  Attention attention_;
  Arena arena_;
};

Row plus(Row a, const Row& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}
Row tanh_all(Row x) {
  for (double& value : x) value = std::tanh(value);
  return x;
}
double inner(const Row& a, const Row& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

using Formula = std::function<double(int step, int position)>;
void expect_scores(const Scoring& found, const Formula& formula) {
  for (int t = 0; t < 2; ++t) {
    for (int i = 0; i < positions_seen; ++i) {
      EXPECT_NEAR(found.scores[t][i], formula(t, i), is_double ? 1e-12 : 1e-5) << "step " << t << ", position " << i;
    }
  }
}

TEST(Formulas, AdditiveCoverageKnowsWhatWasLookedAt) {
  const Scoring found({.score = "additive_coverage", .bias = {}, .size = 5}, 6);
  const std::string name = "additive_coverage";
  expect_scores(found, [&](int t, int i) {
    Row hidden = plus(found.times(found.queries[t], name + ".query.weight"),
                      plus(found.times(found.memory[i], name + ".key.weight"), found.weight(name + ".key.bias")));
    const double covered = t == 0 ? 0 : found.weights[0][i];
    hidden = plus(hidden, found.times({covered}, name + ".coverage"));
    return inner(tanh_all(hidden), found.weight(name + ".v.weight"));
  });
}

TEST(Formulas, DeepHasAsManyLayersAsItIsTold) {
  for (const int depth : {1, 2, 3}) {
    const Scoring found({.score = "deep", .bias = {}, .size = 5, .depth = depth}, 6);
    EXPECT_EQ(found.weights_count(), 3 + 2 * (depth - 1) + 2);
    expect_scores(found, [&](int t, int i) {
      Row x = tanh_all(plus(found.times(found.queries[t], "deep.query.weight"),
                            plus(found.times(found.memory[i], "deep.key.weight"), found.weight("deep.key.bias"))));
      if (depth > 1) x = tanh_all(plus(found.times(x, "deep.middle.weight"), found.weight("deep.middle.bias")));
      if (depth > 2) x = tanh_all(plus(found.times(x, "deep.middle2.weight"), found.weight("deep.middle2.bias")));
      return inner(x, found.weight("deep.last.weight")) + found.weight("deep.last.bias")[0];
    });
  }
}

TEST(Formulas, DotProjectsWhereSizesDiffer) {
  for (const std::string score : {"dot", "scaled_dot"}) {
    const bool scaled = score == "scaled_dot";
    const Scoring equal({.score = score, .bias = {}, .size = 5}, asked_size);
    EXPECT_EQ(equal.weights_count(), 0);
    expect_scores(equal, [&](int t, int i) {
      return inner(equal.queries[t], equal.memory[i]) / (scaled ? std::sqrt(asked_size) : 1);
    });
    const Scoring other({.score = score, .bias = {}, .size = 5}, 6);
    EXPECT_EQ(other.context_size(), 6);  // values are read as they are
    expect_scores(other, [&](int t, int i) {
      const Row q = plus(other.times(other.queries[t], "project_query.weight"), other.weight("project_query.bias"));
      const Row k = plus(other.times(other.memory[i], "project_key.weight"), other.weight("project_key.bias"));
      return inner(q, k) / (scaled ? std::sqrt(5) : 1);
    });
  }
}

TEST(Formulas, AdditiveMayBeNormalized) {
  for (const bool normalized : {false, true}) {
    const Scoring found({.score = "additive", .bias = {}, .size = 5, .normalized = normalized}, 6);
    expect_scores(found, [&](int t, int i) {
      const Row hidden =
          plus(found.times(found.queries[t], "additive.query.weight"),
               plus(found.times(found.memory[i], "additive.key.weight"), found.weight("additive.key.bias")));
      const Row v = found.weight("additive.v");
      return inner(tanh_all(hidden), v) / (normalized ? std::sqrt(inner(v, v)) : 1);
    });
  }
}

}  // namespace
}  // namespace fovea
