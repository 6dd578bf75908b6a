#include "evaluation/figure.h"

#include <algorithm>

namespace fovea {

const Figure* find_figure(std::span<const Figure> figures, std::string_view name) {
  const auto found = std::ranges::find(figures, name, &Figure::name);
  return found == figures.end() ? nullptr : &*found;
}

Figure figure_of_sums(std::string name, Better better, std::vector<double> rows,
                      const std::function<double(double part, double all)>& value, Workers& workers) {
  const std::size_t answers = rows.size() / 2;
  Figure figure = {.name = std::move(name), .better = better, .answers = answers};
  figure.interval = bootstrap_intervals(
      {rows, 2}, [&](std::span<const double> sums) { return std::vector{value(sums[0], sums[1])}; }, workers)[0];
  figure.drawn = [rows = std::move(rows), value](std::span<const std::uint32_t> times) {
    double part = 0, all = 0;
    for (std::size_t i = 0; i < times.size(); ++i) {
      part += times[i] * rows[2 * i];
      all += times[i] * rows[2 * i + 1];
    }
    return value(part, all);
  };
  figure.value = figure.drawn(std::vector<std::uint32_t>(answers, 1));
  return figure;
}

double share_of(double part, double all) { return all == 0 ? 0 : part / all; }

Figure share_of_right(std::string name, const std::vector<bool>& right, Workers& workers) {
  std::vector<double> rows;
  for (const bool one : right) rows.insert(rows.end(), {one ? 1.0 : 0.0, 1.0});
  Figure figure = figure_of_sums(std::move(name), Better::higher, std::move(rows), share_of, workers);
  figure.interval = wilson_interval(std::ranges::count(right, true), std::ssize(right));
  return figure;
}

}  // namespace fovea
