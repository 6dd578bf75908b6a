// Choices that are fine alone and senseless together.
#pragma once

#include "models/options.h"

namespace fovea {

// A usage_error that names both and says what to do.
void check_conflicts(const ModelOptions& options, bool reads);  // whether there is a source

}  // namespace fovea
