// A rule for finished hypotheses: one that left parts of the source unread is worth less. Wu et al. 2016, "Google's
// neural machine translation system: bridging the gap between human and machine translation", section 7.
#pragma once

#include <vector>

#include "models/step_model.h"

namespace fovea {

// How often a hypothesis has looked at each real position of its source: sum_t a_ti.
using Coverage = std::vector<double>;

class CoveragePenalty {
 public:
  explicit CoveragePenalty(double beta) : beta_(beta) {}

  // Adds where a row looked in this step: a_ti is the mean over the heads of the last layer that looks.
  void add(const StepResult& result, int row, Coverage& coverage) const;

  // beta sum_i log min(coverage_i, 1): never above 0. What was never looked at counts as 1e-6, 13.8 beta: weights can
  // be exactly 0, and even then an answer that leaves one position out is to beat one that leaves two.
  double of(const Coverage& coverage) const;

 private:
  double beta_;
};

}  // namespace fovea
