// series: numbers over time, for source.kind = vectors. With the answer `symbols` two to five shapes follow each other,
// and the target names them: "up flat hill". With `series` a wave goes on: the target is its next twelve values, each
// as one of twenty steps from 00 to 19, of which step k stands for -1 + (k + 0.5) / 10.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "base/as_size.h"
#include "base/random.h"
#include "data/makers/maker.h"

namespace fovea {

namespace {

// Uniform in -1 .. 1.
double spread(const Random& random, std::uint64_t counter) {
  return static_cast<double>(random.below(1'000'001, counter)) / 500'000 - 1;
}

struct SeriesShape {
  std::string_view name;
  double (*value)(double at);  // at from 0 to 1
};
constexpr std::array<SeriesShape, 6> series_shapes = {{
    {"up", [](double at) { return 2 * at - 1; }},
    {"down", [](double at) { return 1 - 2 * at; }},
    {"flat", [](double) { return 0.0; }},
    {"hill", [](double at) { return std::sin(at * std::numbers::pi); }},
    {"valley", [](double at) { return -std::sin(at * std::numbers::pi); }},
    {"wave", [](double at) { return std::sin(at * 4 * std::numbers::pi); }},
}};

std::string written(const std::vector<double>& values) { return fmt::format("{:.2f}", fmt::join(values, "; ")); }

Example make_shapes(const Random& random) {
  std::vector<double> values;
  std::vector<std::string_view> names;
  std::uint64_t counter = 0;
  const std::uint64_t count = 2 + random.below(4, counter++);
  for (std::uint64_t i = 0; i < count; ++i) {
    // Never the same twice in a row: where one ends and the next begins could not be told.
    const std::uint64_t before = names.empty() ? series_shapes.size() : counter;
    const SeriesShape* shape = &series_shapes[random.below(series_shapes.size(), counter++)];
    if (before != series_shapes.size() && shape->name == names.back()) {
      shape = &series_shapes[as_size(shape - series_shapes.data() + 1) % series_shapes.size()];
    }
    const std::uint64_t points = 8 + random.below(5, counter++);
    for (std::uint64_t p = 0; p < points; ++p) {
      const double at = (static_cast<double>(p) + 0.5) / static_cast<double>(points);
      values.push_back(shape->value(at) + 0.1 * spread(random, counter++));
    }
    names.push_back(shape->name);
  }
  return {written(values), fmt::format("{}", fmt::join(names, " ")), "", 0};
}

Example make_wave(const Random& random) {
  constexpr int shown = 40, asked = 12, steps = 20;
  const double period = 8 + 6 * (1 + spread(random, 0)), start = std::numbers::pi * spread(random, 1);
  const double height = 0.6 + 0.3 * spread(random, 2);
  const auto value = [&](int t) { return height * std::sin(2 * std::numbers::pi * t / period + start); };
  std::vector<double> values;
  for (int t = 0; t < shown; ++t) values.push_back(value(t) + 0.02 * spread(random, static_cast<std::uint64_t>(3 + t)));
  std::vector<std::string> next;
  for (int t = shown; t < shown + asked; ++t) {
    const int step = static_cast<int>(std::floor((value(t) + 1) * steps / 2));
    next.push_back(fmt::format("{:02}", std::clamp(step, 0, steps - 1)));
  }
  return {written(values), fmt::format("{}", fmt::join(next, " ")), "", 0};
}

MakeLine begin_series(const MakerOptions& options, std::uint64_t seed) {
  return [seed, make = options.answer == "symbols" ? make_shapes : make_wave](std::uint64_t index) {
    Example example = make(Random(seed, Purpose::data).at(index));
    example.line = static_cast<std::int64_t>(index) + 1;
    return example;
  };
}

}  // namespace

extern const Maker Maker_series = {"series",
                                   "numbers over time; target: the shapes they make, or how they go on",
                                   begin_series,
                                   {"answer"},
                                   {"symbols", "series"}};

}  // namespace fovea
