// What went wrong, as a text file: tables behind '#', then one wrong answer a line, or one line that was scored.
#pragma once

#include <string>

#include "evaluation/mistakes.h"

namespace fovea {

std::string draw_mistakes(const Mistakes& mistakes);

// How such a file begins.
inline constexpr std::string_view mistakes_beginning = "# wrong: ";

}  // namespace fovea
