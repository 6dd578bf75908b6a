// One number of an evaluation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tasks/statistics.h"

namespace fovea {

enum class Better { higher, lower, neither };

struct Figure {
  std::string name;
  double value = 0;
  Better better = Better::neither;
  bool count = false;                     // a whole number
  std::optional<Interval> interval = {};  // 95 % confidence
  // What it would be if each of so many answers, or lines, counted as often as it is told; null: nobody knows.
  std::size_t answers = 0;
  FigureOfTimes drawn = {};
};

// Of fewer a figure by length says nothing, nor does a difference.
inline constexpr std::int64_t fewest_sources = 10;

// A figure of two sums, with its interval; `rows` is what each answer adds to both, two numbers each, at least one row.
Figure figure_of_sums(std::string name, Better better, std::vector<double> rows,
                      const std::function<double(double part, double all)>& value, Workers& workers);
// part / all; 0 of nothing.
double share_of(double part, double all);
// A share of the answers, each of them right or wrong.
Figure share_of_right(std::string name, const std::vector<bool>& right, Workers& workers);

// By its name; null if there is none.
const Figure* find_figure(std::span<const Figure> figures, std::string_view name);

}  // namespace fovea
