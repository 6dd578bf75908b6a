#include "decoding/coverage.h"

#include <algorithm>
#include <cmath>

namespace fovea {

void CoveragePenalty::add(const StepResult& result, int row, Coverage& coverage) const {
  if (result.looks.empty()) {
    throw usage_error(
        "a coverage penalty of {}, but this model has no attention that could cover a source; set it to 0", beta_);
  }
  const int last = std::ranges::max(result.looks, {}, &StepLook::layer).layer;
  const auto heads = std::ranges::count(result.looks, last, &StepLook::layer);
  for (const StepLook& look : result.looks) {
    if (look.layer != last) continue;
    const auto weights = look.weights_of(row);
    check(coverage.size() <= weights.size(), "a source of {} positions, looked at in {}", coverage.size(),
          weights.size());
    for (std::size_t i = 0; i < coverage.size(); ++i) {
      coverage[i] += static_cast<double>(weights[i]) / static_cast<double>(heads);
    }
  }
}

double CoveragePenalty::of(const Coverage& coverage) const {
  double sum = 0;
  for (const double looked : coverage) sum += std::log(std::clamp(looked, 1e-6, 1.0));
  return beta_ * sum;
}

}  // namespace fovea
