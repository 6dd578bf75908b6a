// Attention as a picture that scales: one map as SVG, in which text stays text.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "show/heat_map.h"

namespace fovea {

struct SvgOptions {
  std::size_t map = 0;
  bool stand_alone = true;  // a heading and a background of its own; without them it takes the colours of the page
};

// A picture with a short note if the output has no maps.
std::string draw_svg(const Output& output, const SvgOptions& options = {});

// Any map of an output. Of a document, and where it is too wide for cells that can be seen, it is the source as shaded
// text.
std::string draw_svg(const Output& output, const HeatMap& heat_map, bool stand_alone);

// Pictures one under the other in one.
std::string stack_svgs(const std::vector<std::string>& pictures);

}  // namespace fovea
