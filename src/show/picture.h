// All that is drawn of outputs, as one picture: what `show` writes and the server sends.
#pragma once

#include <span>
#include <string>

#include "tasks/output.h"

namespace fovea {

// Of each output its first map, below what was seen or heard, and what else was asked for, one under the other.
std::string draw_picture(std::span<const Output> outputs);

}  // namespace fovea
