// The manual page: all that can be given is in it, and what formats such pages has nothing to complain of.
#include <gtest/gtest.h>
#include <unistd.h>

#include "cli/command_line.h"
#include "support/process.h"
#include "support/temporary_folder.h"

namespace fovea::manual_test {
namespace {

std::string manual() { return run(fovea({"manual"})).out; }

TEST(Manual, NamesEveryFlagOfEveryCommand) {
  const std::string page = manual();
  const ProgramHelp help = program_help();
  ASSERT_GE(help.commands.size(), 11u);
  for (std::size_t i = 0; i < help.commands.size(); ++i) {
    const CommandHelp& command = help.commands[i];
    const std::size_t start = page.find(".SS \\fBfovea " + command.name + "\\fR");
    ASSERT_NE(start, std::string::npos) << command.name;
    const std::string section = page.substr(start, page.find("\n.S", start + 1) - start);
    EXPECT_TRUE(says(section, "Example"));
    for (const Argument& argument : command.arguments) {
      for (const std::string& name : argument.names) {
        std::string shown;
        for (const char c : name) shown += c == '-' ? "\\-" : std::string(1, c);
        EXPECT_TRUE(says(section, (argument.is_flag ? "\\fB" : "\\fI") + shown + "\\fR")) << command.name;
      }
    }
  }
  for (const SettingHelp& setting : help.settings) EXPECT_TRUE(says(page, "\\fB" + setting.name + "\\fR="));
}

TEST(Manual, IsSound) {
  TemporaryFolder folder;
  const std::string page = folder.write("fovea.1", manual());
  int tried = 0;
  const std::vector<std::vector<std::string>> readers = {{"/usr/bin/groff", "-man", "-ww", "-Tutf8", "-z", page},
                                                         {"/usr/bin/mandoc", "-T", "lint", "-W", "error", page},
                                                         {"/usr/bin/man", "--warnings=w", "-l", page}};
  for (const auto& words : readers) {
    if (access(words[0].c_str(), X_OK) != 0) continue;
    ++tried;
    const Outcome outcome = run({.words = words, .environment = {"MANPAGER=cat", "LC_ALL=C.UTF-8"}});
    EXPECT_EQ(outcome.code, 0) << words[0];
    EXPECT_EQ(outcome.err, "") << words[0];
    if (words[0].ends_with("mandoc")) {
      EXPECT_EQ(outcome.out, "");
    }
    if (words[0].ends_with("/man")) {
      EXPECT_TRUE(says(outcome.out, "echo '3rd of May 1999' | fovea predict"));
    }
  }
  if (tried == 0) GTEST_SKIP() << "neither groff nor mandoc nor man is installed";
}

}  // namespace
}  // namespace fovea::manual_test
