#include "kernels/rows.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/as_size.h"
#include "kernels/kernel_test.h"

namespace fovea::kernels::rows_test {
namespace {

class RowKernels : public KernelTest {};
INSTANTIATE_TEST_SUITE_P(Kernels, RowKernels, testing::ValuesIn(tested_instruction_sets()), instruction_set_name);

// log p of each column
std::vector<double> reference_log_softmax(const Real* row, int columns) {
  const double largest = *std::max_element(row, row + columns);
  double sum = 0;
  for (int j = 0; j < columns; ++j) sum += std::exp(row[j] - largest);
  std::vector<double> logs;
  for (int j = 0; j < columns; ++j) logs.push_back(row[j] - largest - std::log(sum));
  return logs;
}

struct Expected {
  double loss = 0;
  std::vector<double> gradient;
};

Expected reference_cross_entropy(const Buffer& logits, int columns, const std::vector<std::int32_t>& targets,
                                 Smoothing smoothing, double factor, const Buffer& start) {
  Expected expected;
  const double share = smoothing.share;
  for (std::size_t r = 0; r < targets.size(); ++r) {
    const auto logs = reference_log_softmax(logits.data() + r * columns, columns);
    for (int j = 0; j < columns; ++j) {
      const double wanted = (j == targets[r] ? 1 - share : 0.0) + share / columns;
      const bool counts = targets[r] != smoothing.ignored;
      if (counts) expected.loss -= wanted * logs[j];
      expected.gradient.push_back(start[r * columns + j] + (counts ? factor * (std::exp(logs[j]) - wanted) : 0.0));
    }
  }
  return expected;
}

TEST_P(RowKernels, CrossEntropyIsThatOfDouble) {
  for (const int columns : odd_sizes()) {
    for (const int rows : {0, 1, 3, 8}) {
      std::vector<std::int32_t> targets;
      for (int r = 0; r < rows; ++r) targets.push_back((r * 5 + 2) % columns);
      if (rows > 2) targets[1] = -1;
      for (const Real share : {Real(0), Real(0.125)}) {
        const Smoothing smoothing = {share, -1};
        const Buffer logits(rows * columns, "logits", 8), start(rows * columns, "start");
        Buffer log_sums(rows, Real(0)), gradient = start;
        const LogitRows in = {logits.data(), rows, columns};
        const double loss = cross_entropy(in, targets.data(), smoothing, log_sums.data());
        cross_entropy_backward(in, targets.data(), smoothing, log_sums.data(), Real(-1.5), gradient.data());
        const Expected expected = reference_cross_entropy(logits, columns, targets, smoothing, -1.5, start);
        EXPECT_NEAR(loss, expected.loss, 16 * epsilon * (rows + std::abs(expected.loss))) << rows << " x " << columns;
        expect_near(gradient, expected.gradient, 32 * epsilon, "gradient");
        Buffer from_zero(rows * columns, Real(0)), in_place = logits;
        cross_entropy_backward(in, targets.data(), smoothing, log_sums.data(), Real(-1.5), from_zero.data());
        cross_entropy_backward({in_place.data(), rows, columns}, targets.data(), smoothing, log_sums.data(), Real(-1.5),
                               in_place.data());
        EXPECT_EQ(in_place.values(), from_zero.values());
      }
    }
  }
}

TEST_P(RowKernels, LogSoftmaxIsThatOfDouble) {
  for (const int columns : odd_sizes()) {
    const Buffer logits(3 * columns, "logits", 8);
    Buffer logs(3 * columns, Real(0)), in_place = logits;
    log_softmax({logits.data(), 3, columns}, logs.data());
    log_softmax({in_place.data(), 3, columns}, in_place.data());
    EXPECT_EQ(in_place.values(), logs.values());
    std::vector<double> expected;
    for (int r = 0; r < 3; ++r) {
      const auto row = reference_log_softmax(logits.data() + r * columns, columns);
      expected.insert(expected.end(), row.begin(), row.end());
    }
    expect_near(logs, expected, 8 * epsilon, "log_softmax");
  }
}

// Rows on which careless arithmetic overflows or loses the sum.
std::vector<std::vector<Real>> extreme_rows() {
  const Real largest = Real(1e30), denormal = std::numeric_limits<Real>::denorm_min();
  std::vector<std::vector<Real>> rows;
  for (const int columns : {2, 7, 17}) {
    const auto all = [&](Real value) { return std::vector<Real>(as_size(columns), value); };
    for (const Real value : {Real(0), Real(5), Real(-1000), Real(1000), largest, -largest, denormal}) {
      rows.push_back(all(value));
    }
    rows.push_back(all(-largest));
    rows.back()[1] = largest;
    rows.push_back(all(largest));
    rows.back()[1] = -largest;
    rows.push_back(all(Real(30000)));
    rows.back()[0] = Real(30001);
    rows.push_back(all(Real(0)));
    rows.back()[1] = denormal;
  }
  return rows;
}

TEST_P(RowKernels, ProbabilitiesOfExtremesSumToOne) {
  for (const std::vector<Real>& row : extreme_rows()) {
    const int columns = static_cast<int>(row.size());
    const Buffer logits(row);
    Buffer logs(columns, Real(0));
    log_softmax({logits.data(), 1, columns}, logs.data());
    double sum = 0;
    for (int j = 0; j < columns; ++j) sum += std::exp(double(logs[j]));
    EXPECT_NEAR(sum, 1, 1e-5) << "logits " << row[0] << ", " << row[1] << ", ... of " << columns;
  }
}

TEST_P(RowKernels, CrossEntropyOfExtremesIsThatOfDouble) {
  for (const std::vector<Real>& row : extreme_rows()) {
    const int columns = static_cast<int>(row.size());
    const Buffer logits(row), zeros(columns, Real(0));
    for (const std::int32_t target : {0, 1}) {
      for (const Real share : {Real(0), Real(0.125)}) {
        const std::string what = fmt::format("logits {}, {}, ... of {}, target {}", row[0], row[1], columns, target);
        const Smoothing smoothing = {share, -1};
        Buffer log_sums(1, Real(0)), gradient = zeros;
        const double loss = cross_entropy({logits.data(), 1, columns}, &target, smoothing, log_sums.data());
        cross_entropy_backward({logits.data(), 1, columns}, &target, smoothing, log_sums.data(), 1, gradient.data());
        const Expected expected = reference_cross_entropy(logits, columns, {target}, smoothing, 1, zeros);
        EXPECT_NEAR(loss, expected.loss, 1e-5 * std::max(1.0, std::abs(expected.loss))) << what;
        expect_near(gradient, expected.gradient, 1e-5, what);
      }
    }
  }
}

TEST_P(RowKernels, OneColumnCostsNothing) {
  for (const Real logit : {Real(0), Real(-3.5), Real(1e30), Real(-1e30)}) {
    for (const Real share : {Real(0), Real(0.125)}) {
      const std::int32_t target = 0;
      Buffer log_sums(1, Real(0)), gradient(1, Real(0)), logs(1, Real(5));
      EXPECT_EQ(cross_entropy({&logit, 1, 1}, &target, {share, -1}, log_sums.data()), 0) << logit;
      cross_entropy_backward({&logit, 1, 1}, &target, {share, -1}, log_sums.data(), 1, gradient.data());
      EXPECT_EQ(gradient[0], 0) << logit;
      log_softmax({&logit, 1, 1}, logs.data());
      EXPECT_EQ(logs[0], 0) << logit;
    }
  }
}

TEST_P(RowKernels, IgnoredRowsMayHoldAnything) {
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  const Buffer logits({1, 2, 3, nan, infinity, -infinity, 3, 1, 2});
  const std::vector<std::int32_t> targets = {2, 0, 1};
  Buffer log_sums(3, Real(0)), gradient(9, Real(0));
  const double loss = cross_entropy({logits.data(), 3, 3}, targets.data(), {Real(0.125), 0}, log_sums.data());
  cross_entropy_backward({logits.data(), 3, 3}, targets.data(), {Real(0.125), 0}, log_sums.data(), 1, gradient.data());
  EXPECT_TRUE(std::isfinite(loss));
  EXPECT_TRUE(gradient.all_finite());
  for (int j = 3; j < 6; ++j) EXPECT_EQ(gradient[j], 0);
}

TEST_P(RowKernels, LogSumsAreThoseOfDouble) {
  for (const int columns : odd_sizes()) {
    constexpr int rows = 3;
    const Buffer logits(rows * columns, "logits", 8), dsums(rows, "dsums"), start(rows * columns, "start");
    Buffer sums(rows, Real(9)), gradient = start;
    log_sums({logits.data(), rows, columns}, sums.data());
    log_sums_backward({logits.data(), rows, columns}, sums.data(), dsums.data(), gradient.data());
    std::vector<double> expected, expected_gradient;
    for (int r = 0; r < rows; ++r) {
      const auto logs = reference_log_softmax(logits.data() + r * columns, columns);
      expected.push_back(logits[r * columns] - logs[0]);
      for (int j = 0; j < columns; ++j) {
        expected_gradient.push_back(start[r * columns + j] + dsums[r] * std::exp(logs[j]));
      }
    }
    expect_near(sums, expected, 8 * epsilon, "log sums");
    expect_near(gradient, expected_gradient, 32 * epsilon, "gradient");
  }
}

TEST_P(RowKernels, LogSumsOfExtremesAreFinite) {
  const Buffer logits({Real(1e30), Real(-1e30), 0, Real(-1e30), Real(-1e30), Real(-1e30), 1000, 1000, -1000});
  const Buffer ones(3, Real(1));
  Buffer sums(3, Real(9)), gradient(9, Real(0));
  log_sums({logits.data(), 3, 3}, sums.data());
  log_sums_backward({logits.data(), 3, 3}, sums.data(), ones.data(), gradient.data());
  expect_near(sums, {1e30, -1e30, 1000 + std::log(2.0)}, 1e-6, "log sums");
  EXPECT_TRUE(gradient.all_finite());
}

TEST_P(RowKernels, LayerNormIsThatOfDouble) {
  for (const int n : odd_sizes()) {
    constexpr int rows = 3;
    const Buffer x(rows * n, "x", 3), gain(n, "gain"), bias(n, "bias"), dy(rows * n, "dy");
    const Buffer x_start(rows * n, "dx"), gain_start(n, "dgain");
    Buffer y(rows * n, Real(9)), means(rows, Real(9)), scales(rows, Real(9)), dx = x_start, dgain = gain_start;
    const LayerNorm norm = {x.data(), rows, n, gain.data(), means.data(), scales.data()};
    layer_norm(norm, bias.data(), y.data());
    layer_norm_backward(norm, dy.data(), dx.data(), dgain.data());
    layer_norm_backward(norm, dy.data(), nullptr, nullptr);

    const auto g0 = gain_start.values();
    std::vector<double> out, gx, gg(g0.begin(), g0.end());
    for (int r = 0; r < rows; ++r) {
      const auto mean_of = [n](auto term) {
        double sum = 0;
        for (int j = 0; j < n; ++j) sum += term(j);
        return sum / n;
      };
      const auto at = [=](const Buffer& values, int j) { return double(values[r * n + j]); };
      const double mean = mean_of([&](int j) { return at(x, j); });
      const double variance = mean_of([&](int j) { return std::pow(at(x, j) - mean, 2); });
      const auto z = [&](int j) { return (at(x, j) - mean) / std::sqrt(variance + 1e-5); };
      const auto g = [&](int j) { return at(dy, j) * gain[j]; };
      const double mean_g = mean_of(g), mean_gz = mean_of([&](int j) { return g(j) * z(j); });
      for (int j = 0; j < n; ++j) {
        out.push_back(gain[j] * z(j) + bias[j]);
        gx.push_back(at(x_start, j) + (g(j) - mean_g - z(j) * mean_gz) / std::sqrt(variance + 1e-5));
        gg[j] += at(dy, j) * z(j);
      }
    }
    expect_near(y, out, 64 * epsilon, "y");
    expect_near(dx, gx, 256 * epsilon, "gradient of x");
    expect_near(dgain, gg, 64 * epsilon, "gradient of gain");
  }
}

TEST_P(RowKernels, AddRowsSumsColumns) {
  for (const int columns : odd_sizes()) {
    for (const int rows : {0, 1, 5}) {
      const Buffer data(rows * columns, "data"), start(columns, "start");
      Buffer sums = start;
      add_rows(data.data(), rows, columns, sums.data());
      std::vector<double> expected;
      for (int j = 0; j < columns; ++j) {
        double sum = start[j];
        for (int r = 0; r < rows; ++r) sum += data[r * columns + j];
        expected.push_back(sum);
      }
      expect_near(sums, expected, 4 * epsilon, "sums");
    }
  }
}

}  // namespace
}  // namespace fovea::kernels::rows_test
