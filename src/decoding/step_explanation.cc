#include "decoding/step_explanation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/as_size.h"
#include "decoding/writable.h"

namespace fovea {

namespace {

void explain_looks(const StepResult& result, int row, const SearchOptions& options, StepExplanation& out) {
  const auto kept = [&](auto values) {
    const auto first = values.first(std::min(values.size(), options.limits.positions));
    return std::vector<float>(first.begin(), first.end());
  };
  const auto all = [](auto values) { return std::vector<float>(values.begin(), values.end()); };
  const auto add = [&](const StepLook& look, bool pointing) {
    if (out.looks.size() == options.limits.maps) return;
    double squares = 0;
    for (const Real value : look.context_of(row)) squares += static_cast<double>(value) * static_cast<double>(value);
    AttentionRow shown = {kept(look.scores_of(row)), kept(look.weights_of(row)), std::sqrt(squares)};
    if (options.explain.detail) {
      shown.query = all(look.query_of(row));
      shown.context = all(look.read_of(row));
    }
    out.looks.push_back({std::move(shown), look.layer, look.head, pointing});
  };
  for (const StepLook& look : result.pointing) add(look, true);
  for (const StepLook& look : result.looks) add(look, false);
  if (!options.explain.self_attention) return;
  for (const StepLook& look : result.self_looks) {
    if (out.self_looks.size() == options.limits.maps) break;
    out.self_looks.push_back({{{}, kept(look.weights_of(row)), 0}, look.layer, look.head});
  }
}

}  // namespace

StepExplanation explain_step(const StepResult& result, int row, std::int32_t symbol, const SearchOptions& options,
                             std::span<const std::int32_t> never) {
  StepExplanation out;
  const int symbols = result.log_probabilities.shape().last();
  const Real* log_p = result.log_probabilities.data() + std::ptrdiff_t(row) * symbols;
  out.probability = std::exp(static_cast<double>(log_p[symbol]));
  std::vector<std::int32_t> order(as_size(symbols));
  std::iota(order.begin(), order.end(), 0);
  // What is never written is no alternative, unless it was to be written.
  std::erase_if(order,
                [&](std::int32_t other) { return other != symbol && std::ranges::find(never, other) != never.end(); });
  const auto count = std::min(static_cast<std::ptrdiff_t>(options.alternatives), std::ssize(order));
  std::partial_sort(order.begin(), order.begin() + count, order.end(),
                    [&](std::int32_t a, std::int32_t b) { return log_p[a] != log_p[b] ? log_p[a] > log_p[b] : a < b; });
  for (std::ptrdiff_t i = 0; i < count && writable(log_p[order[i]]); ++i) {
    out.alternatives.emplace_back(order[i], std::exp(static_cast<double>(log_p[order[i]])));
  }
  explain_looks(result, row, options, out);
  if (result.gate) out.gate = static_cast<double>(result.gate.data()[row]);
  return out;
}

void keep_cells(std::vector<StepExplanation>& steps, const ExplanationLimits& limits) {
  if (steps.empty() || steps[0].looks.empty()) return;
  const std::size_t cells = std::max<std::size_t>(1, steps.size() * steps[0].looks[0].weights.size());
  const std::size_t maps = std::max<std::size_t>(1, limits.cells / cells);
  for (StepExplanation& step : steps) step.looks.resize(std::min(step.looks.size(), maps));
}

}  // namespace fovea
