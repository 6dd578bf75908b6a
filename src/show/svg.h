// Attention as a picture that scales: one map as SVG, in which text stays text.
#pragma once

#include <cstddef>
#include <string>

#include "tasks/output.h"

namespace fovea {

struct SvgOptions {
  std::size_t map = 0;
  bool stand_alone = true;  // a heading and a background of its own; without them it takes the colours of the page
};

// A picture with a short note if the output has no maps.
std::string draw_svg(const Output& output, const SvgOptions& options = {});

}  // namespace fovea
