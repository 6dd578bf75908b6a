// Facts about the terminal behind a stream: is it one, how wide is it, may it be drawn on in colour.
#pragma once

#include <cstdio>
#include <functional>
#include <string_view>

#include "show/progress.h"
#include "show/terminal.h"

namespace fovea {

struct Terminal {
  bool is_terminal = false;
  bool redraws = false;  // a terminal that can clear its line: TERM is set and is not dumb
  int width = 80;
  TerminalColour colour = TerminalColour::none;
};

using Environment = std::function<const char*(const char* name)>;  // std::getenv

// From what the system says; width 0: it does not say. COLUMNS then counts. NO_COLOR (no-color.org), if not empty,
// forbids colour; COLORTERM=truecolor or 24bit allows all of it.
Terminal make_terminal(bool is_terminal, int width, const Environment& environment);

Terminal terminal_of(std::FILE* stream);

// auto, live, plain or none; auto is live where a line can be redrawn. Anything else is a usage_error.
ProgressMode parse_progress(std::string_view text, const Terminal& terminal = terminal_of(stderr));

inline TerminalColour stdout_colour() { return terminal_of(stdout).colour; }
inline int stdout_width() { return terminal_of(stdout).width; }

}  // namespace fovea
