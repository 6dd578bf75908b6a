#include "tasks/statistics.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/error.h"
#include "base/random.h"

namespace fovea::statistics_test {
namespace {

// From tables of the distribution.
TEST(Statistics, StudentQuantiles) {
  EXPECT_NEAR(student_quantile(0.975, 1), 12.706205, 1e-5);
  EXPECT_NEAR(student_quantile(0.975, 2), 4.302653, 1e-6);
  EXPECT_NEAR(student_quantile(0.975, 3), 3.182446, 1e-6);
  EXPECT_NEAR(student_quantile(0.975, 4), 2.776445, 1e-6);
  EXPECT_NEAR(student_quantile(0.975, 9), 2.262157, 1e-6);
  EXPECT_NEAR(student_quantile(0.975, 30), 2.042272, 1e-6);
  EXPECT_NEAR(student_quantile(0.95, 10), 1.812461, 1e-6);
  EXPECT_NEAR(student_quantile(0.975, 100000), 1.959988, 1e-5);  // nearly normal
  EXPECT_NEAR(student_quantile(0.5, 7), 0, 1e-12);
}

TEST(Statistics, IntervalOfAMean) {
  const std::vector<double> values = {0.90, 0.92, 0.94};
  EXPECT_NEAR(mean(values), 0.92, 1e-15);
  const Interval interval = student_interval(values);
  EXPECT_NEAR(interval.low, 0.92 - 4.302653 * 0.02 / 1.7320508, 1e-8);
  EXPECT_NEAR(interval.high, 0.92 + 4.302653 * 0.02 / 1.7320508, 1e-8);
  const Interval same = student_interval(std::vector<double>{0.5, 0.5, 0.5, 0.5});
  EXPECT_EQ(same.low, 0.5);
  EXPECT_EQ(same.high, 0.5);
}

TEST(Statistics, WilsonInterval) {
  const Interval most = wilson_interval(95, 100);
  EXPECT_NEAR(most.low, 0.8882, 5e-5);
  EXPECT_NEAR(most.high, 0.9785, 5e-5);
  const Interval half = wilson_interval(5, 10);
  EXPECT_NEAR(half.low, 0.2366, 5e-5);
  EXPECT_NEAR(half.high, 0.7634, 5e-5);
  const Interval none = wilson_interval(0, 10), all = wilson_interval(10, 10);
  EXPECT_EQ(none.low, 0);
  EXPECT_NEAR(none.high, 0.2775, 5e-5);
  EXPECT_NEAR(all.low, 0.7225, 5e-5);
  EXPECT_EQ(all.high, 1);
}

// Of a mean it is what the central limit theorem says.
TEST(Statistics, BootstrapOfAMean) {
  std::vector<double> rows, values;
  for (std::uint64_t i = 0; i < 500; ++i) {
    values.push_back(Random(3, Purpose::data).uniform(i));
    rows.insert(rows.end(), {values.back(), 1});
  }
  const auto means = [](std::span<const double> sums) { return std::vector{sums[0] / sums[1], sums[1]}; };
  Workers one(1), two(2);
  const std::vector<Interval> found = bootstrap_intervals({rows, 2}, means, one),
                              again = bootstrap_intervals({rows, 2}, means, two);
  ASSERT_EQ(found.size(), 2u);
  const Interval wanted = student_interval(values);
  EXPECT_NEAR(found[0].low, wanted.low, 0.1 * (wanted.high - wanted.low));
  EXPECT_NEAR(found[0].high, wanted.high, 0.1 * (wanted.high - wanted.low));
  EXPECT_EQ(found[1].low, 500) << "as many as there are";
  EXPECT_EQ(found[1].high, 500);
  EXPECT_EQ(again[0].low, found[0].low);
  EXPECT_EQ(again[0].high, found[0].high);
  EXPECT_THROW(bootstrap_intervals({{}, 2}, means, one), Error);
}

TEST(Statistics, BootstrapByTimesIsThatOfSums) {
  std::vector<double> rows;
  for (std::uint64_t i = 0; i < 50; ++i) rows.insert(rows.end(), {Random(3, Purpose::data).uniform(i), 1});
  Workers workers(2);
  const auto of_sums = bootstrap_intervals(
      {rows, 2}, [](std::span<const double> sums) { return std::vector{sums[0] / sums[1]}; }, workers);
  const Interval of_times = bootstrap_interval(
      50,
      [&](std::span<const std::uint32_t> times) {
        double sum = 0;
        for (std::size_t i = 0; i < 50; ++i) sum += times[i] * rows[2 * i];
        return sum / 50;
      },
      workers);
  EXPECT_NEAR(of_times.low, of_sums[0].low, 1e-12);
  EXPECT_NEAR(of_times.high, of_sums[0].high, 1e-12);
}

// Of 400 answers the first has 300 right. The second has the same right but for `lost`.
TEST(Statistics, PairedDifferences) {
  const auto right = [](std::size_t count) {
    std::vector<double> rows;
    for (std::size_t i = 0; i < 400; ++i) rows.insert(rows.end(), {i < count ? 1.0 : 0.0, 1});
    return rows;
  };
  const auto share = [](std::span<const double> sums) { return std::vector{sums[0] / sums[1]}; };
  Workers workers(1);
  const std::vector<double> first = right(300);
  const auto against = [&](std::size_t count) {
    const std::vector<double> second = right(count);
    return paired_differences({first, 2}, {second, 2}, share, workers).at(0);
  };
  EXPECT_EQ(against(300).p, 1) << "the same";
  EXPECT_EQ(against(300).interval.low, 0);
  EXPECT_GT(against(298).p, 0.05) << "two of 400 may be chance";
  EXPECT_LT(against(280).p, 0.01);
  // Each answer is drawn with its pair: the spread is that of 20 of 400, sqrt(0.05 0.95 / 400).
  EXPECT_NEAR(against(280).interval.high - against(280).interval.low, 2 * 1.96 * 0.0109, 0.006);
  EXPECT_GT(against(280).interval.low, 0);
  EXPECT_LT(against(320).interval.high, 0);
  EXPECT_THROW(paired_differences({first, 2}, {std::span(first).first(10), 2}, share, workers), Error);
}

TEST(Statistics, RefusesWhatHasNoAnswer) {
  EXPECT_THROW(mean({}), Error);
  EXPECT_THROW(student_interval(std::vector<double>{0.5}), Error);
  EXPECT_THROW(student_quantile(1, 3), Error);
  EXPECT_THROW(student_quantile(0.4, 3), Error);
  EXPECT_THROW(student_quantile(0.9, 0), Error);
  EXPECT_THROW(wilson_interval(0, 0), Error);
  EXPECT_THROW(wilson_interval(3, 2), Error);
}

}  // namespace
}  // namespace fovea::statistics_test
