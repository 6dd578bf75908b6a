// A count or an index as containers want it.
#pragma once

#include <cassert>
#include <cstddef>
#include <type_traits>

namespace fovea {

template <class Count>
  requires std::is_arithmetic_v<Count> || std::is_enum_v<Count>
constexpr std::size_t as_size(Count count) {
  if constexpr (std::is_signed_v<Count>) assert(count >= 0);
  return static_cast<std::size_t>(count);
}

}  // namespace fovea
