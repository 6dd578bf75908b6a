#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

#include "base/nearest.h"

namespace fovea {
namespace {

constexpr int max_width = 10000;  // more is a mistake, not a terminal

int width_from(std::string_view text) {
  int width = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), width);
  return error == std::errc() && end == text.data() + text.size() ? width : 0;
}

}  // namespace

Terminal make_terminal(bool is_terminal, int width, const Environment& environment) {
  const auto variable = [&](const char* name) {
    const char* value = environment(name);
    return std::string_view(value ? value : "");
  };
  Terminal terminal;
  if (width <= 0) width = width_from(variable("COLUMNS"));
  if (width > 0 && width <= max_width) terminal.width = width;
  const std::string_view kind = variable("TERM"), colours = variable("COLORTERM");
  terminal.is_terminal = is_terminal;
  terminal.redraws = is_terminal && !kind.empty() && kind != "dumb";
  if (terminal.redraws && variable("NO_COLOR").empty()) {
    const bool full = colours == "truecolor" || colours == "24bit";
    terminal.colour = full ? TerminalColour::full : TerminalColour::palette;
  }
  return terminal;
}

Terminal terminal_of(std::FILE* stream) {
  const int file = fileno(stream);
  winsize size = {};
  const bool known = ioctl(file, TIOCGWINSZ, &size) == 0;
  return make_terminal(isatty(file) == 1, known ? size.ws_col : 0, [](const char* name) { return std::getenv(name); });
}

ProgressMode parse_progress(std::string_view text, const Terminal& terminal) {
  if (text == "auto") return terminal.redraws ? ProgressMode::live : ProgressMode::plain;
  if (text == "live") return ProgressMode::live;
  if (text == "plain") return ProgressMode::plain;
  if (text == "none") return ProgressMode::none;
  throw unknown_name("mode of --progress", text, {"auto", "live", "plain", "none"});
}

}  // namespace fovea
