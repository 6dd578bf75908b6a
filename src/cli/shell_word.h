// A word as a shell has to be given it.
#pragma once

#include <string>

namespace fovea {

std::string in_quotes(const std::string& word);   // single ones
std::string shell_word(const std::string& word);  // in quotes only where a shell needs them

}  // namespace fovea
