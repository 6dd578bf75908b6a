#include "evaluation/difference.h"

#include "base/error.h"
#include "tasks/metrics/metric.h"

namespace fovea {

std::vector<Difference> differences(const Evaluation& first, const Evaluation& second, int threads) {
  const StatisticRows a = first.measured.rows(), b = second.measured.rows();
  if (a.numbers.empty()) throw usage_error("there is nothing that was answered, by which two models could differ");
  if (a.numbers.size() != b.numbers.size()) {
    throw usage_error("the two models did not answer the same sources: {} and {}", first.measured.sources(),
                      second.measured.sources());
  }
  Workers workers(threads);
  const auto paired = paired_differences(a, b, Measurement::values_of, workers);
  const MetricValues values = first.measured.values(), others = second.measured.values();
  std::vector<Difference> all;
  for (const Metric* metric : metrics()) {
    const PairedDifference& one = paired[all.size()];
    all.push_back(
        {std::string(metric->name), *values.find(metric->name), *others.find(metric->name), one.interval, one.p});
  }
  return all;
}

}  // namespace fovea
