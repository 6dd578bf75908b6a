#include "cli/terminal.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/error.h"

namespace fovea::cli_terminal_test {
namespace {

TEST(TerminalFacts, ProgressModes) {
  EXPECT_EQ(parse_progress("auto", {.is_terminal = true, .redraws = true}), ProgressMode::live);
  EXPECT_EQ(parse_progress("auto", {.is_terminal = true, .redraws = false}), ProgressMode::plain);
  EXPECT_EQ(parse_progress("live", {}), ProgressMode::live);
  EXPECT_EQ(parse_progress("plain", {.is_terminal = true, .redraws = true}), ProgressMode::plain);
  EXPECT_EQ(parse_progress("none", {}), ProgressMode::none);
  try {
    parse_progress("fancy", {});
    FAIL() << "accepted";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::usage);
    EXPECT_NE(std::string(e.what()).find("auto, live, plain and none"), std::string::npos);
  }
}

Terminal terminal_with(std::map<std::string, std::string> variables, bool is_terminal = true, int width = 100) {
  return make_terminal(is_terminal, width, [&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(TerminalFacts, Colour) {
  using enum TerminalColour;
  EXPECT_EQ(terminal_with({{"TERM", "xterm"}}).colour, palette);
  EXPECT_EQ(terminal_with({{"TERM", "xterm"}, {"COLORTERM", "truecolor"}}).colour, full);
  EXPECT_EQ(terminal_with({{"TERM", "xterm"}, {"COLORTERM", "24bit"}}).colour, full);
  EXPECT_EQ(terminal_with({{"TERM", "xterm"}, {"NO_COLOR", ""}}).colour, palette);
  EXPECT_EQ(terminal_with({{"TERM", "xterm"}, {"NO_COLOR", "1"}, {"COLORTERM", "truecolor"}}).colour, none);
  EXPECT_EQ(terminal_with({{"TERM", "dumb"}, {"COLORTERM", "truecolor"}}).colour, none);
  EXPECT_EQ(terminal_with({}).colour, none);
  EXPECT_EQ(terminal_with({{"TERM", "xterm"}, {"COLORTERM", "truecolor"}}, false).colour, none);
}

TEST(TerminalFacts, Redraws) {
  EXPECT_TRUE(terminal_with({{"TERM", "xterm"}, {"NO_COLOR", "1"}}).redraws);
  EXPECT_FALSE(terminal_with({{"TERM", "dumb"}}).redraws);
  EXPECT_FALSE(terminal_with({}).redraws);
  EXPECT_FALSE(terminal_with({{"TERM", "xterm"}}, false).redraws);
}

TEST(TerminalFacts, Width) {
  EXPECT_EQ(terminal_with({{"COLUMNS", "50"}}).width, 100);
  EXPECT_EQ(terminal_with({{"COLUMNS", "50"}}, true, 0).width, 50);
  for (const char* bad : {"", "x", "50x", "-5", "0", "99999999999", "100000"}) {
    EXPECT_EQ(terminal_with({{"COLUMNS", bad}}, true, 0).width, 80) << bad;
  }
}

TEST(TerminalFacts, AFileIsNone) {
  std::FILE* file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  const Terminal terminal = terminal_of(file);
  std::fclose(file);
  EXPECT_FALSE(terminal.is_terminal);
  EXPECT_FALSE(terminal.redraws);
  EXPECT_EQ(terminal.colour, TerminalColour::none);
}

}  // namespace
}  // namespace fovea::cli_terminal_test
