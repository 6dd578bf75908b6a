// Whether two models differ on the same lines.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evaluation/evaluation.h"

namespace fovea {

struct Difference {
  std::string metric;
  double first = 0;
  double second = 0;
  Interval interval;             // of the first less the second, 95 % confidence
  std::optional<double> p = {};  // of finding as much where there is none; none: of too few sources to say

  bool differs() const { return p && *p < 0.05; }
};

// Every figure of both that is one of single answers or lines. Both must be evaluations of the same lines; a
// usage_error if they have other sources.
std::vector<Difference> differences(const Evaluation& first, const Evaluation& second, Workers& workers);

}  // namespace fovea
