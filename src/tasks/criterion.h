// What training.metric names, by which the best of several models is known: a metric of the list, or the loss on the
// held-out lines.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tasks/metrics/metric.h"
#include "tasks/metrics/metric_values.h"

namespace fovea {

class Criterion {
 public:
  static constexpr std::string_view loss_name = "loss";
  static std::vector<std::string> names();

  // A usage_error if there is none of that name.
  explicit Criterion(std::string_view name);

  std::string_view name() const;
  std::string_view title() const;  // where people read it
  bool higher_is_better() const { return metric_ && metric_->higher_is_better; }
  const Metric* metric() const { return metric_; }  // null for the loss

  std::optional<double> find(const MetricValues& metrics, double loss) const;
  bool better(double a, double b) const { return higher_is_better() ? a > b : a < b; }

 private:
  const Metric* metric_ = nullptr;
};

// What stands for quality where there is room for little: one metric of which more is better and one of which less is,
// the criterion's own and otherwise the first of the list.
std::vector<const Metric*> leading_metrics(const Criterion& criterion);

// Where there is room for one; the loss, which is no metric, has the first of the list beside it.
const Metric& leading_metric(const Criterion& criterion);

}  // namespace fovea
