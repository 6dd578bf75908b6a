// The known name that someone most likely meant, for "did you mean ...?".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fovea {

// Closest by the number of letters changed, added, dropped or swapped with their neighbour, ignoring ASCII case; the
// earlier one of equals. Empty if nothing is near: more than a third of the letters, or more than three, would differ.
std::string nearest(std::string_view wanted, const std::vector<std::string>& known);

}  // namespace fovea
