#include "show/svg.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/error.h"
#include "examples.h"
#include "show/colour.h"
#include "show/heat_map.h"
#include "show/warnings.h"
#include "xml_check.h"

namespace fovea::svg_test {
namespace {

double number(const XmlElement& element, const std::string& key) {
  const std::string& text = element.attributes.at(key);
  double value = 0;
  EXPECT_EQ(std::from_chars(text.data(), text.data() + text.size(), value).ec, std::errc());
  return value;
}

std::vector<XmlElement> rects_of(const XmlCheck& svg, const std::string& colour) {
  auto rects = svg.named("rect");
  std::erase_if(rects, [&](const XmlElement& rect) { return rect.attributes.at("fill") != colour; });
  return rects;
}

bool has_text(const XmlCheck& svg, const std::string& text) {
  const auto texts = svg.named("text");
  return std::any_of(texts.begin(), texts.end(), [&](const XmlElement& element) { return element.text == text; });
}

TEST(Svg, LightestCellsAreWhereTheWeightIs) {
  const std::vector<std::size_t> peaks = {2, 0, 3};
  const XmlCheck svg(draw_svg(example("abc", "xy", peaks)));
  ASSERT_EQ(svg.problem, "");
  const auto cells = rects_of(svg, hex(colour_of(0.9f)));
  ASSERT_EQ(cells.size(), 3u);
  const double side = number(cells[1], "width") + 1.5;
  const double left = number(cells[1], "x"), top = number(cells[0], "y");
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(number(cells[i], "x"), left + side * static_cast<double>(peaks[i]), 0.02);
    EXPECT_NEAR(number(cells[i], "y"), top + side * static_cast<double>(i), 0.02);
  }
  EXPECT_NE(draw_svg(example("abc", "xy", peaks)).find("“x” read “c” at 2: 0.900"), std::string::npos);
  EXPECT_TRUE(has_text(svg, "90"));
}

TEST(Svg, EverythingLiesInsideThePicture) {
  for (const Output& output : {date_example(), example("日本", "שלום"), example(std::string(200, 'a'), "b"),
                               example("", ""), example("a", std::string(300, 'b'))}) {
    const XmlCheck svg(draw_svg(output));
    ASSERT_EQ(svg.problem, "");
    const double width = number(svg.elements[0], "width"), height = number(svg.elements[0], "height");
    for (const XmlElement& rect : svg.named("rect")) {
      if (!rect.attributes.contains("x")) continue;
      EXPECT_GE(number(rect, "x"), 0);
      EXPECT_LE(number(rect, "x") + number(rect, "width"), width);
      EXPECT_LE(number(rect, "y") + number(rect, "height"), height);
    }
    for (const XmlElement& text : svg.named("text")) {
      EXPECT_LE(number(text, "x"), width);
      EXPECT_LE(number(text, "y"), height);
    }
  }
}

TEST(Svg, CoverageIsTheColumnSum) {
  const Output output = example("abc", "xy", {2, 2, 3});
  const auto sums = coverage(heat_map_of(output, 0));
  EXPECT_NEAR(sums[2], 0.9 + 0.9 + 0.1 / 3, 1e-6);
  const XmlCheck svg(draw_svg(output));
  const auto bars = rects_of(svg, "#21918c");
  ASSERT_EQ(bars.size(), 4u);
  EXPECT_NEAR(number(bars[3], "height") / number(bars[2], "height"), sums[3] / sums[2], 0.01);
}

TEST(Svg, SixtyBySixtySkipsWhatCannotBeSeen) {
  const Output output = example(std::string(59, 'a'), std::string(59, 'b'), {5, 10});
  const XmlCheck svg(draw_svg(output));
  ASSERT_EQ(svg.problem, "");
  EXPECT_LT(number(svg.elements[0], "width"), 1200);
  EXPECT_EQ(rects_of(svg, hex(colour_of(0.9f))).size(), 60u);
  // 0.1 / 59 is below the threshold: nothing but the peaks, coverage, legend and two backgrounds.
  EXPECT_LT(svg.named("rect").size(), 60u + 60u + 50u);
}

TEST(Svg, LongSourcesAreShadedText) {
  for (const auto& [source, target] : std::vector<std::pair<std::string, std::string>>{
           {std::string(160, 'a'), "x"}, {std::string(400, 'a'), std::string(30, 'b')}}) {
    const XmlCheck svg(draw_svg(example(source, target, {70})));
    ASSERT_EQ(svg.problem, "");
    EXPECT_LT(number(svg.elements[0], "width"), 1000);
    EXPECT_GE(svg.named("text").size(), source.size());
    EXPECT_GE(rects_of(svg, hex(colour_of(1))).size(), 1u) << "the most read is as light as can be";
  }
  const XmlCheck cells(draw_svg(example(std::string(83, 'a'), std::string(30, 'b'))));
  for (const XmlElement& group : cells.named("g")) {
    if (group.attributes.count("font-size") == 0) continue;
    EXPECT_GE(std::stod(group.attributes.at("font-size")), 8) << "can be read";
  }
}

TEST(Svg, DocumentsAreShadedTextWithTheSharesOfSentences) {
  Output output = example("abcd", "x", {2});
  output.source[0].sentence = output.source[1].sentence = 0;
  output.source[2].sentence = output.source[3].sentence = 1;
  const XmlCheck svg(draw_svg(output));
  ASSERT_EQ(svg.problem, "");
  for (const char* share : {"  5.0%", " 92.5%", "  2.5%"}) EXPECT_TRUE(has_text(svg, share)) << share;
  EXPECT_TRUE(has_text(svg, "c"));
  EXPECT_EQ(rects_of(svg, hex(colour_of(1))).size(), 4u) << "in each of two steps a word and a sentence";
}

TEST(Svg, SourcesAreDivided) {
  Output output = example("abcd", "x");
  EXPECT_EQ(draw_svg(output).find("divider"), std::string::npos);
  output.source[2].source = output.source[3].source = output.source[4].source = 1;
  EXPECT_NE(draw_svg(output).find("divider"), std::string::npos);
}

TEST(Svg, PicturesStandOneUnderTheOther) {
  const std::string one = draw_svg(date_example());
  const XmlCheck svg(stack_svgs({one, one, one}));
  ASSERT_EQ(svg.problem, "");
  EXPECT_EQ(svg.named("svg").size(), 4u);
  EXPECT_GE(number(svg.elements[0], "height"), 3 * number(XmlCheck(one).elements[0], "height"));
  EXPECT_EQ(stack_svgs({one}), one);
}

TEST(Svg, LabelsOfAllScripts) {
  const XmlCheck svg(draw_svg(example("日ש\u0301 ", "م")));
  ASSERT_EQ(svg.problem, "");
  for (const char* label : {"日", "ש", "◌\u0301", "␣", "⏎", "م"}) EXPECT_TRUE(has_text(svg, label)) << label;
  for (const XmlElement& text : svg.named("text")) {
    if (text.text == "ש") {
      EXPECT_EQ(text.attributes.at("unicode-bidi"), "isolate");
    }
  }
}

TEST(Svg, WordsStandOnTheirEnds) {
  Output output = example("ab", "x");
  output.source[0].text = "attention";
  const std::string text = draw_svg(output);
  EXPECT_EQ(XmlCheck(text).problem, "");
  EXPECT_NE(text.find("rotate(-90)\" direction=\"ltr\" unicode-bidi=\"isolate\">attention<"), text.npos);
}

TEST(Svg, HasTitleAndDescription) {
  const XmlCheck svg(draw_svg(date_example()));
  EXPECT_EQ(svg.elements[1].name, "title");
  EXPECT_EQ(svg.elements[1].text, "attention: 3rd of May 1999 → 1999-05-03");
  EXPECT_EQ(svg.elements[2].name, "desc");
}

TEST(Svg, SaysWhatIsLeftOut) {
  const std::string note = "Shown are the first 4 of 301 source positions and 3 of 653 output steps.";
  Output output = example("abc", "xy");
  EXPECT_FALSE(has_text(XmlCheck(draw_svg(output)), note));
  output.left_out = {0, 650, 297};
  const XmlCheck svg(draw_svg(output));
  EXPECT_EQ(svg.problem, "");
  EXPECT_TRUE(has_text(svg, note));
  EXPECT_GT(number(svg.named("svg")[0], "width"), 450) << "it is cut off";
  EXPECT_FALSE(has_text(XmlCheck(draw_svg(output, {0, false})), note)) << "the page says it";
}

TEST(Svg, NoMapsEmptySourceWrongMap) {
  const XmlCheck none(draw_svg(example("a", "b", {0}, 0)));
  EXPECT_EQ(none.problem, "");
  EXPECT_TRUE(has_text(none, no_maps_line));
  Output output = example("", "b");
  output.source.clear();
  for (OutputStep& step : output.steps) step.looks[0].weights.clear();
  const XmlCheck empty(draw_svg(output));
  EXPECT_EQ(empty.problem, "");
  EXPECT_TRUE(has_text(empty, "The source is empty."));
  EXPECT_THROW(draw_svg(output, {1, true}), Error);
}

TEST(Svg, WeightsThatDoNotFitTheSourceAreNumbered) {
  Output output = example("abc", "x");
  for (OutputStep& step : output.steps) step.looks[0].weights.resize(6, 0.f);
  output.steps[1].looks[0].weights.resize(2);
  const XmlCheck svg(draw_svg(output));
  ASSERT_EQ(svg.problem, "");
  EXPECT_TRUE(has_text(svg, "5"));
  EXPECT_FALSE(has_text(svg, "b"));
  EXPECT_EQ(rects_of(svg, hex(colour_of(std::nan("")))).size(), 4u);
}

TEST(Svg, HostileTextStaysText) {
  for (const std::string& text : hostile_texts()) {
    Output output = example("a", "b");
    output.source_text = output.text = output.steps[0].token = output.source[0].text = output.maps[0].source = text;
    const XmlCheck svg(draw_svg(output));
    EXPECT_EQ(svg.problem, "") << text;
    EXPECT_TRUE(svg.named("script").empty());
    EXPECT_TRUE(svg.named("img").empty());
    EXPECT_EQ(svg.named("svg").size(), 1u);
  }
}

}  // namespace
}  // namespace fovea::svg_test
