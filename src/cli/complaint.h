// Errors, turned into words on standard error and exit codes.
#pragma once

namespace fovea {

// To be called in a catch block: says what was thrown and returns the exit code for it.
int complain();

// A warning if a command has fewer threads than it asked for.
void complain_of_threads(int asked, int had);

}  // namespace fovea
