#include "tasks/metrics/metric.h"

namespace fovea {

#define METRIC(name) extern const Metric Metric_##name;
#include "tasks/metrics/metrics.def"
#undef METRIC

const Registry<Metric>& metrics() {
  static const Registry<Metric> list("metric", {
#define METRIC(name) &Metric_##name,
#include "tasks/metrics/metrics.def"
#undef METRIC
                                               });
  return list;
}

}  // namespace fovea
