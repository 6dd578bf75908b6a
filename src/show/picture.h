// All that is drawn of outputs, as one picture: what `show` writes and the server sends.
#pragma once

#include <span>
#include <string>

#include "tasks/output.h"

namespace fovea {

// Whether there is anything of it to draw.
bool has_picture(const Output& output);

// Of each output its first map, below what was seen or heard, and what else was asked for, one under the other; a short
// note of one that has no picture.
std::string draw_picture(std::span<const Output> outputs);

}  // namespace fovea
