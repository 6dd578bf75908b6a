// How good a model is, as a table for the terminal and as JSON.
#pragma once

#include <string>

#include "evaluation/evaluation.h"

namespace fovea {

std::string draw_evaluation(const Evaluation& evaluation);
std::string evaluation_to_json(const Evaluation& evaluation);  // one flat object of figure: value, one line

}  // namespace fovea
