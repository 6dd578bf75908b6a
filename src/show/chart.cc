#include "show/chart.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "base/utf8.h"
#include "show/drawing.h"

namespace fovea {
namespace {

constexpr double chart_width = 460, plot_height = 210;  // on a telephone its letters are read still
constexpr double chart_left = 58, chart_right = 16, chart_top = 46, chart_bottom = 46;
constexpr double name_height = 17;       // of a row of names
constexpr std::size_t few_lines = 3;     // whose values stand in a row
constexpr std::size_t max_points = 600;  // more than there are pixels across

// Lines are told apart by dashes as well as by colour.
struct Ink {
  const char* colour;
  std::string dashes;  // an attribute
};
Ink ink_of(std::size_t line) {
  constexpr std::array<const char*, 3> dashes = {"", " stroke-dasharray=\"7 4\"", " stroke-dasharray=\"2 4\""};
  return {inks[line % std::size(inks)], dashes[line % dashes.size()]};
}

// Below the greatest numbers, so that the length of a range is finite too.
bool is_finite(const ChartPoint& point) { return std::abs(point.x) <= 1e300 && std::abs(point.y) <= 1e300; }

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  bool empty() const { return low > high; }
  void take(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

// The step of a scale with about so many marks: 1, 2 or 5 times a power of ten.
double mark_step(const Range& range, int marks) {
  const double rough = (range.high - range.low) / marks;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double lead = rough / power;
  return power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}

// Wide enough to be divided, also when all values are equal or so close that marks would coincide.
Range widened(Range range) {
  const double least = std::max(std::abs(range.low), std::abs(range.high)) * 1e-6;
  if (range.high - range.low <= least) {
    const double room = range.high == 0 ? 1 : std::abs(range.high) * 0.1;
    range.take(range.low - room);
    range.take(range.high + room);
  }
  return range;
}

// Both ends on a mark.
Range rounded(Range range, int marks) {
  const double step = mark_step(range, marks);
  return {std::floor(range.low / step) * step, std::ceil(range.high / step) * step};
}

// The lowest and the highest point of each stretch, so that a spike is never lost.
std::vector<ChartPoint> thinned(const std::vector<ChartPoint>& points) {
  if (points.size() <= max_points) return points;
  const std::size_t stretch = (2 * points.size() + max_points - 1) / max_points;
  std::vector<ChartPoint> result;
  for (std::size_t i = 0; i < points.size(); i += stretch) {
    const auto first = points.begin() + static_cast<std::ptrdiff_t>(i);
    const auto last = points.begin() + static_cast<std::ptrdiff_t>(std::min(i + stretch, points.size()));
    const auto broken = std::find_if_not(first, last, is_finite);
    if (broken != last) {
      result.push_back(*broken);
      continue;
    }
    const auto [low, high] =
        std::minmax_element(first, last, [](const ChartPoint& a, const ChartPoint& b) { return a.y < b.y; });
    result.push_back(*std::min(low, high));
    if (low != high) result.push_back(*std::max(low, high));
  }
  return result;
}

class ChartDrawing : private SvgDrawing {
 public:
  explicit ChartDrawing(const Chart& chart) : chart_(chart) {
    for (const Series& series : chart.series) {
      for (const ChartPoint& point : series.points) {
        if (!is_finite(point)) continue;
        x_.take(point.x);
        y_.take(point.y);
      }
    }
    if (chart.y) y_.take(chart.y->first);
    if (chart.y) y_.take(chart.y->second);
    place_names();
  }

  std::string draw() {
    open(chart_width, height(), text_font, 13, chart_.title, " fill=\"currentColor\"");
    add(R"(<text x="{}" y="20" font-size="14" font-weight="600">{}</text>)", chart_left, escape_text(chart_.title));
    if (x_.empty()) {
      add(R"(<text x="{}" y="{}" fill-opacity=".65">{}</text>)", chart_left, height() / 2, escape_text(chart_.nothing));
    } else {
      x_ = widened(x_);
      y_ = rounded(widened(y_), 5);
      axes();
      for (std::size_t i = 0; i < chart_.series.size(); ++i) line(chart_.series[i], ink_of(i));
      marks();
      names();
      hover();
    }
    return close();
  }

 private:
  double screen_x(double x) const {
    return chart_left + (x - x_.low) / (x_.high - x_.low) * (chart_width - chart_left - chart_right);
  }
  double screen_y(double y) const { return top_ + plot_height - (y - y_.low) / (y_.high - y_.low) * plot_height; }
  double height() const { return top_ + plot_height + chart_bottom; }

  void axes() {
    const double y_step = mark_step(y_, 5), x_step = std::max(mark_step(x_, 6), chart_.whole_x ? 1.0 : 0.0);
    for (double i = std::ceil(y_.low / y_step - 1e-9); i * y_step <= y_.high + y_step * 1e-9; ++i) {
      const double y = screen_y(i * y_step);
      add(R"(<path d="M{:.1f} {:.1f}H{:.1f}" stroke="currentColor" stroke-opacity=".13"/>)", chart_left, y,
          chart_width - chart_right);
      add(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="end" fill-opacity=".65">{:.6g}</text>)", chart_left - 8, y + 4,
          i * y_step + 0.0);  // never "-0"
    }
    for (double i = std::ceil(x_.low / x_step - 1e-9); i * x_step <= x_.high + x_step * 1e-9; ++i) {
      const double x = screen_x(i * x_step), y = top_ + plot_height;
      add(R"(<path d="M{:.1f} {:.1f}v5" stroke="currentColor" stroke-opacity=".4"/>)", x, y);
      add(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="middle" fill-opacity=".65">{:.10g}</text>)", x, y + 19,
          i * x_step + 0.0);
    }
    add(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="end" fill-opacity=".65">{}</text>)", chart_width - chart_right,
        height() - 8, escape_text(chart_.x_name));
  }

  void line(const Series& series, const Ink& ink) {
    std::string path, dots;
    bool pen_down = false;
    std::size_t length = 0;
    ChartPoint last;
    const auto lift = [&] {
      // A line of one point has no length and would not be seen.
      if (length == 1) {
        dots += fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="2.5" fill="{}"/>)", screen_x(last.x),
                            screen_y(last.y), ink.colour);
      }
      pen_down = false;
      length = 0;
    };
    for (const ChartPoint& point : thinned(series.points)) {
      if (!is_finite(point)) {
        lift();
        continue;
      }
      move(path, pen_down, screen_x(point.x), screen_y(point.y));
      pen_down = true;
      ++length;
      last = point;
    }
    lift();
    if (path.empty()) return;
    add(R"(<path d="{}" fill="none" stroke="{}" stroke-width="2" stroke-linejoin="round"{}/>{})", path, ink.colour,
        ink.dashes, dots);
  }

  void marks() {
    for (const ChartPoint& point : chart_.marked) {
      if (!is_finite(point)) continue;
      const double x = screen_x(point.x), y = screen_y(point.y);
      const bool near_right = x > chart_width - 90;
      add(R"(<circle cx="{:.1f}" cy="{:.1f}" r="4.5" fill="none" stroke="currentColor" stroke-width="1.5"/>)", x, y);
      add(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="{}" font-weight="600">{:.4g}</text>)", near_right ? x - 9 : x + 9,
          y < top_ + 24 ? y + 18 : y - 9, near_right ? "end" : "start", point.y);
    }
  }

  // The names stand in rows above the plot, each behind a piece of its line.
  void place_names() {
    if (chart_.series.size() < 2) return;
    double x = chart_left;
    for (const Series& series : chart_.series) {
      const double width = 48 + 7.5 * display_width(series.name);
      if (x > chart_left && x + width > chart_width) {
        x = chart_left;
        top_ += name_height;
      }
      names_.emplace_back(x, top_ - 12);
      x += width;
    }
  }

  void names() {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const Ink ink = ink_of(i);
      const auto [x, y] = names_[i];
      add(R"(<path d="M{:.1f} {:.0f}h24" stroke="{}" stroke-width="2"{}/><text x="{:.1f}" y="{:.0f}">{}</text>)", x, y,
          ink.colour, ink.dashes, x + 30, y + 4, escape_text(chart_.series[i].name));
    }
  }

  // What each line says there, shown where a pointer rests (see page.cc): without a script.
  void hover() {
    constexpr int places = 60;
    const bool few = chart_.series.size() <= few_lines;
    const double width = (chart_width - chart_left - chart_right) / places;
    for (int place = 0; place < places; ++place) {
      const double low = x_.low + (x_.high - x_.low) * place / places, high = low + (x_.high - x_.low) / places;
      std::string says;
      double at = 0;
      for (const Series& series : chart_.series) {
        const auto found = std::ranges::find_if(series.points, [&](const ChartPoint& p) {
          return is_finite(p) && p.x >= low && (p.x < high || place + 1 == places);
        });
        if (found == series.points.end()) continue;
        at = found->x;
        says += fmt::format("{} {} {:.4g}", few ? ";" : "\n", escape_text(series.name), found->y);
      }
      if (says.empty()) continue;
      add(R"(<g class="hover"><rect x="{:.1f}" y="{:.0f}" width="{:.1f}" height="{:.0f}" fill="transparent"/>)",
          chart_left + width * place, top_, width, plot_height);
      add(R"(<path d="M{:.1f} {:.0f}V{:.0f}" stroke="currentColor" stroke-opacity=".4" visibility="hidden"/>)",
          screen_x(at), top_, top_ + plot_height);
      if (!few) add("<title>{:.10g}{}</title>", at, says);  // they have no room in the picture
      add(R"(<text x="{:.1f}" y="20" text-anchor="end" font-weight="600" visibility="hidden">{:.10g}{}</text></g>)",
          chart_width - chart_right, at, few ? says : "");
    }
  }

  const Chart& chart_;
  Range x_, y_;
  double top_ = chart_top;                        // of the plot
  std::vector<std::pair<double, double>> names_;  // where they stand
};

}  // namespace

std::string draw_chart(const Chart& chart) { return ChartDrawing(chart).draw(); }

}  // namespace fovea
