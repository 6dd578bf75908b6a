#include "show/metric_text.h"

#include <fmt/core.h>

#include <cmath>

namespace fovea {

std::string metric_text(const Metric& metric, double value, int decimals) {
  switch (metric.form) {
    case MetricForm::share: {  // rounded down, so that 100.0% means all
      const double unit = std::pow(10.0, decimals);
      return fmt::format("{:.{}f}%", std::floor(100 * value * unit + 1e-9) / unit, decimals);
    }
    case MetricForm::percent:  // of an error rate, which has no upper end
      return value < 1000 ? fmt::format("{:.{}f}%", 100 * value, value < 10 ? decimals : 0)
                          : fmt::format("{:.0e}%", 100 * value);
    case MetricForm::points:
      return fmt::format("{:.{}f}", value, decimals);
    case MetricForm::number:
      break;
  }
  return fmt::format("{:.{}g}", value, decimals + 2);
}

std::string loss_text(double loss) {
  if (loss < 0.1) return fmt::format("{:.4f}", loss);
  return loss < 1e4 ? fmt::format("{:.3f}", loss) : fmt::format("{:.0e}", loss);
}

std::string criterion_text(const Criterion& criterion, double value) {
  const Metric* metric = criterion.metric();
  return fmt::format("{} {}", criterion.title(), metric ? metric_text(*metric, value) : loss_text(value));
}

}  // namespace fovea
