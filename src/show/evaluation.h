// How good a model is, as a table for the terminal, as a chart and as JSON.
#pragma once

#include <span>
#include <string>

#include "evaluation/difference.h"
#include "evaluation/evaluation.h"
#include "tasks/metrics/metric.h"

namespace fovea {

std::string draw_evaluation(const Evaluation& evaluation);
// Whether another model, called so, differs.
std::string draw_differences(std::span<const Difference> differences, std::string_view other);
// What a model, called so, reaches by the length of the targets.
struct LengthCurve {
  std::string name;
  std::span<const LengthRow> rows;
};
// One metric of several models, as a chart; lengths that hardly a source has are left out.
std::string draw_by_length(std::span<const LengthCurve> curves, const Metric& metric);
// One flat object of figure: value, one line.
std::string evaluation_to_json(const Evaluation& evaluation, std::span<const Difference> differences = {});

}  // namespace fovea
