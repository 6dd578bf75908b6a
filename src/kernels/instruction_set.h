// Which instruction set the kernels use: the best this machine has, or one named for a test.
#pragma once

#include <string>
#include <vector>

namespace fovea::kernels {

std::string instruction_set();                      // the one in use
std::vector<std::string> instruction_sets();        // compiled in and supported here, best first
void use_instruction_set(const std::string& name);  // a name of instruction_sets(), or "" for the best

}  // namespace fovea::kernels
