// Completions for shells, written from what the command line declares. To add a shell: a file here, and a line in
// completions.cc.
#pragma once

#include <string>

#include "cli/command_line.h"

namespace fovea {

std::string bash_completions(const ProgramHelp& help);
std::string zsh_completions(const ProgramHelp& help);
std::string fish_completions(const ProgramHelp& help);

}  // namespace fovea
