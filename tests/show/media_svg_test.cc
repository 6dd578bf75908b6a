#include "show/media_svg.h"

#include <gtest/gtest.h>

#include "examples.h"
#include "show/colour.h"
#include "show/html.h"
#include "xml_check.h"

namespace fovea::media_svg_test {
namespace {

std::vector<std::string> drawings(const Output& output, bool stand_alone = true) {
  return draw_media_svgs(output, heat_map_of(output, 0), stand_alone);
}

// Four regions of a picture, two by two, of which the second was read.
Output seen() {
  Output output = example("abcd", "xy", {1});
  output.source_text = "a.png";
  for (int i = 0; i < 4; ++i) {
    const int left = i / 2 * 20, top = i % 2 * 10;
    output.source[static_cast<std::size_t>(i)].box = Box{left, top, left + 20, top + 10};
  }
  output.media = {{{"image/png", "foo", 40, 20}, 0}};
  return output;
}

TEST(MediaSvg, APictureIsLitForEachOutput) {
  const std::vector<std::string> all = drawings(seen());
  ASSERT_EQ(all.size(), 1u);
  const XmlCheck svg(all[0]);
  ASSERT_EQ(svg.problem, "");
  const auto images = svg.named("image");
  ASSERT_EQ(images.size(), 1u) << "its bytes are there once";
  EXPECT_EQ(images[0].attributes.at("href"), "data:image/png;base64,Zm9v");
  const auto uses = svg.named("use");
  ASSERT_EQ(uses.size(), 4u) << "as it is, and for each of three steps";
  for (const XmlElement& use : uses) EXPECT_EQ(use.attributes.at("href"), "#" + images[0].attributes.at("id"));
  std::vector<double> dark;
  std::vector<std::string> framed;
  for (const XmlElement& rect : svg.named("rect")) {
    if (rect.attributes.count("stroke-width")) framed.push_back(rect.attributes.at("y"));
    if (rect.attributes.count("fill-opacity")) dark.push_back(std::stod(rect.attributes.at("fill-opacity")));
  }
  EXPECT_EQ(framed.size(), 3u) << "what each step read, which a veil alone does not show where a picture is dark";
  ASSERT_EQ(dark.size(), 12u);
  for (std::size_t i = 0; i < dark.size(); ++i) {
    if (i % 4 == 1) {
      EXPECT_EQ(dark[i], 0);
    } else {
      EXPECT_GT(dark[i], 0.7);
    }
  }
}

// What looks at the end of its source alone has read nothing of the picture, however the little that is left is shared.
TEST(MediaSvg, AStepThatReadSomethingElseHasNoFrame) {
  Output output = seen();
  for (OutputStep& step : output.steps) step.looks[0].weights = {0, 0.03F, 0.01F, 0, 0.96F};
  for (const XmlElement& rect : XmlCheck(drawings(output).at(0)).named("rect")) {
    EXPECT_FALSE(rect.attributes.count("stroke-width"));
    if (rect.attributes.count("fill-opacity")) {
      EXPECT_GT(std::stod(rect.attributes.at("fill-opacity")), 0.7);
    }
  }
}

TEST(MediaSvg, ASoundStandsAboveItsRows) {
  Output output = example("abcd", "xy", {1});
  for (int i = 0; i < 4; ++i) {
    SourceToken& token = output.source[static_cast<std::size_t>(i)];
    token.start = 30 * i, token.end = 30 * (i + 1), token.named = true;
  }
  output.media = {{{"image/png", "foo", 110, 40}, 0}, {{"audio/wav", "f", 110, 0}, 0}};
  const std::vector<std::string> all = drawings(output);
  ASSERT_EQ(all.size(), 1u) << "of the sound itself nothing is seen";
  const XmlCheck svg(all[0]);
  ASSERT_EQ(svg.problem, "");
  const double left = std::stod(svg.named("image").at(0).attributes.at("x"));
  std::vector<double> lit;
  for (const XmlElement& rect : svg.named("rect")) {
    if (rect.attributes.at("fill") == hex(colour_of(1))) lit.push_back(std::stod(rect.attributes.at("x")));
  }
  const double wide = std::stod(svg.named("image").at(0).attributes.at("width")) * 120 / 110;
  ASSERT_EQ(lit.size(), 3u);
  for (const double x : lit) EXPECT_NEAR(x, left + wide / 4, 0.1);
}

TEST(MediaSvg, EachSourceHasItsOwnAndMapsOverAnotherMemoryNone) {
  Output output = seen();
  for (SourceToken& token : output.source) token.source = 1;
  EXPECT_EQ(XmlCheck(drawings(output).at(0)).named("rect").size(), 2u) << "grounds: no position is of this picture";
  output.steps[0].looks[0].weights.push_back(0);
  EXPECT_TRUE(drawings(output).empty());
  EXPECT_TRUE(drawings(example("ab", "x")).empty());
}

TEST(MediaSvg, IsInThePageWhichAllowsIt) {
  const std::string page = draw_html(seen());
  EXPECT_EQ(XmlCheck(page).problem, "");
  EXPECT_NE(page.find("data:image/png;base64,Zm9v"), page.npos);
  EXPECT_NE(page.find("img-src data:"), page.npos);
}

TEST(MediaSvg, HostileTextStaysText) {
  for (const std::string& text : hostile_texts()) {
    Output output = seen();
    output.source_text = output.text = output.steps[0].token = output.source[0].text = text;
    for (const std::string& drawing : drawings(output)) EXPECT_EQ(XmlCheck(drawing).problem, "") << text;
  }
}

}  // namespace
}  // namespace fovea::media_svg_test
