#include "tasks/statistics.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "base/error.h"

namespace fovea {

namespace {

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

}  // namespace fovea
