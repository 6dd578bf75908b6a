#include "show/terminal.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "base/as_size.h"
#include "base/error.h"
#include "base/utf8.h"
#include "show/colour.h"
#include "show/heat_map.h"
#include "show/shaded_text.h"
#include "show/warnings.h"

namespace fovea {
namespace {

constexpr int max_row_label = 16;
constexpr int max_column_label = 12;
constexpr double faintest_shade = 0.05;  // below it a cell stays empty
constexpr const char* reset_ink = "\x1b[0m";

std::string spaces(int count) { return std::string(as_size(std::max(count, 0)), ' '); }

std::string repeat(const char* text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text;
  return result;
}

std::string safe(const std::string& text) { return isolate(printable(repair_utf8(text))); }

enum class Side { left, right };

// The label in exactly so many columns.
std::string cell_text(const Label& label, int columns, Side side) {
  const std::string text = shorten(label.text, columns);
  const std::string padding = spaces(columns - display_width(text));
  return side == Side::left ? isolate(text) + padding : padding + isolate(text);
}

const char* shade(double weight) {
  if (!std::isfinite(weight)) return "?";
  if (weight < faintest_shade) return " ";
  return weight < 0.25 ? "░" : weight < 0.5 ? "▒" : weight < 0.75 ? "▓" : "█";
}

// On a coloured cell the weight stands as a number, in percent where two columns allow it, else in tenths: colour is
// never the only sign.
std::string figure(double weight, int columns) {
  if (!std::isfinite(weight)) return "?" + spaces(columns - 1);
  if (weight < faintest_shade) return spaces(columns);
  const int scale = columns > 1 ? 100 : 10;
  const long value = std::min(std::lround(std::min(weight, 1.0) * scale), static_cast<long>(scale) - 1);
  const std::string digits = fmt::format("{:{}}", value, columns > 1 ? 2 : 1);
  return digits + spaces(columns - static_cast<int>(digits.size()));
}

std::string paint(double weight, TerminalColour colour) {
  const Colour back = colour_of(weight), ink = ink_on(back);
  if (colour == TerminalColour::palette) {
    return fmt::format("\x1b[48;5;{};38;5;{}m", palette_index(back), palette_index(ink));
  }
  return fmt::format("\x1b[48;2;{};{};{};38;2;{};{};{}m", back.red, back.green, back.blue, ink.red, ink.green,
                     ink.blue);
}

// Of a map whose rows have no probability nothing.
std::string row_percent(const HeatMap& heat_map, std::size_t row) {
  return row < heat_map.probabilities.size() ? percent(heat_map.probabilities[row]) : spaces(6);
}

bool begins_source(const HeatMap& heat_map, std::size_t column) {
  return column < heat_map.divided.size() && heat_map.divided[column];
}

struct Widths {
  int row_label = 1;
  std::vector<int> columns;  // a divider before it counted
  int gap = 0;               // of each column, kept empty behind its label; words need it, characters do not
  int gutter() const { return row_label + 9; }  // label, blank, percent, blank, bar
};

Widths measure(const HeatMap& heat_map, int terminal_width) {
  Widths widths;
  for (const Label& row : heat_map.rows) widths.row_label = std::max(widths.row_label, row.width);
  widths.row_label = std::min(widths.row_label, max_row_label);
  int widest = 1;
  for (const Label& column : heat_map.columns) widest = std::max(widest, column.width);
  const int room = terminal_width - widths.gutter() - 1;
  if (widest <= 2) {
    // Two columns make a cell about square; one when only that lets all positions stand side by side.
    const int doubled = 2 * static_cast<int>(heat_map.columns.size());
    widths.columns.assign(heat_map.columns.size(), doubled <= room ? 2 : widest);
  } else {
    widths.gap = 1;
    for (const Label& column : heat_map.columns) widths.columns.push_back(std::min(column.width, max_column_label) + 1);
  }
  for (std::size_t i = 0; i < heat_map.columns.size(); ++i) widths.columns[i] += begins_source(heat_map, i) ? 1 : 0;
  return widths;
}

struct Panel {
  std::size_t first = 0;
  std::size_t last = 0;  // one past
};

std::vector<Panel> cut(const Widths& widths, int terminal_width) {
  const int room = terminal_width - widths.gutter() - 1;
  std::vector<Panel> panels;
  int used = 0;
  for (std::size_t i = 0; i < widths.columns.size(); ++i) {
    if (panels.empty() || used + widths.columns[i] > room) {
      panels.push_back({i, i});
      used = 0;
    }
    used += widths.columns[i];
    panels.back().last = i + 1;
  }
  return panels;
}

std::string draw_cells(const HeatMap& heat_map, std::size_t row, const Widths& widths, Panel panel,
                       TerminalColour colour) {
  std::string line, current;
  for (std::size_t i = panel.first; i < panel.last; ++i) {
    const double weight = heat_map.weight(row, i);
    const int divider = begins_source(heat_map, i) ? 1 : 0;
    if (colour == TerminalColour::none) {
      line += (divider ? "│" : "") + repeat(shade(weight), widths.columns[i] - divider);
      continue;
    }
    if (divider) line += reset_ink + std::string("│");
    if (divider) current.clear();
    const std::string next = paint(weight, colour);
    if (next != current) line += next;
    current = next;
    line += figure(weight, widths.columns[i] - divider);
  }
  return colour == TerminalColour::none ? line : line + reset_ink;
}

std::string draw_panel(const HeatMap& heat_map, const Widths& widths, Panel panel, TerminalColour colour) {
  std::string text = spaces(widths.gutter());
  for (std::size_t i = panel.first; i < panel.last; ++i) {
    const int divider = begins_source(heat_map, i) ? 1 : 0;
    text += divider ? "│" : "";
    text += cell_text(heat_map.columns[i], widths.columns[i] - widths.gap - divider, Side::left) + spaces(widths.gap);
  }
  text += " \n";
  for (std::size_t row = 0; row < heat_map.rows.size(); ++row) {
    text += fmt::format("{} {} │{}│\n", cell_text(heat_map.rows[row], widths.row_label, Side::right),
                        row_percent(heat_map, row), draw_cells(heat_map, row, widths, panel, colour));
  }
  return text;
}

// Of what a text so long is read from one position the fixed scale shows little: each step gets its own. One that read
// hardly anything, as where a generator points and does not copy, stays as it is.
HeatMap relative_rows(HeatMap heat_map) {
  for (std::size_t row = 0; row < heat_map.rows.size(); ++row) {
    const std::span weights =
        std::span(heat_map.weights).subspan(row * heat_map.columns.size(), heat_map.columns.size());
    double most = 0, all = 0;
    for (const double weight : weights) {
      if (!std::isfinite(weight)) continue;
      most = std::max(most, weight);
      all += weight;
    }
    if (all < faintest_shade) continue;
    for (double& weight : weights) weight /= most;
  }
  return heat_map;
}

std::string legend(int gutter, TerminalColour colour, std::string_view of = "") {
  if (colour == TerminalColour::none)
    return fmt::format("{}░ 0.05  ▒ 0.25  ▓ 0.5  █ 0.75 to 1{}\n", spaces(gutter), of);
  std::string line = spaces(gutter - 2) + "0 ";
  constexpr int shade_count = 24;
  for (int i = 0; i < shade_count; ++i) line += paint(i / (shade_count - 1.0), colour) + " ";
  return fmt::format("{}{} 1{}\n", line, reset_ink, of);
}

// The source as running text, each token on a ground that says how much of it was read; without colours a line of
// shades stands below it. A sentence of a document begins a line with its share.
std::string draw_shaded(const HeatMap& heat_map, const ShadedLine& line, const TerminalOptions& options) {
  const Wrapped wrapped = wrap(heat_map, std::max(options.width - 2, 8));
  std::vector<std::string> texts(wrapped.lines, "  "), shades(wrapped.lines, "  ");
  std::vector<int> used(wrapped.lines, 0);
  const auto add = [&](std::size_t at, int place, const std::string& text, int width, double share) {
    const std::string space = spaces(place - used[at]);
    const bool painted = options.colour != TerminalColour::none && !(share < faintest_shade);
    texts[at] += space + (painted ? paint(share, options.colour) + text + reset_ink : text);
    shades[at] += space + repeat(shade(share), width);
    used[at] = place + width;
  };
  for (const SentenceShare& sentence : sentence_shares(heat_map, line, wrapped)) {
    const std::string share = percent(sentence.weight);
    add(sentence.line, 0, share, static_cast<int>(share.size()), sentence.relative);
  }
  for (std::size_t i = 0; i < heat_map.columns.size(); ++i) {
    const int width = std::min(heat_map.columns[i].width, wrapped.room);
    add(wrapped.line[i], wrapped.place[i], isolate(shorten(running_text(heat_map.columns[i]), width)), width,
        relative(line, i));
  }
  std::string text;
  for (std::size_t at = 0; at < wrapped.lines; ++at) {
    text += texts[at] + "\n";
    if (options.colour == TerminalColour::none) text += shades[at] + "\n";
  }
  return text;
}

// What is wider than the terminal, and documents: shades are relative to the most read token.
std::string draw_wide(const HeatMap& heat_map, const TerminalOptions& options) {
  std::string text;
  for (const ShadedLine& line : shaded_lines(heat_map)) {
    text += line.is_step ? fmt::format("{} {}", isolate(line.label.text), percent(line.probability))
                         : std::string("all steps together");
    text += fmt::format(", most: {:.3f}\n{}", line.most, draw_shaded(heat_map, line, options));
  }
  return text + (heat_map.sentences.empty()
                     ? "shades are relative to the token that was read most\n"
                     : "shades are relative to the word and to the sentence that was read most\n");
}

std::string draw_map(const HeatMap& heat_map, const TerminalOptions& options) {
  const Widths widths = measure(heat_map, options.width);
  const std::vector<Panel> panels = cut(widths, options.width);
  if (panels.empty()) return "The source is empty: there was nowhere to look.\n";
  const bool as_text = panels.size() > 1 || !heat_map.sentences.empty();
  std::string text = as_text ? draw_wide(heat_map, options) : "";
  if (as_text && shaded_lines(heat_map)[0].is_step) return text;
  if (panels.size() == 1) {
    return text + draw_panel(heat_map, widths, panels[0], options.colour) + legend(widths.gutter(), options.colour);
  }
  const HeatMap shares = relative_rows(heat_map);
  for (Panel panel : panels) {
    text += fmt::format("positions {} to {} of {}\n", panel.first, panel.last - 1, heat_map.columns.size());
    text += draw_panel(shares, widths, panel, options.colour);
  }
  return text + legend(widths.gutter(), options.colour, " of each step's greatest weight");
}

// 1  99.8%  9 @13 90%  1 @12 8%
std::string draw_compact(const HeatMap& heat_map, const TerminalOptions& options) {
  constexpr std::size_t place_count = 3;
  const Widths widths = measure(heat_map, options.width);
  std::string text;
  for (std::size_t row = 0; row < heat_map.rows.size(); ++row) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < heat_map.columns.size(); ++i) {
      if (heat_map.weight(row, i) >= faintest_shade) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return heat_map.weight(row, a) > heat_map.weight(row, b); });
    order.resize(std::min(order.size(), place_count));
    text += fmt::format("{} {} ←", cell_text(heat_map.rows[row], widths.row_label, Side::right),
                        row_percent(heat_map, row));
    for (std::size_t i : order) {
      const Label& column = heat_map.columns[i];
      text += fmt::format("  {} @{} {:.0f}%", isolate(shorten(column.text, max_column_label)), i,
                          100 * heat_map.weight(row, i));
    }
    text += order.empty() ? "  nowhere in particular\n" : "\n";
  }
  return text;
}

}  // namespace

std::string draw_answer(const Output& output) {
  std::string text =
      fmt::format("{}\n→ {}  (score {:.4g})\n", safe(output.read_text()), safe(output.text), output.score);
  if (!output.finished) text += std::string("! ") + unfinished_line + "\n";
  return text;
}

std::string draw_terminal(const Output& output, const TerminalOptions& options) {
  std::string text = draw_answer(output);
  if (std::ranges::any_of(output.source, [](const SourceToken& token) { return !token.read; })) {
    text += "read only:";
    for (std::size_t i = 0; i + 1 < output.source.size(); ++i) {
      text += " " + (output.source[i].read ? safe(output.source[i].text) : std::string("·"));
    }
    text += "\n";
  }
  if (output.maps.empty()) text += std::string(no_maps_line) + "\n";
  if (options.map && *options.map >= output.maps.size()) {
    throw usage_error("map {} wanted, but the maps are 0 to {}", *options.map, output.maps.size() - 1);
  }
  bool read = false;  // what a drawn map is of; else it is of what the model chose by
  for (std::size_t map = 0; map < output.maps.size(); ++map) {
    if (options.map.value_or(map) != map) continue;
    read = read || !output.maps[map].pointing;
    const HeatMap heat_map = heat_map_of(output, map);
    const std::string map_text = options.compact ? draw_compact(heat_map, options) : draw_map(heat_map, options);
    text += fmt::format("\n{}\n{}", heat_map.title, map_text);
    for (const std::string& warning : warnings(output, map)) text += "! " + warning + "\n";
  }
  if (const HeatMap saliency = saliency_map(output); !saliency.rows.empty()) {
    text += fmt::format("\n{}\n{}", saliency.title, draw_map(saliency, options));
    for (std::size_t map = 0; map < output.maps.size(); ++map) {
      if (options.map.value_or(map) == map) text += correlation_line(output, map) + "\n";
    }
  }
  for (std::size_t map = 0; map < output.self_maps.size(); ++map) {
    const HeatMap own = own_map(output, map);
    text += fmt::format("\n{}\n{}", own.title, draw_map(own, options));
  }
  if (output.left_out.any()) text += "\n" + left_out_note(output) + "\n";
  if (output.maps.empty()) return text;
  return fmt::format("{}\n{}\n", text, read ? standing_line : pointing_line);
}

}  // namespace fovea
