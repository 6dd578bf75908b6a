#include "show/evaluation.h"

#include <algorithm>
#include <fmt/core.h>

#include "base/json.h"
#include "show/chart.h"
#include "tasks/metrics/metric.h"

namespace fovea {

namespace {

std::string line_of(const Figure& figure) {
  if (figure.count) return fmt::format("{:<18} {}\n", figure.name, static_cast<std::int64_t>(figure.value));
  const std::string interval =
      figure.interval ? fmt::format("  [{:.4f}, {:.4f}]", figure.interval->low, figure.interval->high) : "";
  return fmt::format("{:<18} {:.4f}{}\n", figure.name, figure.value, interval);
}

OrderedJson figures_to_json(std::span<const Figure> figures) {
  OrderedJson object;
  for (const Figure& figure : figures) {
    if (figure.count) {
      object[figure.name] = static_cast<std::int64_t>(figure.value);
    } else {
      object[figure.name] = figure.value;
    }
    if (!figure.interval) continue;
    object[figure.name + "_low"] = figure.interval->low;
    object[figure.name + "_high"] = figure.interval->high;
  }
  return object;
}

}  // namespace

std::string draw_evaluation(const Evaluation& evaluation) {
  std::string text;
  for (const Figure& figure : evaluation.figures) text += line_of(figure);
  text += "[low, high]: 95 % confidence over the sources\n";
  for (const Metric* metric : metrics()) {
    const std::string signature = evaluation.measured.signature(*metric);
    if (!signature.empty() && find_figure(evaluation.figures, metric->name)) {
      text += fmt::format("{}, as sacreBLEU: {}\n", metric->name, signature);
    }
  }
  if (evaluation.by_length.empty()) return text;
  text += "\ntarget length  sources";
  const auto width = [](const std::string& name) { return std::max<std::size_t>(name.size(), 8); };
  const std::vector<Figure> measured = metric_figures(evaluation);
  for (const Figure& figure : measured) text += fmt::format(" {:>{}}", figure.name, width(figure.name));
  for (const LengthRow& row : evaluation.by_length) {
    text += fmt::format("\n{:>6} - {:<6} {:>6}", row.shortest, row.longest, row.sources);
    for (const Figure& figure : measured) {
      text += fmt::format(" {:>{}.4f}", *row.metrics.find(figure.name), width(figure.name));
    }
  }
  return text + "\n";
}

std::string draw_differences(std::span<const Difference> differences, std::string_view other) {
  std::string text = fmt::format("\nbeside {}\n{:<14} {:>10} {:>10} {:>10}  {:<22} p\n", other, "", "this", "other",
                                 "difference", "[low, high]");
  for (const Difference& one : differences) {
    text += fmt::format("{:<14} {:>10.4f} {:>10.4f} {:>+10.4f}  {:<22} {}{}\n", one.metric, one.first, one.second,
                        one.first - one.second, fmt::format("[{:+.4f}, {:+.4f}]", one.interval.low, one.interval.high),
                        one.p ? fmt::format("{:.3f}", *one.p) : "-", one.differs() ? "  they differ" : "");
  }
  if (!differences.empty() && !differences[0].p) {
    text += fmt::format("fewer than {} sources: too few to tell the models apart\n", fewest_sources);
  }
  return text;
}

std::string draw_by_length(std::span<const LengthCurve> curves, const Metric& metric) {
  Chart chart = {.title = fmt::format("{} by the length of the target", metric.name),
                 .x_name = "characters",
                 .nothing = fmt::format("no ten lengths have {} sources", fewest_sources),
                 .whole_x = true};
  if (metric.form == MetricForm::share) chart.y = {0, 1};
  for (const LengthCurve& curve : curves) {
    Series series = {curve.name, {}};
    for (const LengthRow& row : curve.rows) {
      if (row.sources < fewest_sources) continue;
      series.points.push_back(
          {static_cast<double>((row.shortest + row.longest + 1) / 2), *row.metrics.find(metric.name)});
    }
    chart.series.push_back(std::move(series));
  }
  return draw_chart(chart);
}

std::string evaluation_to_json(const Evaluation& evaluation, std::span<const Difference> differences) {
  OrderedJson object = figures_to_json(evaluation.figures);
  for (const Difference& one : differences) {
    object[one.metric + "_other"] = one.second;
    object[one.metric + "_difference"] = one.first - one.second;
    object[one.metric + "_difference_low"] = one.interval.low;
    object[one.metric + "_difference_high"] = one.interval.high;
    if (one.p) object[one.metric + "_difference_p"] = *one.p;
  }
  return json_text(object) + "\n";
}

}  // namespace fovea
