#include "evaluation/difference.h"

#include <algorithm>

#include "base/as_size.h"
#include "base/error.h"
#include "tasks/metrics/metric.h"

namespace fovea {

std::vector<Difference> differences(const Evaluation& first, const Evaluation& second, Workers& workers) {
  if (first.asked != second.asked) {
    throw usage_error(
        "the two models did not answer the same sources, {} and {} of them; if they read other columns, `each_line` "
        "holds them against each other line by line",
        first.asked.size(), second.asked.size());
  }
  const StatisticRows a = first.measured.rows(), b = second.measured.rows();
  std::vector<PairedDifference> of_metrics;  // in the order of their list
  if (!a.numbers.empty()) of_metrics = paired_differences(a, b, Measurement::values_of, workers);
  const std::vector<std::string> names = metrics().names();
  std::vector<Difference> all;
  for (const Figure& figure : first.figures) {
    const Figure* other = find_figure(second.figures, figure.name);
    if (!other) continue;
    const auto place = as_size(std::ranges::find(names, figure.name) - names.begin());
    PairedDifference found;
    if (place < of_metrics.size()) {
      found = of_metrics[place];
    } else if (figure.drawn && other->drawn && figure.answers == other->answers) {
      found = paired_difference(figure.answers, figure.drawn, other->drawn, workers);
    } else {
      continue;
    }
    all.push_back({figure.name, figure.value, other->value, found.interval});
    if (std::ssize(first.asked) >= fewest_sources) all.back().p = found.p;
  }
  if (all.empty()) throw usage_error("there is no figure by which the two models could differ");
  return all;
}

}  // namespace fovea
