// The reverse task: the target is the source backwards, so attention has to walk from the end to the start.
#pragma once

#include <cstdint>

#include "data/pairs.h"

namespace fovea {

Example make_reverse(std::uint64_t seed, std::uint64_t index);

}  // namespace fovea
