// How sure a measured number is: 95 % confidence intervals over repeated runs, over right and wrong answers, and over
// answers drawn again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/threads.h"

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

// Numbers in rows of equal width.
struct StatisticRows {
  std::span<const double> numbers;  // [rows, width]
  std::size_t width = 0;
};

// Efron 1979: of figures that are functions of the sums of all rows. A thousand times as many rows are drawn as there
// are, some of them twice and others not at all, and the middle 95 % of what each figure is then are its interval. The
// same for the same rows, whatever the number of workers; at least one row.
using FiguresOfSums = std::function<std::vector<double>(std::span<const double> sums)>;
std::vector<Interval> bootstrap_intervals(StatisticRows rows, const FiguresOfSums& figures, Workers& workers);

// The same of a figure that is told how often each of `count` answers was drawn, and need be no function of sums.
using FigureOfTimes = std::function<double(std::span<const std::uint32_t> times)>;
Interval bootstrap_interval(std::size_t count, const FigureOfTimes& figure, Workers& workers);

// Whether what was measured twice on the same answers differs: the paired bootstrap of Koehn 2004.
struct PairedDifference {
  Interval interval;  // of the first less the second
  double p = 1;       // how often a difference of the other sign, or none, is drawn; twice that, since either may lead
};
// Rows of both, in the same order.
std::vector<PairedDifference> paired_differences(StatisticRows first, StatisticRows second,
                                                 const FiguresOfSums& figures, Workers& workers);
// Of a figure that is told how often each answer was drawn, of both.
PairedDifference paired_difference(std::size_t count, const FigureOfTimes& first, const FigureOfTimes& second,
                                   Workers& workers);

}  // namespace fovea
