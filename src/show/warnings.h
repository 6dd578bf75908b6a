// Where a map misleads: what must be said beside a picture that looks like an answer and is none.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "show/heat_map.h"
#include "tasks/output.h"

namespace fovea {

// One sentence each. Whether a map is off by one (it points beside the position that was read) cannot be told from the
// weights alone, so nothing is said about it.
std::vector<std::string> warnings(const Output& output, std::size_t map);

// "Spearman's rank correlation of attention and gradients: 0.41". Empty without saliency.
std::string correlation_line(const Output& output, std::size_t map);

// The line that stands under every picture.
inline constexpr const char* standing_line = "Attention shows where the model read, not why it answered.";
// The same where the only map is that of a generator that points.
inline constexpr const char* pointing_line = "These weights are what the model chose by.";
inline constexpr const char* unfinished_line = "The answer is unfinished: it was cut at its greatest length.";
inline constexpr const char* no_maps_line =
    "This model has no attention to the positions of a source, so there is no map to draw.";

}  // namespace fovea
