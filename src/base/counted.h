// Numbers of things in messages: 1 line, 2 lines.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>

namespace fovea {

// What follows the name of a thing of which there are so many.
template <class Number>
constexpr std::string_view plural(Number count) {
  return count == Number(1) ? "" : "s";
}

template <class Number>
std::string counted(Number count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, plural(count));
}

}  // namespace fovea
