// Errors, turned into words on standard error and exit codes.
#pragma once

namespace fovea {

// To be called in a catch block: says what was thrown and returns the exit code for it.
int complain();

}  // namespace fovea
