// How sure a measured number is: 95 % confidence intervals over repeated runs and over right and wrong answers.
#pragma once

#include <cstdint>
#include <span>

namespace fovea {

struct Interval {
  double low = 0;
  double high = 0;
};

double mean(std::span<const double> values);

// Below this value lies that share of Student's t distribution; share in [0.5, 1), degrees of freedom at least 1.
double student_quantile(double share, int degrees);

// Of the mean of numbers drawn alike, such as one result for each seed; at least two.
Interval student_interval(std::span<const double> values);

// Wilson 1927: of the share of right answers. Unlike the textbook interval it stays inside [0, 1] and keeps a width
// when all answers are right.
Interval wilson_interval(std::int64_t right, std::int64_t all);

}  // namespace fovea
