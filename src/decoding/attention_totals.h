// How often a hypothesis has looked at each real position of its source, for rules that ask.
#pragma once

#include <string_view>
#include <vector>

#include "models/step_model.h"

namespace fovea {

// sum_t a_ti
using AttentionTotals = std::vector<double>;

// Adds where a row looked in this step: a_ti is the mean over the heads of the last layer that looks. A usage_error if
// nothing does; `option` is what needs it.
void add_attention(const StepResult& result, int row, std::string_view option, AttentionTotals& totals);

}  // namespace fovea
