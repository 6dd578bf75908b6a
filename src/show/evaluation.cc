#include "show/evaluation.h"

#include <algorithm>
#include <fmt/core.h>

#include "base/json.h"

namespace fovea {

namespace {

std::string line_of(const Figure& figure) {
  if (figure.count) return fmt::format("{:<18} {}\n", figure.name, static_cast<std::int64_t>(figure.value));
  const std::string interval =
      figure.interval ? fmt::format("  [{:.4f}, {:.4f}]", figure.interval->low, figure.interval->high) : "";
  return fmt::format("{:<18} {:.4f}{}\n", figure.name, figure.value, interval);
}

}  // namespace

std::string draw_evaluation(const Evaluation& evaluation) {
  std::string text;
  for (const Figure& figure : evaluation.figures) text += line_of(figure);
  text += "[low, high]: 95 % confidence over the sources\n\ntarget length  sources";
  const auto width = [](const std::string& name) { return std::max<std::size_t>(name.size(), 8); };
  for (const auto& [name, value] : evaluation.by_length.front().metrics)
    text += fmt::format(" {:>{}}", name, width(name));
  for (const LengthRow& row : evaluation.by_length) {
    text += fmt::format("\n{:>6} - {:<6} {:>6}", row.shortest, row.longest, row.sources);
    for (const auto& [name, value] : row.metrics) text += fmt::format(" {:>{}.4f}", value, width(name));
  }
  return text + "\n";
}

std::string evaluation_to_json(const Evaluation& evaluation) {
  OrderedJson object;
  for (const Figure& figure : evaluation.figures) {
    if (figure.count) {
      object[figure.name] = static_cast<std::int64_t>(figure.value);
    } else {
      object[figure.name] = figure.value;
    }
    if (!figure.interval) continue;
    object[figure.name + "_low"] = figure.interval->low;
    object[figure.name + "_high"] = figure.interval->high;
  }
  return json_text(object) + "\n";
}

}  // namespace fovea
