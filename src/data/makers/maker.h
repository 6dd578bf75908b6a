// Data sets that can be made instead of collected: `fovea make NAME --count N --seed S`.
// To add one: a file with its function, its entry, and a line in makers.def.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/registry.h"
#include "data/pairs.h"

namespace fovea {

struct Maker {
  std::string_view name;
  std::string_view description;
  // Pure: the line of an index does not depend on how many lines are made.
  Example (*make)(std::uint64_t seed, std::uint64_t index);
};

const Registry<Maker>& makers();

}  // namespace fovea
