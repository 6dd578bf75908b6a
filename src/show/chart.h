// A line chart as inline SVG: what a training run needs and no more.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fovea {

struct ChartPoint {
  double x = 0;
  double y = 0;  // a point that is not finite breaks the line
};

struct Series {
  std::string name;
  std::vector<ChartPoint> points;  // x rising
};

struct Chart {
  std::string title;
  std::string x_name;
  std::vector<Series> series = {};                  // told apart by dashes as well as by colour
  std::vector<ChartPoint> marked = {};              // drawn as dots with their value
  std::string nothing = "nothing recorded yet";     // is said where there is no point
  bool whole_x = false;                             // no marks between whole numbers
  std::optional<std::pair<double, double>> y = {};  // what the axis has at least; none: as the points have it
};

std::string draw_chart(const Chart& chart);

}  // namespace fovea
