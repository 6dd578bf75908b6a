#include "show/heat_map.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/utf8.h"

namespace fovea {
namespace {

// No character is spelled "</s>", and word and piece vocabularies reserve it.
bool is_stop_text(const std::string& token) { return token.empty() || token == "</s>"; }

const std::vector<float>* weights_of(const OutputStep& step, std::size_t map) {
  return map < step.looks.size() ? &step.looks[map].weights : nullptr;
}

}  // namespace

bool is_stop(const SourceToken& token) { return token.start == token.end && token.text == "</s>"; }

bool is_stop(const OutputStep& step) { return is_stop_text(step.token); }

Label source_label(const SourceToken& token) { return is_stop(token) ? stop_label() : label_of(token.text); }
Label output_label(const std::string& token) { return is_stop_text(token) ? stop_label() : label_of(token); }

std::string map_title(const Output& output, std::size_t map) {
  const MapName& name = output.maps.at(map);
  std::string title = output.maps.size() == 1 ? "attention" : fmt::format("layer {}, head {}", name.layer, name.head);
  if (!name.source.empty() && name.source != "source") title += " on " + printable(repair_utf8(name.source));
  return title;
}

std::string left_out_note(const Output& output) {
  std::vector<std::string> parts;
  const auto add = [&](std::size_t shown, std::size_t left_out, const char* what) {
    if (left_out > 0) parts.push_back(fmt::format("{} of {} {}", shown, shown + left_out, what));
  };
  add(output.source.size(), output.left_out.positions, "source positions");
  add(output.steps.size(), output.left_out.steps, "output steps");
  add(output.maps.size(), output.left_out.maps, "maps");
  if (parts.empty()) return "";
  std::string note = "Shown are the first " + parts[0];
  for (std::size_t i = 1; i < parts.size(); ++i) note += (i + 1 < parts.size() ? ", " : " and ") + parts[i];
  return note + ".";
}

HeatMap heat_map_of(const Output& output, std::size_t map) {
  check(map < output.maps.size(), "map {} wanted, but the output has {}", map, output.maps.size());
  HeatMap heat_map;
  heat_map.title = map_title(output, map);
  std::size_t positions = 0;
  for (const OutputStep& step : output.steps) {
    if (const auto* weights = weights_of(step, map)) positions = std::max(positions, weights->size());
    heat_map.rows.push_back(output_label(step.token));
    heat_map.probabilities.push_back(step.probability);
  }
  if (output.steps.empty()) positions = output.source.size();
  const bool over_source = positions == output.source.size();
  for (std::size_t i = 0; i < positions; ++i) {
    heat_map.columns.push_back(over_source ? source_label(output.source[i]) : label_of(fmt::format("{}", i)));
  }
  heat_map.weights.assign(heat_map.rows.size() * positions, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t row = 0; row < heat_map.rows.size(); ++row) {
    if (const auto* weights = weights_of(output.steps[row], map)) {
      std::copy(weights->begin(), weights->end(),
                heat_map.weights.begin() + static_cast<std::ptrdiff_t>(row * positions));
    }
  }
  return heat_map;
}

std::vector<double> coverage(const HeatMap& heat_map) {
  std::vector<double> sums(heat_map.columns.size());
  for (std::size_t row = 0; row < heat_map.rows.size(); ++row) {
    for (std::size_t column = 0; column < sums.size(); ++column) {
      const double weight = heat_map.weight(row, column);
      if (std::isfinite(weight)) sums[column] += weight;
    }
  }
  return sums;
}

std::string percent(double share) {
  if (!std::isfinite(share)) return "     ?";
  return fmt::format("{:5.1f}%", 100 * std::clamp(share, 0.0, 1.0));
}

}  // namespace fovea
