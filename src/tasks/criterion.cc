#include "tasks/criterion.h"

#include <algorithm>

#include "base/nearest.h"

namespace fovea {

std::vector<std::string> Criterion::names() {
  std::vector<std::string> names = metrics().names();
  names.emplace_back(loss_name);
  return names;
}

Criterion::Criterion(std::string_view name) {
  if (name == loss_name) return;
  const auto found = std::ranges::find(metrics(), name, &Metric::name);
  if (found == metrics().end()) throw unknown_name("metric", name, names());
  metric_ = *found;
}

std::string_view Criterion::name() const { return metric_ ? metric_->name : loss_name; }
std::string_view Criterion::title() const { return metric_ ? metric_->title : loss_name; }

std::optional<double> Criterion::find(const MetricValues& metrics, double loss) const {
  return metric_ ? metrics.find(metric_->name) : loss;
}

std::vector<const Metric*> leading_metrics(const Criterion& criterion) {
  std::vector<const Metric*> leading;
  for (const bool higher : {true, false}) {
    const Metric* chosen = criterion.metric();
    if (chosen && chosen->higher_is_better == higher) {
      leading.push_back(chosen);
      continue;
    }
    const auto first = std::ranges::find(metrics(), higher, &Metric::higher_is_better);
    if (first != metrics().end()) leading.push_back(*first);
  }
  return leading;
}

const Metric& leading_metric(const Criterion& criterion) {
  return criterion.metric() ? *criterion.metric() : **metrics().begin();
}

}  // namespace fovea
