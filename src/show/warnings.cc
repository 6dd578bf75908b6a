#include "show/warnings.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace fovea {
namespace {

constexpr double most_of_the_mass = 0.5;
constexpr double nearly_uniform = 0.9;  // of the greatest possible entropy

struct MapReading {
  double stop_share = 0;  // mean over the steps of the share of weight on the stop symbol
  double flatness = 0;    // mean over the steps of entropy / log(positions)
  std::size_t steps = 0;
  bool broken = false;  // some weight is missing or not finite
};

MapReading read_map(const Output& output, const HeatMap& heat_map) {
  MapReading reading;
  const std::size_t positions = heat_map.columns.size();
  const bool over_source = positions == output.source.size();
  for (std::size_t row = 0; row < heat_map.rows.size(); ++row) {
    // The step that stops has every reason to look at the stop symbol.
    if (is_stop(output.steps[row])) continue;
    double sum = 0, on_stop = 0, w_log_w = 0;
    for (std::size_t i = 0; i < positions; ++i) {
      const double w = heat_map.weight(row, i);
      reading.broken = reading.broken || !std::isfinite(w);
      if (!std::isfinite(w) || w <= 0) continue;
      sum += w;
      w_log_w += w * std::log(w);
      if (over_source && is_stop(output.source[i])) on_stop += w;
    }
    if (sum <= 0) continue;
    ++reading.steps;
    reading.stop_share += on_stop / sum;
    if (positions > 1) reading.flatness += (std::log(sum) - w_log_w / sum) / std::log(static_cast<double>(positions));
  }
  if (reading.steps > 0) {
    reading.stop_share /= static_cast<double>(reading.steps);
    reading.flatness /= static_cast<double>(reading.steps);
  }
  return reading;
}

}  // namespace

std::vector<std::string> warnings(const Output& output, std::size_t map) {
  const HeatMap heat_map = heat_map_of(output, map);
  const MapReading reading = read_map(output, heat_map);
  std::vector<std::string> lines;
  if (reading.broken) lines.emplace_back("Some weights are missing or not finite: this map is not complete.");
  if (reading.stop_share > most_of_the_mass && heat_map.columns.size() > 1) {
    lines.push_back(fmt::format("{:.0f} % of the weight lies on the stop symbol: the map says little about the source.",
                                100 * reading.stop_share));
  }
  if (reading.flatness > nearly_uniform && heat_map.columns.size() > 2) {
    lines.push_back(
        fmt::format("The map is nearly flat ({:.0f} % of the greatest entropy): the model hardly chose where to look.",
                    100 * reading.flatness));
  }
  return lines;
}

std::string correlation_line(const Output& output, std::size_t map) {
  const HeatMap saliency = saliency_map(output);
  if (saliency.rows.empty()) return "";
  const auto found = rank_correlation(heat_map_of(output, map), saliency);
  return found ? fmt::format("{} and gradient times input: Spearman's rank correlation {:.2f}, mean over the steps.",
                             map_title(output, map), *found)
               : fmt::format("{} and gradient times input cannot be ranked alike: one of them is flat.",
                             map_title(output, map));
}

}  // namespace fovea
