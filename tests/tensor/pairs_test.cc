// What ops/pairs.cc and ops/copy_map.cc compute, against plain loops.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/as_size.h"
#include "support/gradient_check.h"
#include "tensor/op_cases_pairs.h"
#include "tensor/ops.h"

namespace fovea::pairs_test {
namespace {

TEST(QueryPairs, HoldEveryQueryWithEveryPosition) {
  constexpr int queries = 3, batch = 2, positions = 4, size = 5;
  const NamedInputs inputs = {{"queries", {queries, batch, size}}, {"keys", {positions, batch, size}}};
  std::vector<Real> sums, products;
  for (int i = 0; i < positions; ++i) {
    for (int q = 0; q < queries; ++q) {
      for (int b = 0; b < batch; ++b) {
        for (int s = 0; s < size; ++s) {
          const Real query = inputs[0].values[(q * batch + b) * size + s];
          const Real key = inputs[1].values[(i * batch + b) * size + s];
          sums.push_back(query + key);
          products.push_back(query * key);
        }
      }
    }
  }
  EXPECT_EQ(run(inputs, [](Ts in) { return broadcast_add(in[0], in[1]); }).output, sums);
  EXPECT_EQ(run(inputs, [](Ts in) { return broadcast_multiply(in[0], in[1]); }).output, products);
}

TEST(QueryPairs, BecomeScoresAndBack) {
  // The number at query q, row b and position i is 100 q + 10 b + i.
  const NamedInputs scores = {{"scores", {2, 2, 3}, {0, 1, 2, 10, 11, 12, 100, 101, 102, 110, 111, 112}}};
  const NamedInputs pairs = {{"pairs", {3, 4, 1}, {0, 10, 100, 110, 1, 11, 101, 111, 2, 12, 102, 112}}};
  EXPECT_EQ(run(scores, [](Ts in) { return to_pairs(in[0]); }).output, pairs[0].values);
  EXPECT_EQ(run(pairs, [](Ts in) { return from_pairs(in[0], 2); }).output, scores[0].values);
  EXPECT_THROW(run(pairs, [](Ts in) { return from_pairs(in[0], 3); }), Error);
}

std::vector<Real> windows_of(const OwnMask& mask, int width) {
  const NamedInputs inputs = {{"x", {4, 1, 2}, {1, -1, 2, -2, 3, -3, 4, -4}}};
  return run(inputs, [&](Ts in) { return windows(in[0], width, mask); }).output;
}

TEST(Windows, AreZeroBeyondTheEdges) {
  const OwnMask all({"1111"});
  EXPECT_EQ(windows_of(all, 1), (std::vector<Real>{1, -1, 2, -2, 3, -3, 4, -4}));
  EXPECT_EQ(windows_of(all, 3), (std::vector<Real>{0, 0,  1, -1, 2, -2, 1, -1, 2, -2, 3, -3,  //
                                                   2, -2, 3, -3, 4, -4, 3, -3, 4, -4, 0, 0}));
  EXPECT_EQ(windows_of(all, 2), (std::vector<Real>{1, -1, 2, -2, 2, -2, 3, -3, 3, -3, 4, -4, 4, -4, 0, 0}));
}

TEST(Windows, AreZeroWhereNothingIsReal) {
  EXPECT_EQ(windows_of(OwnMask({"1010"}), 3), (std::vector<Real>{0, 0, 1, -1, 0, 0, 1, -1, 0, 0, 3, -3,  //
                                                                 0, 0, 3, -3, 0, 0, 3, -3, 0, 0, 0, 0}));
}

TEST(UnitSequences, HaveLengthOneOverWhatIsReal) {
  const OwnMask mask({"110", "111", "000"});
  for (const Real length : {Real(1), Real(1e-3)}) {
    NamedInputs inputs = {{"x", {3, 3, 2}, {1, 2, 0, 0, 7, 7, 2, 4, 0, 0, 7, 7, 9, 9, 0, 0, 7, 7}}};
    for (Real& value : inputs[0].values) value *= length;
    const RunResult found = run(inputs, [&](Ts in) { return unit_sequences(in[0], mask); });
    expect_close(found.output, std::vector<double>{0.2, 0.4, 0, 0, 0, 0, 0.4, 0.8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
                 "units");
    for (const std::size_t pad : {12, 13}) EXPECT_EQ(found.gradients[0][pad], 0);
  }
}

TEST(Linked, IsAProductWithADenseTable) {
  constexpr int queries = 3, batch = 2, positions = 3;
  const OwnLinks copy_map = mixed_links();
  const NamedInputs inputs = {{"weights", {queries, batch, positions}}};
  std::vector<double> expected(as_size(queries * batch * copy_map.width), 0.0);
  for (int row = 0; row < queries * batch; ++row) {
    for (int i = 0; i < positions; ++i) {
      std::vector<double> table(as_size(copy_map.width), 0.0);
      const int place = i * batch + row % batch;
      for (int k = copy_map.starts[place]; k < copy_map.starts[place + 1]; ++k)
        table[copy_map.symbols[k]] += copy_map.shares[k];
      for (int j = 0; j < copy_map.width; ++j) {
        expected[row * copy_map.width + j] += inputs[0].values[row * positions + i] * table[j];
      }
    }
  }
  expect_close(run(inputs, [&](Ts in) { return scatter_to_vocabulary(in[0], copy_map); }).output, expected, "linked");
}

TEST(Linked, WantsLinksThatFit) {
  const NamedInputs inputs = {{"weights", {3, 2, 3}}};
  const auto link = [&](const OwnLinks& copy_map) {
    run(inputs, [&](Ts in) { return scatter_to_vocabulary(in[0], copy_map); });
  };
  EXPECT_NO_THROW(link(mixed_links()));
  OwnLinks copy_map = mixed_links();
  copy_map.symbols[3] = 7;
  EXPECT_THROW(link(copy_map), Error) << "a symbol beyond the width";
  copy_map = mixed_links();
  copy_map.symbols[3] = -1;
  EXPECT_THROW(link(copy_map), Error) << "no symbol";
  copy_map = mixed_links();
  std::swap(copy_map.starts[1], copy_map.starts[2]);
  EXPECT_THROW(link(copy_map), Error) << "starts go back";
  copy_map = mixed_links();
  copy_map.starts.back() = 9;
  EXPECT_THROW(link(copy_map), Error) << "beyond the symbols";
  copy_map = mixed_links();
  copy_map.starts.pop_back();
  EXPECT_THROW(link(copy_map), Error) << "too few starts";
  copy_map = mixed_links();
  copy_map.shares.pop_back();
  EXPECT_THROW(link(copy_map), Error) << "too few shares";
}

TEST(LogMixture, IsItsFormula) {
  constexpr int rows = 3, n = 4, width = 6;
  NamedInputs inputs = {{"logits", {rows, n}}, {"gate", {rows, 1}}, {"extra", {rows, width}}};
  for (const int input : {1, 2}) {
    for (Real& value : inputs[input].values) value = (1 + value) / 2;
  }
  std::vector<double> expected;
  for (int r = 0; r < rows; ++r) {
    double sum = 0;
    for (int j = 0; j < n; ++j) sum += std::exp(double(inputs[0].values[r * n + j]));
    for (int j = 0; j < width; ++j) {
      const double share = j < n ? std::exp(double(inputs[0].values[r * n + j])) / sum : 0;
      expected.push_back(std::log(inputs[1].values[r] * share + inputs[2].values[r * width + j]));
    }
  }
  expect_close(run(inputs, [](Ts in) { return log_mixture(in[0], in[1], in[2]); }).output, expected, "mixture");
}

TEST(LogMixture, OfNothingIsLowAndPassesNothingBack) {
  const NamedInputs inputs = {{"logits", {1, 2}, {1000, -1000}}, {"gate", {1, 1}, {1}}, {"extra", {1, 3}, {0, 0, 0}}};
  const RunResult found = run(inputs, [](Ts in) { return log_mixture(in[0], in[1], in[2]); });
  const double least = std::log(1e-30);
  expect_close(found.output, std::vector<double>{0, least, least}, "mixture");
  EXPECT_EQ(found.gradients[0], std::vector<Real>(2, 0));
  EXPECT_NE(found.gradients[2][0], 0);
  EXPECT_EQ(found.gradients[2][1], 0);
  EXPECT_EQ(found.gradients[2][2], 0);
}

}  // namespace
}  // namespace fovea::pairs_test
