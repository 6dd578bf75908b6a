#include "show/terminal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "base/as_size.h"
#include "base/error.h"
#include "base/utf8.h"
#include "examples.h"
#include "show/warnings.h"

namespace fovea::terminal_test {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t at = 0;
  for (std::size_t end; (end = text.find('\n', at)) != text.npos; at = end + 1) {
    lines.push_back(text.substr(at, end - at));
  }
  return lines;
}

std::string without_colour(std::string text) {
  for (std::size_t at; (at = text.find("\x1b[")) != text.npos;) text.erase(at, text.find('m', at) + 1 - at);
  return text;
}

// The rows of maps: everything with a bar at its end.
std::vector<std::string> rows_of(const std::string& drawing) {
  std::vector<std::string> rows;
  for (const std::string& line : lines_of(without_colour(drawing))) {
    if (line.ends_with("│")) rows.push_back(line);
  }
  return rows;
}

std::string cells_of(const std::string& row) {
  const std::size_t first = row.find("│") + std::string_view("│").size();
  return row.substr(first, row.rfind("│") - first);
}

TEST(Terminal, DrawsThePeakWhereTheWeightIs) {
  const auto rows = rows_of(draw_terminal(example("abc", "xy", {2, 0, 3})));
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0], "x  50.0% │    ██  │");
  EXPECT_EQ(rows[1], "y  75.0% │██      │");
  EXPECT_EQ(rows[2], "⏎  50.0% │      ██│");
}

TEST(Terminal, HasAShadeForEachQuarter) {
  Output output = example("abcd", "x");
  output.steps[0].looks[0].weights = {0.04f, 0.2f, 0.3f, 0.6f, 0.8f};
  output.steps[1].looks[0].weights = {std::numeric_limits<float>::quiet_NaN(), 2.f, -1.f};
  const auto rows = rows_of(draw_terminal(output));
  EXPECT_EQ(cells_of(rows[0]), "  ░░▒▒▓▓██");
  EXPECT_EQ(cells_of(rows[1]), "??██  ????");
}

TEST(Terminal, AlignsEveryScript) {
  const std::vector<Output> outputs = {date_example(),
                                       example("令和元年five", "ab日"),
                                       example("שלום עולם", "shalom"),
                                       example("مرحبا", "שלום"),
                                       example("e\u0301te\u0301", "\u0301a"),
                                       example("👍🏽 ok", "👍"),
                                       example("\u202e\u200d\x1b\t", "\u202e"),
                                       example("한\u1161", "\u1161")};
  for (const Output& output : outputs) {
    for (auto colour : {TerminalColour::none, TerminalColour::palette, TerminalColour::full}) {
      const std::string drawing = without_colour(draw_terminal(output, {colour, 80, {}, false}));
      const auto lines = lines_of(drawing);
      const auto first = std::find_if(lines.begin(), lines.end(), [](auto& line) { return line.ends_with("│"); });
      ASSERT_NE(first, lines.end());
      const int width = display_width(*first);
      EXPECT_EQ(display_width(*std::prev(first)), width) << "header of " << drawing;
      for (const std::string& row : rows_of(drawing)) EXPECT_EQ(display_width(row), width) << drawing;
    }
  }
}

TEST(Terminal, KeepsRightToLeftCellsInLogicalOrder) {
  const std::string drawing = draw_terminal(example("שב", "a"));
  EXPECT_NE(drawing.find("\u2068ש\u2069 \u2068ב\u2069 ⏎"), drawing.npos) << drawing;
}

TEST(Terminal, CutsWideSourcesIntoPanelsThatFit) {
  const std::string source(200, 'a');
  std::vector<std::size_t> peaks(10);
  for (std::size_t i = 0; i < peaks.size(); ++i) peaks[i] = 20 * i;
  for (int width : {200, 80, 40, 20, 1}) {
    const Output output = example(source, "abcdefghi", peaks);
    const std::string drawing = draw_terminal(output, {TerminalColour::none, width, {}, false});
    const auto rows = rows_of(drawing);
    ASSERT_EQ(rows.size() % 10, 0u);
    std::size_t cells = 0;
    std::vector<std::string> joined(10);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      EXPECT_LE(display_width(rows[i]), std::max(width, 12)) << rows[i];
      joined[i % 10] += cells_of(rows[i]);
      if (i % 10 == 0) cells += as_size(display_width(cells_of(rows[i])));
    }
    ASSERT_EQ(cells, 201u);
    for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(joined[i].find("█"), peaks[i]);
  }
}

TEST(Terminal, EachStepOfAWideSourceHasItsOwnScale) {
  Output output = example(std::string(199, 'a'), "abcdefghi");
  for (OutputStep& step : output.steps) step.looks[0].weights.assign(200, 0.0005f);
  output.steps[4].looks[0].weights[150] = 0.02f;
  output.steps[6].looks[0].weights.assign(200, 0.0001f);
  const std::string drawing = draw_terminal(output, {TerminalColour::none, 80, {}, false});
  EXPECT_NE(drawing.find("0.75 to 1 of each step's greatest weight"), drawing.npos);
  std::vector<std::string> joined(10);
  const auto rows = rows_of(drawing);
  for (std::size_t i = 0; i < rows.size(); ++i) joined[i % 10] += cells_of(rows[i]);
  EXPECT_EQ(joined[4], std::string(150, ' ') + "█" + std::string(49, ' '));
  EXPECT_TRUE(joined[5].starts_with("████")) << "all alike";
  EXPECT_EQ(joined[6], std::string(200, ' ')) << "two hundredths in all: as good as nothing";
}

TEST(Terminal, FewStepsOfAWideSourceAreShadedText) {
  Output output = example(std::string(99, 'a') + "b", "x", {50});
  for (OutputStep& step : output.steps) {
    for (float& weight : step.looks[0].weights) weight = weight > 0.5f ? 0.02f : 0.001f;
  }
  const std::string plain = draw_terminal(output, {TerminalColour::none, 40, {}, false});
  EXPECT_TRUE(rows_of(plain).empty());
  EXPECT_NE(plain.find("x  50.0%, most: 0.020"), plain.npos) << plain;
  EXPECT_NE(plain.find("█"), plain.npos) << "relative to the greatest";
  std::size_t letters = 0;
  for (const std::string& line : lines_of(plain)) {
    if (line.starts_with("  a") || line.starts_with("  b")) {
      EXPECT_LE(display_width(line), 40);
      letters += as_size(std::ranges::count(line, 'a') + std::ranges::count(line, 'b'));
    }
  }
  EXPECT_EQ(letters, 200u) << "two steps";
  EXPECT_NE(draw_terminal(output, {TerminalColour::full, 40, {}, false}).find("\x1b[48;2;"), std::string::npos);
}

// "ab cd": two sentences, of which the second was read most.
Output document() {
  Output output = example("abcd", "x", {2});
  output.source[0].sentence = output.source[1].sentence = 0;
  output.source[2].sentence = output.source[3].sentence = 1;
  return output;
}

TEST(Terminal, DocumentsAreShadedTextWithTheSharesOfSentences) {
  const std::string plain = draw_terminal(document(), {TerminalColour::none, 80, {}, false});
  EXPECT_TRUE(rows_of(plain).empty());
  for (const char* line :
       {"\n    5.0%  ab\n", "\n   92.5%  cd\n", "\n    2.5%  ⏎\n", "\n  ██████  █ \n", "word and to the sentence"}) {
    EXPECT_NE(plain.find(line), plain.npos) << line << plain;
  }
  const std::string colours = draw_terminal(document(), {TerminalColour::full, 80, {}, false});
  EXPECT_NE(colours.find("m 92.5%\x1b[0m"), colours.npos) << colours;
}

TEST(Terminal, ALineStandsBetweenSources) {
  Output output = example("abcd", "x", {1});
  output.source[2].source = output.source[3].source = output.source[4].source = 1;
  const auto rows = rows_of(draw_terminal(output));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0], "x  50.0% │  ██│      │");
}

TEST(Terminal, SixtyBySixtyFitsAnOrdinaryTerminal) {
  const auto rows = rows_of(draw_terminal(example(std::string(59, 'a'), std::string(59, 'b'))));
  ASSERT_EQ(rows.size(), 60u);
  for (const std::string& row : rows) {
    EXPECT_EQ(display_width(cells_of(row)), 60);
    EXPECT_LE(display_width(row), 80);
  }
}

TEST(Terminal, WritesNumbersOnColours) {
  TerminalOptions options;
  options.colour = TerminalColour::full;
  const std::string drawing = draw_terminal(example("abc", "x", {2, 3}), options);
  EXPECT_NE(drawing.find("\x1b[48;2;189;222;46;38;2;0;0;0m90"), drawing.npos) << drawing;
  EXPECT_EQ(rows_of(drawing)[0], "x  50.0% │    90  │");
  EXPECT_NE(drawing.find("\x1b[0m│"), drawing.npos);
  options.colour = TerminalColour::palette;
  EXPECT_NE(draw_terminal(example("abc", "x", {2, 3}), options).find("\x1b[48;5;"), drawing.npos);
  EXPECT_EQ(draw_terminal(example("abc", "x")).find('\x1b'), drawing.npos);
}

TEST(Terminal, WordsGetColumnsOfTheirOwnWidth) {
  Output output = example("ab", "x", {1, 2});
  output.source[0].text = "attention";
  output.source[1].text = "incomprehensibilities";
  const std::string drawing = draw_terminal(output);
  EXPECT_NE(drawing.find("attention incomprehen… ⏎ "), drawing.npos) << drawing;
  EXPECT_EQ(cells_of(rows_of(drawing)[0]), "░░░░░░░░░░█████████████░░");
}

// What chose is not only what was read.
TEST(Terminal, SaysWhatAMapIs) {
  Output output = example("abc", "b");
  const auto says = [&](std::optional<std::size_t> map, const char* line) {
    return draw_terminal(output, {TerminalColour::none, 80, map, false}).find(line) != std::string::npos;
  };
  EXPECT_TRUE(says({}, standing_line));
  output.maps.insert(output.maps.begin(), MapName());
  output.maps.front().pointing = true;
  for (OutputStep& step : output.steps) step.looks.push_back(step.looks[0]);
  EXPECT_TRUE(says(0, pointing_line));
  EXPECT_TRUE(says(1, standing_line));
}

TEST(Terminal, ShowsOneMapOrAll) {
  const Output output = example("ab", "x", {0}, 3);
  EXPECT_EQ(rows_of(draw_terminal(output)).size(), 6u);
  const std::string one = draw_terminal(output, {TerminalColour::none, 80, 1, false});
  EXPECT_EQ(rows_of(one).size(), 2u);
  EXPECT_NE(one.find("layer 0, head 1\n"), one.npos);
  EXPECT_EQ(one.find("head 0"), one.npos);
  EXPECT_THROW(draw_terminal(output, {TerminalColour::none, 80, 3, false}), Error);
}

TEST(Terminal, CompactNamesThePlaces) {
  const std::string drawing = draw_terminal(example("a c", "x", {1, 3}), {TerminalColour::none, 80, {}, true});
  EXPECT_NE(drawing.find("x  50.0% ←  ␣ @1 90%\n⏎  75.0% ←  ⏎ @3 90%\n"), drawing.npos) << drawing;
}

TEST(Terminal, ModelsWithoutMapsAndEmptySources) {
  Output output = example("ab", "x", {0}, 0);
  EXPECT_NE(draw_terminal(output).find("no attention"), std::string::npos);
  output.maps.resize(1);
  output.source.clear();
  output.source_text.clear();
  EXPECT_NE(draw_terminal(output).find("source is empty"), std::string::npos);
  EXPECT_FALSE(draw_terminal(Output{}).empty());
}

TEST(Terminal, SaysWhatIsLeftOut) {
  Output output = example("abc", "xy");
  output.left_out = {15, 0, 0};
  EXPECT_NE(draw_terminal(output, {}).find("\nShown are the first 1 of 16 maps.\n"), std::string::npos);
}

TEST(Terminal, HostileTextCannotSteer) {
  for (const std::string& text : hostile_texts()) {
    Output output = example("a", "b");
    output.source_text = output.text = output.steps[0].token = output.source[0].text = output.maps[0].source = text;
    for (bool compact : {false, true}) {
      const std::string drawing = draw_terminal(output, {TerminalColour::none, 80, {}, compact});
      EXPECT_FALSE(find_invalid_utf8(drawing));
      for (std::string_view part : characters(drawing)) {
        const char32_t c = decode_utf8(part);
        EXPECT_TRUE(c == '\n' || (c >= 0x20 && !(c >= 0x7f && c < 0xa0) && !(c >= 0x202a && c <= 0x202e))) << text;
      }
    }
  }
}

}  // namespace
}  // namespace fovea::terminal_test
