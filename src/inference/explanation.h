// What explanations have beyond what search itself sees.
#pragma once

#include <span>
#include <vector>

#include "decoding/explain_options.h"
#include "tasks/model.h"

namespace fovea {

// Of one step.
int maps_of(const Model& model);

// Throws a usage_error where the models cannot give what is asked for. The edits, read and fit to be used.
std::vector<AttentionEdit> check_explanation(const ExplainOptions& options, std::span<const Model* const> models);

// Throws a usage_error where the models do not know which symbol of the source they look at, as `option` asks.
void check_positions(std::span<const Model* const> models, std::string_view option);
// Likewise, where what they look at cannot be written in the place of a symbol.
void check_replacing(std::span<const Model* const> models, std::string_view option);

// The weights of one map of one step, for `search`. Throws a usage_error unless each source has as many positions.
std::vector<ForcedStep> forced_steps(std::span<const AttentionEdit> edits, const Model& model,
                                     std::span<const int> positions);

// Of each source that `model` began with, the maps of its encoder to itself.
void add_encoder_maps(const StepModel& model, std::span<const Reading* const> sources, const ExplanationLimits& limits,
                      std::span<std::vector<Answer>> answers);

// How much each position of the source changes the log-probability of each symbol of an answer that is explained.
void add_saliency(const Model& model, const Reading& source, Answer& answer);

}  // namespace fovea
