// A picture as SVG on its way: what charts, maps and films have in common.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <utility>

#include "show/markup.h"

namespace fovea {

class SvgDrawing {
 public:
  // What every picture begins with; the title is plain text, `more` further attributes.
  void open(double width, double height, std::string_view font_family, double font, std::string_view title,
            std::string_view more = {}) {
    add(R"(<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{0:.0f}" height="{1:.0f}" )"
        R"(viewBox="0 0 {0:.0f} {1:.0f}" font-family="{2}" font-size="{3:g}"{4}>)",
        width, height, font_family, font, more);
    add("<title>{}</title>", escape_text(title));
  }

  // A line of markup; what comes from models and users must be escaped.
  template <class... Args>
  void add(fmt::format_string<Args...> text, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), text, std::forward<Args>(args)...);
    text_ += '\n';
  }

  std::string close() {
    text_ += "</svg>\n";
    return std::move(text_);
  }

  // Where a pen goes: M, then L.
  static void move(std::string& path, bool pen_down, double x, double y) {
    fmt::format_to(std::back_inserter(path), "{}{:.1f} {:.1f}", pen_down ? 'L' : 'M', x, y);
  }

 private:
  std::string text_;
};

inline constexpr const char* text_font = "system-ui, 'Noto Sans', 'DejaVu Sans', sans-serif";
inline constexpr const char* mono_font =
    "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', 'Noto Sans Mono', monospace";
inline constexpr double mono_advance = 0.61;  // of a character, in font sizes

// Colours that lines and dots are told apart by, the same in all pictures.
inline constexpr const char* inks[] = {"#2f86c1", "#e07b28", "#3aa66f", "#9a5fb5", "#b8860b", "#c44e62"};

}  // namespace fovea
