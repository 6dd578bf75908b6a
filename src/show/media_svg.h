// What was seen or heard, lit by what was read of it.
#pragma once

#include <string>
#include <vector>

#include "show/heat_map.h"

namespace fovea {

// Of each picture that was read (Output::media) a drawing as SVG: the picture once for each output, dark where little
// of it was read. Of each sound its spectrogram above a row for each output. None for a map that is not over the
// source.
std::vector<std::string> draw_media_svgs(const Output& output, const HeatMap& heat_map, bool stand_alone);

}  // namespace fovea
