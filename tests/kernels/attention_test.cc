#include "kernels/attention.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/as_size.h"
#include "kernels/kernel_test.h"

namespace fovea::kernels::attention_test {
namespace {

class AttentionKernels : public KernelTest {};
INSTANTIATE_TEST_SUITE_P(Kernels, AttentionKernels, testing::ValuesIn(tested_instruction_sets()), instruction_set_name);

constexpr int queries = 3, batch = 3;
const Real nan_value = std::numeric_limits<Real>::quiet_NaN();

// Row 0 has every position, row 1 every other one, row 2 none.
std::vector<std::uint8_t> mask_for(int positions) {
  std::vector<std::uint8_t> mask;
  for (int i = 0; i < positions; ++i) {
    for (int b = 0; b < batch; ++b) mask.push_back(b == 0 || (b == 1 && i % 2 == 0));
  }
  return mask;
}

// check(size, seen) for odd numbers of positions and odd sizes, with and without looking ahead, with and without room
// to work in; seen(q, i, b) tells whether query q sees position i of row b.
template <class Check>
void for_sizes(const Check& check) {
  const auto one = [&](int positions, int size) {
    const auto mask = mask_for(positions);
    for (const int causal : {-1, 0, 2}) {
      AttentionSize a = {queries, batch, positions, size, mask.data(), causal};
      const auto seen = [&](int q, int i, int b) {
        return mask[as_size(i * batch + b)] != 0 && (causal < 0 || i <= q + causal);
      };
      check(a, seen);
      Buffer room(static_cast<int>(a.room_needed()), Real(0));
      a.room = room.data();
      check(a, seen);
    }
  };
  for (const int n : odd_sizes()) {
    one(n, 5);
    one(5, n);
  }
  one(0, 5);
}

int at(int outer, int b, int inner, int width) { return (outer * batch + b) * width + inner; }

TEST_P(AttentionKernels, AdditiveScoresAreThoseOfDouble) {
  for_sizes([](AttentionSize a, auto seen) {
    const int m = a.size, n = a.positions;
    const Buffer q(queries * batch * m, "q", 2), k(n * batch * m, "k", 2), v(m, "v"), ds(queries * batch * n, "ds");
    const Buffer q_start(queries * batch * m, "dq"), k_start(n * batch * m, "dk"), v_start(m, "dv");
    Buffer scores(queries * batch * n, Real(9)), dq = q_start, dk = k_start, dv = v_start;
    additive_scores(a, q.data(), k.data(), v.data(), scores.data());
    additive_scores_backward(a, q.data(), k.data(), v.data(), {ds.data(), dq.data(), dk.data(), dv.data()});
    additive_scores_backward(a, q.data(), k.data(), v.data(), {ds.data(), nullptr, nullptr, nullptr});

    const auto q0 = q_start.values(), k0 = k_start.values(), v0 = v_start.values();
    std::vector<double> s(scores.size()), gq(q0.begin(), q0.end()), gk(k0.begin(), k0.end()), gv(v0.begin(), v0.end());
    for (int o = 0; o < queries; ++o) {
      for (int b = 0; b < batch; ++b) {
        for (int i = 0; i < n; ++i) {
          for (int j = 0; j < m && seen(o, i, b); ++j) {
            const double t = std::tanh(double(q[at(o, b, j, m)]) + k[at(i, b, j, m)]), d = ds[at(o, b, i, n)];
            s[at(o, b, i, n)] += v[j] * t;
            gq[at(o, b, j, m)] += d * v[j] * (1 - t * t);
            gk[at(i, b, j, m)] += d * v[j] * (1 - t * t);
            gv[j] += d * t;
          }
        }
      }
    }
    const std::string size = std::to_string(n) + " positions, size " + std::to_string(m) + ": ";
    const double tolerance = 4 * epsilon * (m + n + 4);
    expect_near(scores, s, tolerance, size + "scores");
    expect_near(dq, gq, tolerance, size + "gradient of queries");
    expect_near(dk, gk, tolerance, size + "gradient of keys");
    expect_near(dv, gv, tolerance, size + "gradient of v");
  });
}

TEST_P(AttentionKernels, DotScoresAreThoseOfDouble) {
  for_sizes([](AttentionSize a, auto seen) {
    const int m = a.size, n = a.positions;
    const Real factor = Real(0.375);
    const Buffer q(queries * batch * m, "q"), k(n * batch * m, "k"), ds(queries * batch * n, "ds");
    const Buffer q_start(queries * batch * m, "dq"), k_start(n * batch * m, "dk");
    Buffer scores(queries * batch * n, Real(9)), dq = q_start, dk = k_start;
    dot_scores(a, q.data(), k.data(), factor, scores.data());
    dot_scores_backward(a, q.data(), k.data(), factor, {ds.data(), dq.data(), dk.data()});
    dot_scores_backward(a, q.data(), k.data(), factor, {ds.data(), nullptr, nullptr});

    const auto q0 = q_start.values(), k0 = k_start.values();
    std::vector<double> s(scores.size()), gq(q0.begin(), q0.end()), gk(k0.begin(), k0.end());
    for (int o = 0; o < queries; ++o) {
      for (int b = 0; b < batch; ++b) {
        for (int i = 0; i < n; ++i) {
          for (int j = 0; j < m && seen(o, i, b); ++j) {
            s[at(o, b, i, n)] += factor * double(q[at(o, b, j, m)]) * k[at(i, b, j, m)];
            gq[at(o, b, j, m)] += factor * double(ds[at(o, b, i, n)]) * k[at(i, b, j, m)];
            gk[at(i, b, j, m)] += factor * double(ds[at(o, b, i, n)]) * q[at(o, b, j, m)];
          }
        }
      }
    }
    const double tolerance = 2 * epsilon * (m + n + 4);
    expect_near(scores, s, tolerance, "scores");
    expect_near(dq, gq, tolerance, "gradient of queries");
    expect_near(dk, gk, tolerance, "gradient of keys");
  });
}

TEST_P(AttentionKernels, MaskedSoftmaxIsThatOfDouble) {
  for_sizes([](AttentionSize a, auto seen) {
    const int n = a.positions, count = queries * batch * n;
    const Buffer scores(count, "scores", 8), dw(count, "dw"), start(count, "ds");
    Buffer weights(count, Real(9)), ds = start;
    masked_softmax(a, scores.data(), weights.data());
    masked_softmax_backward(a, weights.data(), dw.data(), ds.data());
    std::vector<double> w, gs;
    for (int o = 0; o < queries; ++o) {
      for (int b = 0; b < batch; ++b) {
        double sum = 0, mean = 0;
        for (int i = 0; i < n; ++i) sum += seen(o, i, b) ? std::exp(double(scores[at(o, b, i, n)])) : 0.0;
        for (int i = 0; i < n; ++i) {
          w.push_back(seen(o, i, b) ? std::exp(double(scores[at(o, b, i, n)])) / sum : 0.0);
          mean += w.back() * dw[at(o, b, i, n)];
        }
        for (int i = 0; i < n; ++i) {
          gs.push_back(start[at(o, b, i, n)] + w[at(o, b, i, n)] * (dw[at(o, b, i, n)] - mean));
        }
      }
    }
    expect_near(weights, w, 16 * epsilon, "weights");
    expect_near(ds, gs, 16 * epsilon, "gradient of scores");
  });
}

TEST_P(AttentionKernels, WeightedSumIsThatOfDouble) {
  for_sizes([](AttentionSize a, auto seen) {
    const int m = a.size, n = a.positions;
    const Buffer w(queries * batch * n, "w"), values(n * batch * m, "values"), dc(queries * batch * m, "dc");
    const Buffer w_start(queries * batch * n, "dw"), v_start(n * batch * m, "dv");
    Buffer contexts(queries * batch * m, Real(9)), dw = w_start, dv = v_start;
    weighted_sum(a, w.data(), values.data(), contexts.data());
    weighted_sum_backward(a, w.data(), values.data(), dc.data(), dw.data(), dv.data());
    weighted_sum_backward(a, w.data(), values.data(), dc.data(), nullptr, nullptr);

    const auto w0 = w_start.values(), v0 = v_start.values();
    std::vector<double> c(contexts.size()), gw(w0.begin(), w0.end()), gv(v0.begin(), v0.end());
    for (int o = 0; o < queries; ++o) {
      for (int b = 0; b < batch; ++b) {
        for (int i = 0; i < n; ++i) {
          for (int j = 0; j < m && seen(o, i, b); ++j) {
            c[at(o, b, j, m)] += double(w[at(o, b, i, n)]) * values[at(i, b, j, m)];
            gw[at(o, b, i, n)] += double(dc[at(o, b, j, m)]) * values[at(i, b, j, m)];
            gv[at(i, b, j, m)] += double(w[at(o, b, i, n)]) * dc[at(o, b, j, m)];
          }
        }
      }
    }
    const double tolerance = 2 * epsilon * (m + n + 4);
    expect_near(contexts, c, tolerance, "contexts");
    expect_near(dw, gw, tolerance, "gradient of weights");
    expect_near(dv, gv, tolerance, "gradient of values");
  });
}

// One query, one row.
std::vector<Real> softmax_of(const std::vector<Real>& scores, const std::vector<std::uint8_t>& mask) {
  const Buffer in(scores);
  Buffer weights(static_cast<int>(scores.size()), Real(9));
  masked_softmax({1, 1, static_cast<int>(scores.size()), 0, mask.data()}, in.data(), weights.data());
  return weights.values();
}

TEST_P(AttentionKernels, SoftmaxOfExtremesSumsToOne) {
  const Real big = Real(9e28), tiny = std::numeric_limits<Real>::denorm_min();
  const std::vector<std::vector<Real>> rows = {{0, 0, 0},
                                               {big, big, big},
                                               {-big, -big, -big},
                                               {big, -big, 0},
                                               {tiny, -tiny, 0},
                                               {-infinity, 1, 2},
                                               {-infinity, -infinity, -5},
                                               {infinity, 1, 2},
                                               {infinity, 0, infinity},
                                               {infinity, -infinity, 0},
                                               {1000, 1001, 999},
                                               {-1000, -1001, -999},
                                               {Real(-1e30), 0, 5},
                                               {Real(-1e30), Real(-2e29), Real(-9e28)}};
  for (std::vector<Real> row : rows) {
    const std::string what = fmt::format("scores {}, {}, {}", row[0], row[1], row[2]);
    for (const int pads : {0, 5, 14}) {  // in the tail of a vector and in whole ones
      row.resize(as_size(3 + pads), big);
      std::vector<std::uint8_t> mask(row.size(), 0);
      mask[0] = mask[1] = mask[2] = 1;
      const std::vector<Real> weights = softmax_of(row, mask);
      double sum = 0;
      for (std::size_t i = 0; i < row.size(); ++i) {
        EXPECT_GE(weights[i], 0) << what;
        const bool excluded = !mask[i] || row[i] < Real(-1e29);
        EXPECT_TRUE(!excluded || weights[i] == 0) << what << ": " << i;
        sum += weights[i];
      }
      EXPECT_NEAR(sum, 1, 1e-5) << what << ", pads " << pads;
    }
  }
  expect_near(softmax_of({infinity, 3, infinity}, {1, 1, 1}), {0.5, 0, 0.5}, epsilon, "two infinite scores");
}

TEST_P(AttentionKernels, NothingRealMeansZeros) {
  const std::vector<Real> zeros(5, Real(0));
  const std::vector<std::uint8_t> none(5, 0), all(5, 1);
  EXPECT_EQ(softmax_of({1, infinity, nan_value, -infinity, 2}, none), zeros);
  EXPECT_EQ(softmax_of(std::vector<Real>(5, -infinity), all), zeros);
  EXPECT_EQ(softmax_of(std::vector<Real>(5, Real(-1e30)), all), zeros);

  const AttentionSize a = {1, 1, 5, 3, none.data()};
  const Buffer nan(15, nan_value), ones(15, Real(1));
  Buffer scores(5, Real(9)), contexts(3, Real(9)), dq(3, Real(0)), dk(15, Real(0)), dv(3, Real(0)), dw(5, Real(0));
  additive_scores(a, ones.data(), nan.data(), ones.data(), scores.data());
  EXPECT_EQ(scores.values(), zeros);
  scores = Buffer(5, Real(9));
  dot_scores(a, ones.data(), nan.data(), 1, scores.data());
  EXPECT_EQ(scores.values(), zeros);
  weighted_sum(a, nan.data(), nan.data(), contexts.data());
  EXPECT_EQ(contexts.values(), std::vector<Real>(3, Real(0)));
  additive_scores_backward(a, ones.data(), nan.data(), ones.data(), {ones.data(), dq.data(), dk.data(), dv.data()});
  dot_scores_backward(a, ones.data(), nan.data(), 1, {ones.data(), dq.data(), dk.data()});
  weighted_sum_backward(a, ones.data(), nan.data(), ones.data(), dw.data(), dk.data());
  for (const Buffer* gradient : {&dq, &dk, &dv, &dw}) {
    for (const Real value : gradient->values()) EXPECT_EQ(value, 0);
  }
  const Buffer zero_weights(5, Real(0));
  masked_softmax_backward(a, zero_weights.data(), ones.data(), dw.data());
  EXPECT_EQ(dw.values(), zeros);
}

TEST_P(AttentionKernels, AdditiveScoresOfExtremesStayFinite) {
  constexpr int n = 3, m = 9;
  const std::vector<std::uint8_t> mask(n, 1);
  const AttentionSize a = {1, 1, n, m, mask.data()};
  const Buffer q(m, Real(1e30)), v(m, "v"), ds(n, Real(1));
  Buffer k(n * m, Real(-1e30)), scores(n, Real(9)), dq(m, Real(0)), dk(n * m, Real(0)), dv(m, Real(0));
  for (int j = 0; j < m; ++j) k[j] = Real(1e30);
  additive_scores(a, q.data(), k.data(), v.data(), scores.data());
  additive_scores_backward(a, q.data(), k.data(), v.data(), {ds.data(), dq.data(), dk.data(), dv.data()});
  double sum = 0;
  for (int j = 0; j < m; ++j) sum += v[j];
  EXPECT_NEAR(scores[0], sum, 16 * epsilon);
  EXPECT_EQ(scores[1], 0);
  EXPECT_TRUE(dq.all_finite() && dk.all_finite() && dv.all_finite());
}

// A row padded to the length of its batch mates keeps its bits.
TEST_P(AttentionKernels, PaddingChangesNoBit) {
  constexpr int m = 7;
  for (const int n : odd_sizes()) {
    const Buffer scores(n, "scores", 4), values(n * m, "values");
    const auto attend = [&](int pads) {
      std::vector<std::uint8_t> mask(as_size(n), 1);
      mask.resize(mask.size() + as_size(pads), 0);
      std::vector<Real> padded_scores = scores.values(), padded_values = values.values();
      padded_scores.resize(mask.size(), nan_value);
      padded_values.resize(mask.size() * m, nan_value);
      std::vector<Real> weights = softmax_of(padded_scores, mask);
      std::vector<Real> context(m);
      weighted_sum({1, 1, n + pads, m, mask.data()}, weights.data(), padded_values.data(), context.data());
      weights.resize(as_size(n));
      weights.insert(weights.end(), context.begin(), context.end());
      return weights;
    };
    const std::vector<Real> alone = attend(0);
    for (const int pads : {1, 2, 3, 7, 8, 15, 16, 17, 40}) EXPECT_EQ(attend(pads), alone) << n << " + " << pads;
  }
}

}  // namespace
}  // namespace fovea::kernels::attention_test
