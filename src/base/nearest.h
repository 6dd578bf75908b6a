// Names that are not known, and the known one that someone most likely meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace fovea {

// Closest by the number of letters changed, added, dropped or swapped with their neighbour, ignoring ASCII case; the
// earlier one of equals. Empty if nothing is near: more than a third of the letters, or more than three, would differ,
// and no name begins with what is wanted.
std::string nearest(std::string_view wanted, const std::vector<std::string>& known);

// A usage_error: no preset "datse"; did you mean dates? Where nothing is near it says `otherwise`, or names all.
Error unknown_name(std::string_view what, std::string_view name, const std::vector<std::string>& known,
                   std::string_view otherwise = {});

}  // namespace fovea
