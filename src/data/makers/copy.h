// The copy task: the target is the source. The smallest thing a model with attention must be able to do.
#pragma once

#include <cstdint>

#include "data/pairs.h"

namespace fovea {

Example make_copy(std::uint64_t seed, std::uint64_t index);

}  // namespace fovea
