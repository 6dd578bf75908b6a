// Published systems by name: the files of presets/, carried in the binary.
#pragma once

#include <span>
#include <string_view>

namespace fovea {

struct Preset {
  std::string_view name;
  std::string_view toml;
};

std::span<const Preset> presets();

}  // namespace fovea
