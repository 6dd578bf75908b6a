// A line chart as inline SVG: what a training run needs and no more.
#pragma once

#include <string>
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
  std::vector<Series> series;      // told apart by dashes as well as by colour
  std::vector<ChartPoint> marked;  // drawn as dots with their value
};

std::string draw_chart(const Chart& chart);

}  // namespace fovea
