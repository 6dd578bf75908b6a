// How a token is written beside a map: short, visible, and without power over the screen it is drawn on.
#pragma once

#include <string>
#include <string_view>

namespace fovea {

struct Label {
  std::string text;  // what is drawn; sound UTF-8, no control characters, not empty
  std::string name;  // what a tooltip says: “x”, space (U+0020), stop symbol
  int width = 1;     // columns of a terminal
};

// Spaces become ␣, control characters their pictures, other invisible characters □; a token that begins with a
// combining mark stands on ◌; the stop symbol is ⏎, what
// stands before the first symbol ▷.
Label label_of(std::string_view token);
Label stop_label();
Label start_label();

// The text cut to so many columns, ending in … if something was cut.
std::string shorten(std::string_view text, int columns);

// A text with right-to-left characters, put between FIRST STRONG ISOLATE and POP DIRECTIONAL ISOLATE so that it cannot
// reorder what stands around it; any other text as it is.
std::string isolate(std::string_view text);

}  // namespace fovea
