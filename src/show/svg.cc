#include "show/svg.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/utf8.h"
#include "show/colour.h"
#include "show/drawing.h"
#include "show/heat_map.h"
#include "show/svg_text.h"
#include "show/warnings.h"

namespace fovea {
namespace {

constexpr double page_margin = 16;
constexpr double right_margin = 72;  // the probability of each step
constexpr double strip_height = 26;  // height of the coverage bars
constexpr double note_height = 20;   // height of a line about what is left out
constexpr double note_font = 11;
constexpr double faintest_weight = 0.002;  // fainter cells cannot be told from the background
constexpr double heading_font = 15;
constexpr int max_label = 24;
constexpr std::size_t widest_of_few = 48, widest_of_many = 130;  // columns; what is wider is drawn as shaded text

struct Layout {
  double cell = 0;
  double gap = 0;       // around a cell
  double font = 0;      // of the labels
  bool upright = true;  // column labels; words stand on their ends
  double left = 0, top = 0;
  double map_width = 0, map_height = 0;
  double width = 0, height = 0;
};

double text_width(int columns, double font) { return columns * font * mono_advance; }

int widest(const std::vector<Label>& labels) {
  int width = 1;
  for (const Label& label : labels) width = std::max(width, std::min(label.width, max_label));
  return width;
}

// Width of the two lines above the map; what is longer than a screen is cut instead.
double heading_width(const Output& output) {
  const int columns = std::max(display_width(output.read_text()), display_width(output.text) + 2);
  return std::min(text_width(columns + 3, heading_font), 720.0);
}

double cell_size(std::size_t positions) {
  return std::clamp(960.0 / static_cast<double>(std::max<std::size_t>(positions, 1)), 14.0, 32.0);
}

// heading: width of the heading, 0 without.
Layout lay_out(const HeatMap& heat_map, double heading) {
  Layout layout;
  layout.cell = std::floor(cell_size(std::max(heat_map.columns.size(), heat_map.rows.size())));
  layout.gap = layout.cell >= 14 ? 0.75 : 0;
  layout.font = std::clamp(layout.cell * 0.62, 6.0, 16.0);
  const int column_label = widest(heat_map.columns);
  layout.upright = column_label <= 2;
  layout.left = page_margin + std::max(text_width(widest(heat_map.rows), layout.font) + 8, 68.0);
  layout.top = page_margin + (heading > 0 ? 66 : 28) +
               (layout.upright ? layout.font * 1.5 : text_width(column_label, layout.font) + 6);
  layout.map_width = layout.cell * static_cast<double>(heat_map.columns.size());
  layout.map_height = layout.cell * static_cast<double>(heat_map.rows.size());
  layout.width = std::max({layout.left + layout.map_width + right_margin, heading + 2 * page_margin, 360.0});
  layout.height = layout.top + layout.map_height + strip_height + 44 + page_margin;
  return layout;
}

class Picture : private SvgDrawing {
 public:
  Picture(const Output& output, HeatMap heat_map, bool stand_alone)
      : output_(output),
        stand_alone_(stand_alone),
        grid_(std::move(heat_map)),
        layout_(lay_out(grid_, stand_alone_ ? heading_width(output) : 0)) {
    if (!stand_alone_) return;  // a page says once for all its pictures what is left out
    note_ = left_out_note(output);
    if (note_.empty()) return;
    layout_.height += note_height;
    layout_.width = std::max(layout_.width, text_width(static_cast<int>(note_.size()), note_font) + 2 * page_margin);
  }

  std::string draw() {
    begin();
    heading();
    column_labels();
    cells();
    dividers();
    row_labels();
    coverage_strip();
    legend();
    note();
    return close();
  }

 private:
  double x_of(std::size_t column) const { return layout_.left + layout_.cell * static_cast<double>(column); }
  double y_of(std::size_t row) const { return layout_.top + layout_.cell * static_cast<double>(row); }

  void begin() {
    open(layout_.width, layout_.height, mono_font, 13,
         fmt::format("{}: {} → {}", grid_.title, output_.read_text(), output_.text),
         stand_alone_ ? R"( color="#1f2430")" : "");
    add("<desc>{} source positions across, {} output steps down; the lighter a cell, the greater the weight, from 0 to "
        "1. {}</desc>",
        grid_.columns.size(), grid_.rows.size(), standing_line);
  }

  void heading() {
    const int room = static_cast<int>((layout_.width - 2 * page_margin) / (heading_font * mono_advance));
    const auto line = [&](const std::string& text) {
      return escape(isolate(shorten(printable(repair_utf8(text)), room - 2)));
    };
    double y = page_margin + 12;
    if (stand_alone_) {
      add("<rect width=\"100%\" height=\"100%\" rx=\"10\" fill=\"#ffffff\"/>");
      add(R"(<g font-size="{}" fill="currentColor"><text x="{}" y="{}">{}</text>)", heading_font, page_margin, y,
          line(output_.read_text()));
      add(R"(<text x="{}" y="{}" font-weight="bold">→ {}</text></g>)", page_margin, y + 20,
          line(output_.text + (output_.finished ? "" : " (unfinished)")));
      y += 42;
    }
    add(R"(<text x="{}" y="{}" fill="currentColor" fill-opacity=".65">{}</text>)", page_margin, y, escape(grid_.title));
  }

  // Every label is a text element of its own, so no neighbour can reorder it. A mark and the ◌ under it must come
  // from one font; monospaced fonts rarely hold both.
  void label(const Label& label, const std::string& placed) {
    const bool on_circle = label.text.starts_with("◌");
    add(R"(<text {} direction="ltr" unicode-bidi="isolate"{}>{}</text>)", placed,
        on_circle ? " font-family=\"'DejaVu Sans', 'Noto Sans', sans-serif\"" : "",
        escape(shorten(label.text, max_label)));
  }

  void column_labels() {
    add(R"(<g font-size="{:.1f}" fill="currentColor" text-anchor="{}">)", layout_.font,
        layout_.upright ? "middle" : "start");
    for (std::size_t i = 0; i < grid_.columns.size(); ++i) {
      const double x = x_of(i) + layout_.cell / 2, y = layout_.top - 5 - layout_.font * 0.3;
      const double turned_x = x + layout_.font * 0.35;
      label(grid_.columns[i], layout_.upright
                                  ? fmt::format("x=\"{:.1f}\" y=\"{:.1f}\"", x, y)
                                  : fmt::format("transform=\"translate({:.1f} {:.1f}) rotate(-90)\"", turned_x, y));
    }
    add("</g>");
  }

  void cells() {
    add(R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" rx="3" fill="{}"/>)", layout_.left - 2,
        layout_.top - 2, layout_.map_width + 4, layout_.map_height + 4, hex(colour_of(0)));
    if (grid_.columns.empty()) {
      add(R"(<text x="{:.1f}" y="{:.1f}" fill="currentColor">The source is empty.</text>)", layout_.left + 10,
          layout_.top + 12);
    }
    for (std::size_t row = 0; row < grid_.rows.size(); ++row) {
      for (std::size_t column = 0; column < grid_.columns.size(); ++column) {
        if (!(grid_.weight(row, column) < faintest_weight)) cell(row, column);
      }
    }
  }

  // Where another source begins.
  void dividers() {
    for (std::size_t i = 0; i < grid_.divided.size(); ++i) {
      if (!grid_.divided[i]) continue;
      add(R"(<path class="divider" d="M{:.1f} {:.1f}V{:.1f}" stroke="#ff5a36" stroke-width="2"/>)", x_of(i),
          layout_.top - layout_.font * 1.3, layout_.top + layout_.map_height + 2);
    }
  }

  void cell(std::size_t row, std::size_t column) {
    const double weight = grid_.weight(row, column);
    const Colour colour = colour_of(weight);
    const double side = layout_.cell - 2 * layout_.gap;
    add(R"(<g class="cell"><title>{} read {} at {}: {:.3f}</title>)", escape(grid_.rows[row].name),
        escape(grid_.columns[column].name), column, weight);
    add(R"(<rect x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}"{} fill="{}"/>)", x_of(column) + layout_.gap,
        y_of(row) + layout_.gap, side, side, layout_.gap > 0 ? " rx=\"2\"" : "", hex(colour));
    // The number makes the picture readable without colour; small cells have no room for it.
    if (layout_.cell >= 22 && weight >= 0.05) {
      add(R"(<text x="{:.1f}" y="{:.1f}" font-size="{:.1f}" text-anchor="middle" fill="{}">{:.0f}</text>)",
          x_of(column) + layout_.cell / 2, y_of(row) + layout_.cell / 2 + 3.5, layout_.cell * 0.34, hex(ink_on(colour)),
          100 * weight);
    }
    add("</g>");
  }

  void row_labels() {
    const double right = layout_.left + layout_.map_width + 10;
    const auto middle = [&](std::size_t row) { return y_of(row) + layout_.cell / 2 + layout_.font * 0.35; };
    add(R"(<g font-size="{:.1f}" fill="currentColor" text-anchor="end">)", layout_.font);
    for (std::size_t row = 0; row < grid_.rows.size(); ++row) {
      label(grid_.rows[row], fmt::format("x=\"{:.1f}\" y=\"{:.1f}\"", layout_.left - 8, middle(row)));
    }
    add("</g>");
    add(R"(<g font-size="{:.1f}" fill="currentColor" fill-opacity=".65" text-anchor="end">)",
        std::min(layout_.font, 12.0));
    for (std::size_t row = 0; row < grid_.probabilities.size(); ++row) {
      add(R"(<text x="{:.1f}" y="{:.1f}">{}</text>)", right + 44, middle(row), percent(grid_.probabilities[row]));
    }
    add("</g>");
  }

  void coverage_strip() {
    const std::vector<double> sums = coverage(grid_);
    if (sums.empty()) return;
    const double top = layout_.top + layout_.map_height + 8;
    const double most = std::max(1.0, *std::max_element(sums.begin(), sums.end()));
    add(R"(<g font-size="11" fill="currentColor" fill-opacity=".65"><text x="{:.1f}" y="{:.1f}" )"
        R"(text-anchor="end">coverage</text><text x="{:.1f}" y="{:.1f}">0 to {:.1f}</text></g>)",
        layout_.left - 8, top + 10, layout_.left + layout_.map_width + 10, top + 10, most);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      if (sums[i] < faintest_weight) continue;
      add(R"(<g class="cell"><title>{} at {} was read {:.3f} times in all</title>)", escape(grid_.columns[i].name), i,
          sums[i]);
      add(R"(<rect x="{:.2f}" y="{:.1f}" width="{:.2f}" height="{:.2f}" fill="#21918c"/></g>)", x_of(i) + layout_.gap,
          top, layout_.cell - 2 * layout_.gap, strip_height * sums[i] / most);
    }
  }

  void legend() {
    constexpr int shade_count = 40;
    constexpr double shade_width = 4;
    const double y = layout_.top + layout_.map_height + strip_height + 32, x = layout_.left;
    add(R"(<g font-size="11" fill="currentColor"><text x="{:.1f}" y="{:.1f}" text-anchor="end">weight 0</text>)"
        R"(<text x="{:.1f}" y="{:.1f}">1</text></g>)",
        x - 8, y + 9, x + shade_count * shade_width + 8, y + 9);
    add(R"(<g shape-rendering="crispEdges">)");
    for (int i = 0; i < shade_count; ++i) {
      add(R"(<rect x="{:.1f}" y="{:.1f}" width="{}" height="10" fill="{}"/>)", x + shade_width * i, y, shade_width,
          hex(colour_of(i / (shade_count - 1.0))));
    }
    add("</g>");
  }

  void note() {
    if (note_.empty()) return;
    add(R"(<text x="{}" y="{:.1f}" font-size="{}" fill="currentColor">{}</text>)", page_margin,
        layout_.height - page_margin, note_font, note_);
  }

  const Output& output_;
  bool stand_alone_;
  HeatMap grid_;
  Layout layout_;
  std::string note_;
};

}  // namespace

std::string draw_svg(const Output& output, const HeatMap& heat_map, bool stand_alone) {
  const bool few = heat_map.rows.size() <= 4;
  const bool wide = heat_map.columns.size() > (few ? widest_of_few : widest_of_many);
  return wide || !heat_map.sentences.empty() ? draw_text_svg(output, heat_map, stand_alone)
                                             : Picture(output, heat_map, stand_alone).draw();
}

std::string draw_svg(const Output& output, const SvgOptions& options) {
  if (output.maps.empty()) {
    return fmt::format(
        R"(<svg xmlns="http://www.w3.org/2000/svg" role="img" width="520" height="48" viewBox="0 0 520 48">)"
        R"(<title>{0}</title><text x="{1}" y="30" font-family="sans-serif" font-size="15" )"
        R"(fill="currentColor">{0}</text></svg>)",
        no_maps_line, page_margin);
  }
  if (options.map >= output.maps.size()) {
    throw usage_error("map {} wanted, but the maps are 0 to {}", options.map, output.maps.size() - 1);
  }
  return draw_svg(output, heat_map_of(output, options.map), options.stand_alone);
}

std::string stack_svgs(const std::vector<std::string>& pictures) {
  if (pictures.size() == 1) return pictures[0];
  const auto size = [](const std::string& picture, const char* name) {
    const std::size_t at = picture.find(name);
    return at == std::string::npos ? 0.0 : std::atof(picture.c_str() + at + std::string_view(name).size());
  };
  double width = 0, height = 0;
  std::string parts;
  for (const std::string& picture : pictures) {
    parts += picture;
    const std::size_t at = parts.size() - picture.size() + std::string_view("<svg").size();
    parts.insert(at, fmt::format(" y=\"{:.0f}\"", height));
    width = std::max(width, size(picture, " width=\""));
    height += size(picture, " height=\"") + 8;
  }
  return fmt::format(R"(<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{0:.0f}" height="{1:.0f}" )"
                     R"(viewBox="0 0 {0:.0f} {1:.0f}">)"
                     "\n<title>{2} maps of attention</title>\n{3}</svg>\n",
                     width, height, pictures.size(), parts);
}

}  // namespace fovea
