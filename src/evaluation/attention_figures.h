// Where a model looks while it is made to write the right answers.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "evaluation/evaluation.h"

namespace fovea {

// Adds figures, and warnings where pictures of the attention would mislead. Nothing for a model without attention to
// single source symbols, and a usage_error if the lines have links all the same.
void add_attention_figures(const Model& model, Workers& workers, std::span<const Example> examples,
                           Evaluation& evaluation);

// The figures it may add, without values.
std::vector<Figure> known_attention_figures();

}  // namespace fovea
