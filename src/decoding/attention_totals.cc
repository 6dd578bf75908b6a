#include "decoding/attention_totals.h"

#include <algorithm>

#include "base/error.h"

namespace fovea {

void add_attention(const StepResult& result, int row, std::string_view option, AttentionTotals& totals) {
  if (result.looks.empty()) {
    throw usage_error("`{}`: this model has no attention that could cover a source; leave it out", option);
  }
  const int last = std::ranges::max(result.looks, {}, &StepLook::layer).layer;
  const auto heads = std::ranges::count(result.looks, last, &StepLook::layer);
  for (const StepLook& look : result.looks) {
    if (look.layer != last) continue;
    const auto weights = look.weights_of(row);
    check(totals.size() <= weights.size(), "a source of {} positions, looked at in {}", totals.size(), weights.size());
    for (std::size_t i = 0; i < totals.size(); ++i) {
      totals[i] += static_cast<double>(weights[i]) / static_cast<double>(heads);
    }
  }
}

}  // namespace fovea
