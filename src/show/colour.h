// The colour of a weight: viridis, whose lightness rises evenly, so that it reads in grey and to colour-blind eyes too.
#pragma once

#include <cstdint>
#include <string>

namespace fovea {

struct Colour {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;
};

// The scale is fixed: 0 is always the darkest, 1 always the lightest; what lies outside is drawn as the nearer end, and
// what is not a number as grey.
Colour colour_of(double weight);

// Black or white, whichever is easier to read on it.
Colour ink_on(Colour background);

std::string hex(Colour colour);    // #rrggbb
int palette_index(Colour colour);  // nearest in the 6x6x6 cube of 256-colour terminals

}  // namespace fovea
