// Attention as a heat map in a terminal: source positions across, output steps down, a fixed scale from 0 to 1.
//
// Every position has a cell of its own, in the order of the text as it is stored. Terminals that reorder right-to-left
// text would mirror runs of such cells, so each right-to-left label stands in an isolate: inside it reads as it should,
// outside the first character stays leftmost. In a wide map the columns go on in a further panel below, and the scale
// is each step's own.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "tasks/output.h"

namespace fovea {

enum class TerminalColour { none, palette, full };  // shades only; 256 colours; 24 bits

struct TerminalOptions {
  TerminalColour colour = TerminalColour::none;
  int width = 80;
  std::optional<std::size_t> map;  // nothing: all, one under the other
  bool compact = false;            // one line a step: the places it read most
};

std::string draw_terminal(const Output& output, const TerminalOptions& options = {});

// What was read and what was answered, on a line each.
std::string draw_answer(const Output& output);

}  // namespace fovea
