#include "show/colour.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "base/as_size.h"

namespace fovea {
namespace {

// viridis at 0, 1/8, ..., 1 (Smith and van der Walt 2015, released as CC0); linear in between.
constexpr std::array<Colour, 9> viridis_stops = {{{0x44, 0x01, 0x54},
                                                  {0x47, 0x2d, 0x7b},
                                                  {0x3b, 0x52, 0x8b},
                                                  {0x2c, 0x72, 0x8e},
                                                  {0x21, 0x91, 0x8c},
                                                  {0x28, 0xae, 0x80},
                                                  {0x5e, 0xc9, 0x62},
                                                  {0xad, 0xdc, 0x30},
                                                  {0xfd, 0xe7, 0x25}}};

std::uint8_t between(std::uint8_t a, std::uint8_t b, double t) {
  return static_cast<std::uint8_t>(std::lround(a + t * (b - a)));
}

// Levels of the cube: 0, 95, 135, 175, 215, 255.
int cube_level(int value) { return value < 48 ? 0 : value < 115 ? 1 : (value - 35) / 40; }

}  // namespace

Colour colour_of(double weight) {
  if (std::isnan(weight)) return {0x80, 0x80, 0x80};
  const double at = std::clamp(weight, 0.0, 1.0) * (viridis_stops.size() - 1);
  const auto i = std::min(as_size(at), viridis_stops.size() - 2);
  const double t = at - static_cast<double>(i);
  const Colour &a = viridis_stops[i], &b = viridis_stops[i + 1];
  return {between(a.red, b.red, t), between(a.green, b.green, t), between(a.blue, b.blue, t)};
}

Colour ink_on(Colour background) {
  const int luma = 299 * background.red + 587 * background.green + 114 * background.blue;
  return luma > 128 * 1000 ? Colour{0, 0, 0} : Colour{255, 255, 255};
}

std::string hex(Colour colour) { return fmt::format("#{:02x}{:02x}{:02x}", colour.red, colour.green, colour.blue); }

int palette_index(Colour colour) {
  return 16 + 36 * cube_level(colour.red) + 6 * cube_level(colour.green) + cube_level(colour.blue);
}

}  // namespace fovea
