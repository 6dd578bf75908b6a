// White space as Unicode has it, and as Python's str.split takes it: metrics that others compute, too, must agree with
// them on what a word is.
#pragma once

#include <string_view>
#include <vector>

namespace fovea {

bool is_space(std::string_view character);

// What stands between white space; never empty. The text must be sound.
std::vector<std::string_view> words(std::string_view text);

}  // namespace fovea
