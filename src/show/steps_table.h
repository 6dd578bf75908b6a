// The numbers of each step as tables of text: what a picture shows, to be read and computed with.
#pragma once

#include <string>

#include "tasks/output.h"

namespace fovea {

std::string draw_steps(const Output& output);

}  // namespace fovea
