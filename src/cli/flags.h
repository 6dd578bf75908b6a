// The library names what a caller may give in backticks (base/error.h); here such a name becomes the flag that gives
// it.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace fovea {

struct InputFlag {
  std::string_view input;
  std::string_view flag;
};
std::span<const InputFlag> input_flags();

// "start over with `fresh`" -> "start over with --fresh". What stands in double quotes is somebody's text and stays.
std::string with_flags(std::string_view text);

}  // namespace fovea
