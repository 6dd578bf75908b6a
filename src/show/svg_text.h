// A map as shaded text (shaded_text.h), drawn as SVG.
#pragma once

#include <string>

#include "show/heat_map.h"

namespace fovea {

std::string draw_text_svg(const Output& output, const HeatMap& heat_map, bool stand_alone);

}  // namespace fovea
