// A model held against what its oracles say of it.
#pragma once

#include "models/oracles/objectives.h"
#include "models/tiny_model.h"

namespace fovea {

inline constexpr double as_the_formula = is_double ? 1e-9 : 1e-4;

// Of each row of a batch, what the oracles know of its steps.
inline std::vector<oracle::Steps> told_steps(const TinyModel& model, const ModelOptions& options, const Batch& batch) {
  const oracle::Model known = {model.parameters, options};
  std::vector<oracle::Steps> all;
  for (int b = 0; b < batch.source.batch; ++b) {
    oracle::Example example = oracle::example_of(batch, b);
    if (options.encoder.rationale) example = oracle::choose(known, example).read;
    all.push_back(oracle::tell(known, example).steps);
  }
  return all;
}

// The log-probabilities of all symbols, step by step in use.
inline void expect_told_log_probabilities(const TinyModel& model, const ModelOptions& options, const Batch& batch) {
  Arena arena;
  Pass pass(model.parameters, arena);
  const auto found = stepped(model, *model.network.begin(pass, batch.source), batch.previous);
  const auto rows = as_size(batch.previous.batch);
  const std::vector<oracle::Steps> all = told_steps(model, options, batch);
  for (std::size_t b = 0; b < rows; ++b) {
    const oracle::Steps& steps = all[b];
    for (std::size_t t = 0; t < steps.size(); ++t) {
      const std::size_t width = found[t].size() / rows;
      expect_close(std::span(found[t]).subspan(b * width, width), steps[t].written.log_probabilities,
                   fmt::format("row {}, step {}", b, t), as_the_formula);
    }
  }
}

}  // namespace fovea
