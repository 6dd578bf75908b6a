#include "show/film.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "examples.h"
#include "show/xml_check.h"

namespace fovea::show_film_test {
namespace {

std::vector<FilmFrame> frames(int count, const std::string& token = "a") {
  std::vector<FilmFrame> all;
  for (int i = 0; i < count; ++i) {
    all.push_back({100 * (i + 1), i + 1, {token, "b", "1"}, {{0.1 * i, 1}, {-1, 0.5}, {0, 0}}, {date_example()}});
    all.back().samples[0].steps[0].looks[0].weights[0] = 0.25f * static_cast<float>(i);
  }
  return all;
}

TEST(FilmPicture, MovesWhatMoves) {
  const XmlCheck svg(draw_film_svg(frames(4)));
  EXPECT_EQ(svg.problem, "");
  EXPECT_EQ(svg.named("animateTransform").size(), 1U) << "one of three points";
  EXPECT_GT(svg.named("animate").size(), 4U);
  for (const XmlElement& element : svg.named("animateTransform")) {
    EXPECT_EQ(std::ranges::count(element.attributes.at("values"), ';'), 4) << "of four frames, and the last stays";
    EXPECT_EQ(std::ranges::count(element.attributes.at("keyTimes"), ';'), 4);
  }
}

TEST(FilmPicture, OneFrameIsAPicture) {
  const XmlCheck svg(draw_film_svg(frames(1)));
  EXPECT_EQ(svg.problem, "");
  EXPECT_TRUE(svg.named("animateTransform").empty());
}

TEST(FilmPicture, VowelsHaveAColourOfTheirOwn) {
  const std::string svg = draw_film_svg(frames(2));
  EXPECT_NE(svg.find("vowels"), std::string::npos);
  EXPECT_EQ(draw_film_svg(frames(2, "z")).find("vowels"), std::string::npos);
}

TEST(FilmPicture, HostileTextStaysText) {
  for (const std::string& text : hostile_texts()) {
    std::vector<FilmFrame> all = frames(2, text);
    all[1].samples[0].text = all[1].samples[0].steps[0].token = text;
    EXPECT_EQ(XmlCheck(draw_film_svg(all)).problem, "") << text;
    const std::string page = draw_film_page(all, text);
    EXPECT_EQ(XmlCheck(page.substr(0, page.find("<script nonce")) + "</body></html>").problem, "") << text;
    EXPECT_EQ(page.find("<script>"), std::string::npos);
    EXPECT_EQ(page.find("<svg onload"), page.npos);
  }
}

TEST(FilmPicture, FramesReadBack) {
  const FilmFrame frame = frames(2)[1], again = frame_from_json(frame_to_json(frame));
  EXPECT_EQ(again.update, 200);
  EXPECT_EQ(again.validation, 2);
  EXPECT_EQ(again.tokens, frame.tokens);
  EXPECT_EQ(again.points[0].x, frame.points[0].x);
  EXPECT_EQ(again.samples[0].text, frame.samples[0].text);
}

}  // namespace
}  // namespace fovea::show_film_test
