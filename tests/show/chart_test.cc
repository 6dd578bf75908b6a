#include "show/chart.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "xml_check.h"

namespace fovea::chart_test {
namespace {

// The line of the first series; axes have no fill.
std::string path_of(const std::string& svg) {
  for (const XmlElement& path : XmlCheck(svg).named("path")) {
    if (path.attributes.contains("fill")) return path.attributes.at("d");
  }
  return {};
}

auto count(const std::string& text, char c) { return std::count(text.begin(), text.end(), c); }

TEST(Chart, RunsFromCornerToCorner) {
  const std::string svg = draw_chart({"t", "step", {{"a", {{0, 0}, {50, 5}, {100, 10}}}}, {}});
  EXPECT_EQ(XmlCheck(svg).problem, "");
  EXPECT_EQ(path_of(svg), "M58.0 256.0L251.0 151.0L444.0 46.0");
  for (const char* mark : {">0<", ">2<", ">10<", ">20<", ">100<"}) EXPECT_NE(svg.find(mark), svg.npos) << mark;
  EXPECT_EQ(svg.find(">-0<"), svg.npos);
}

TEST(Chart, AxesAsTheyAreAskedFor) {
  Chart chart = {"t", "characters", {{"a", {{5, 0.4}, {6, 0.5}}}}, {}};
  EXPECT_NE(draw_chart(chart).find(">5.2<"), std::string::npos);
  chart.whole_x = true;
  chart.y = {0, 1};
  const std::string svg = draw_chart(chart);
  EXPECT_EQ(svg.find(">5.2<"), svg.npos);
  for (const char* mark : {">0<", ">1<", ">5<", ">6<"}) EXPECT_NE(svg.find(mark), svg.npos) << mark;
  chart.series.clear();
  chart.nothing = "too few";
  EXPECT_NE(draw_chart(chart).find("too few"), std::string::npos);
}

TEST(Chart, BreaksTheLineWhereThereIsNoValue) {
  const double nan = std::nan("");
  const std::string path = path_of(draw_chart({"t", "x", {{"a", {{0, 1}, {1, 2}, {2, nan}, {3, 1}, {4, 2}}}}, {}}));
  EXPECT_EQ(count(path, 'M'), 2);
  EXPECT_EQ(count(path, 'L'), 2);
}

TEST(Chart, KeepsSpikesOfLongRuns) {
  Series series{"a", {}};
  for (int i = 0; i < 100000; ++i) series.points.push_back({static_cast<double>(i), i == 77777 ? 100.0 : 0.0});
  const std::string path = path_of(draw_chart({"t", "x", {series}, {}}));
  EXPECT_LT(count(path, 'L'), 700);
  EXPECT_NE(path.find(" 46.0"), path.npos);
}

TEST(Chart, DrawsWhateverItIsGiven) {
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<std::vector<ChartPoint>> cases = {{},
                                                      {{1, 1}},
                                                      {{1, 0}, {2, 0}},
                                                      {{0, 1e300}, {1, -1e300}},
                                                      {{0, 1e-300}, {1, 2e-300}},
                                                      {{0, 1e308}, {1, -1e308}},
                                                      {{1, inf}},
                                                      {{5, 7}, {5, 7}},
                                                      {{0, 1}, {1, 1 + 1e-15}}};
  for (const auto& points : cases) {
    const std::string svg = draw_chart({"t", "x", {{"a", points}, {"b", points}}, points});
    EXPECT_EQ(XmlCheck(svg).problem, "");
    EXPECT_LT(svg.size(), 20000u);
    EXPECT_EQ(svg.find("nan"), svg.npos);
    EXPECT_EQ(svg.find("inf"), svg.npos);
  }
  EXPECT_NE(draw_chart({"t", "x", {{"a", {{1, 1}}}}, {}}).find("<circle"), std::string::npos);
  EXPECT_NE(draw_chart({}).find("nothing recorded yet"), std::string::npos);
}

}  // namespace
}  // namespace fovea::chart_test
