// For scores with weights of their own for each position.
#pragma once

#include "attention/mechanism.h"

namespace fovea {

inline void check_positions(std::string_view score, int positions, int most) {
  if (positions <= most) return;
  throw usage_error(
      "attention.score = {} knows {} positions, but a source has {} (its stop symbol counted); train with a larger "
      "attention.positions, or leave longer lines out with `max_length`",
      score, most, positions);
}

}  // namespace fovea
