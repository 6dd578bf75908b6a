// What a figure must reach, or must not pass.
#pragma once

#include <span>
#include <string>

#include "evaluation/figure.h"

namespace fovea {

struct Gate {
  std::string figure;
  double value = 0;
  bool least = true;  // else the value is the most that will do
};

// Throws a usage_error unless there is such a figure, and what the gate asks for is the better side of it.
void check_gate(const Gate& gate);

// "exact is 0.98, wanted at least 0.99"; empty if the gate is passed. Throws a usage_error if it was not measured.
std::string missed(const Gate& gate, std::span<const Figure> figures);

}  // namespace fovea
