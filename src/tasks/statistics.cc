#include "tasks/statistics.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "base/as_size.h"
#include "base/error.h"
#include "base/random.h"

namespace fovea {

namespace {

constexpr std::size_t draws = 1000, draws_at_once = 8;

constexpr double normal_quantile = 1.959963984540054;  // 97.5 % of the normal distribution lie below

// The share of Student's distribution between -t and t = sqrt(degrees) tan(angle), as a finite sum (Abramowitz & Stegun
// 1964, 26.7.3 and 26.7.4).
double student_middle(double angle, int degrees) {
  const double cosine = std::cos(angle);
  const bool odd = degrees % 2 == 1;
  double term = odd ? cosine : 1, sum = 0;
  for (int power = odd ? 1 : 0; power <= degrees - 2; power += 2) {
    sum += term;
    term *= cosine * cosine * (power + 1) / (power + 2);
  }
  return odd ? (angle + std::sin(angle) * sum) * 2 / std::numbers::pi : std::sin(angle) * sum;
}

// How often each of `count` is drawn, [some, count], in the draws from `first` on.
std::vector<std::uint32_t> draw_times(std::size_t count, std::size_t first, std::size_t some) {
  std::vector<std::uint32_t> times(some * count);
  for (std::size_t d = 0; d < some; ++d) {
    const Random random = Random(0, Purpose::resampling).at(first + d);
    for (std::size_t i = 0; i < count; ++i) ++times[d * count + random.below(count, i)];
  }
  return times;
}

// Sums [draws_at_once, width] of as many rows as there are, from the first of these draws on. How often each row is
// drawn is counted first: rows are many, and reading them in order is several times as fast as here and there.
std::vector<double> draw_sums(StatisticRows rows, std::size_t count, std::size_t first) {
  const std::vector<std::uint32_t> times = draw_times(count, first, draws_at_once);
  std::vector<double> sums(draws_at_once * rows.width);
  for (std::size_t i = 0; i < count; ++i) {
    const double* const row = rows.numbers.data() + i * rows.width;
    for (std::size_t d = 0; d < draws_at_once; ++d) {
      const double factor = times[d * count + i];
      if (factor == 0) continue;
      for (std::size_t k = 0; k < rows.width; ++k) sums[d * rows.width + k] += factor * row[k];
    }
  }
  return sums;
}

// Of each draw.
std::vector<std::vector<double>> draw_figures(StatisticRows rows, const FiguresOfSums& figures, Workers& workers) {
  check(rows.width > 0 && !rows.numbers.empty() && rows.numbers.size() % rows.width == 0,
        "bootstrap: {} numbers in rows of {}", rows.numbers.size(), rows.width);
  const std::size_t count = rows.numbers.size() / rows.width;
  std::vector<std::vector<double>> drawn(draws);
  workers.run(static_cast<int>(draws / draws_at_once), [&](int task, int) {
    const std::size_t first = as_size(task) * draws_at_once;
    const std::vector<double> sums = draw_sums(rows, count, first);
    for (std::size_t d = 0; d < draws_at_once; ++d) {
      drawn[first + d] = figures(std::span(sums).subspan(d * rows.width, rows.width));
    }
  });
  return drawn;
}

std::vector<std::vector<double>> draw_figure(std::size_t count, const FigureOfTimes& figure, Workers& workers) {
  check(count > 0, "bootstrap: of nothing");
  std::vector<std::vector<double>> drawn(draws);
  workers.run(static_cast<int>(draws), [&](int draw, int) {
    const std::vector<std::uint32_t> times = draw_times(count, as_size(draw), 1);
    drawn[as_size(draw)] = {figure(times)};
  });
  return drawn;
}

std::vector<Interval> intervals_of(const std::vector<std::vector<double>>& drawn) {
  std::vector<Interval> intervals(drawn[0].size());
  constexpr std::size_t outside = draws / 40;  // on each side
  for (std::size_t k = 0; k < intervals.size(); ++k) {
    std::vector<double> values;
    for (const std::vector<double>& one : drawn) values.push_back(one[k]);
    std::ranges::sort(values);
    intervals[k] = {values[outside], values[draws - 1 - outside]};
  }
  return intervals;
}

// Of what one figure was less than another in each draw.
std::vector<PairedDifference> differences_of(const std::vector<std::vector<double>>& drawn) {
  std::vector<PairedDifference> differences;
  for (const Interval& interval : intervals_of(drawn)) {
    double below = 0, above = 0;
    for (const std::vector<double>& one : drawn) {
      below += one[differences.size()] <= 0;
      above += one[differences.size()] >= 0;
    }
    // As if what was measured had been drawn once more: no number of draws can say that it never happens.
    const double share = (std::min(below, above) + 1) / static_cast<double>(draws + 1);
    differences.push_back({interval, std::min(1.0, 2 * share)});
  }
  return differences;
}

}  // namespace

double mean(std::span<const double> values) {
  check(!values.empty(), "mean of no values");
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double student_quantile(double share, int degrees) {
  check(share >= 0.5 && share < 1 && degrees >= 1, "student_quantile: share {}, {} degrees of freedom", share, degrees);
  double low = 0, high = std::numbers::pi / 2;
  for (int halvings = 0; halvings < 64; ++halvings) {
    const double angle = (low + high) / 2;
    (student_middle(angle, degrees) < 2 * share - 1 ? low : high) = angle;
  }
  return std::sqrt(degrees) * std::tan(low);
}

Interval student_interval(std::span<const double> values) {
  check(values.size() >= 2, "student_interval: {} values, at least two are needed", values.size());
  const double count = static_cast<double>(values.size()), centre = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  const double error = std::sqrt(squares / (count - 1) / count);
  const double half = student_quantile(0.975, static_cast<int>(values.size()) - 1) * error;
  return {centre - half, centre + half};
}

Interval wilson_interval(std::int64_t right, std::int64_t all) {
  check(all > 0 && right >= 0 && right <= all, "wilson_interval: {} of {}", right, all);
  const double count = static_cast<double>(all), share = static_cast<double>(right) / count;
  const double z2 = normal_quantile * normal_quantile;
  const double centre = (share + z2 / (2 * count)) / (1 + z2 / count);
  const double half =
      normal_quantile * std::sqrt(share * (1 - share) / count + z2 / (4 * count * count)) / (1 + z2 / count);
  // Rounding must not carry a bound past the ends.
  return {right == 0 ? 0 : std::max(0.0, centre - half), right == all ? 1 : std::min(1.0, centre + half)};
}

std::vector<Interval> bootstrap_intervals(StatisticRows rows, const FiguresOfSums& figures, Workers& workers) {
  return intervals_of(draw_figures(rows, figures, workers));
}

Interval bootstrap_interval(std::size_t count, const FigureOfTimes& figure, Workers& workers) {
  return intervals_of(draw_figure(count, figure, workers))[0];
}

std::vector<PairedDifference> paired_differences(StatisticRows first, StatisticRows second,
                                                 const FiguresOfSums& figures, Workers& workers) {
  check(first.width == second.width && first.numbers.size() == second.numbers.size(),
        "paired_differences: {} numbers beside {}", first.numbers.size(), second.numbers.size());
  const std::size_t width = first.width, count = first.numbers.size() / width;
  std::vector<double> both;
  for (std::size_t i = 0; i < count; ++i) {
    for (const StatisticRows& rows : {first, second}) {
      const auto row = rows.numbers.subspan(i * width, width);
      both.insert(both.end(), row.begin(), row.end());
    }
  }
  const auto less = [&](std::span<const double> sums) {
    std::vector<double> values = figures(sums.first(width));
    const std::vector<double> others = figures(sums.last(width));
    for (std::size_t k = 0; k < values.size(); ++k) values[k] -= others[k];
    return values;
  };
  return differences_of(draw_figures({both, 2 * width}, less, workers));
}

PairedDifference paired_difference(std::size_t count, const FigureOfTimes& first, const FigureOfTimes& second,
                                   Workers& workers) {
  const auto less = [&](std::span<const std::uint32_t> times) { return first(times) - second(times); };
  return differences_of(draw_figure(count, less, workers))[0];
}

}  // namespace fovea
