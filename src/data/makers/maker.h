// Data sets that can be made instead of collected: `fovea make NAME --count N --seed S`.
// To add one: a file with its function, and a line in list.cc.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "data/pairs.h"

namespace fovea {

struct Maker {
  std::string_view name;
  std::string_view description;
  // Pure: the line of an index does not depend on how many lines are made.
  Example (*make)(std::uint64_t seed, std::uint64_t index);
};

std::span<const Maker> makers();

// A usage_error names the known ones.
const Maker& find_maker(std::string_view name);

}  // namespace fovea
