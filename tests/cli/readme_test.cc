// The commands that README.md and pages of docs/ show are run as they show them, so that they stay true.
#include <gtest/gtest.h>
#include <unistd.h>

#include <sstream>

#include "support/process.h"
#include "support/temporary_folder.h"

namespace fovea::readme_test {
namespace {

// The lines behind "$ " in fenced blocks of sh or console, with those that a backslash continues.
std::vector<std::string> commands_of(const std::string& markdown) {
  std::vector<std::string> commands;
  std::istringstream lines(markdown);
  bool inside = false, continued = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) {
      inside = !inside && (line == "```sh" || line == "```console");
      continue;
    }
    if (!inside) continue;
    if (continued) {
      commands.back() += line;
    } else if (line.starts_with("$ ")) {
      commands.push_back(line.substr(2));
    } else {
      continue;  // what the command prints
    }
    continued = commands.back().ends_with('\\');
    if (continued) commands.back().pop_back();
  }
  return commands;
}

bool uses_fovea(const std::string& command) {
  std::istringstream words(command);
  for (std::string word; words >> word;) {
    if (word == "fovea" || word == "build/fovea" || word == "./build/fovea") return true;
  }
  return false;
}

// Quick: training is cut short.
std::string as_run(std::string command) {
  constexpr std::string_view train = "fovea train ";
  const std::size_t place = command.find(train);
  if (place == command.npos || command.find("--stop-after") != command.npos) return command;
  return command.insert(place + train.size(), "--stop-after 30u ");
}

TEST(Readme, FindsCommands) {
  const char* page =
      "$ no\n```sh\n$ fovea a \\\n  b\nout\n$ ls\n```\n$ no\n```console\n$ ./check\n```\n```toml\n$ no\n```\n";
  EXPECT_EQ(commands_of(page), (std::vector<std::string>{"fovea a   b", "ls", "./check"}));
  EXPECT_TRUE(uses_fovea("echo x | build/fovea predict m"));
  EXPECT_FALSE(uses_fovea("git clone https://example.org/fovea"));
  EXPECT_EQ(as_run("fovea train a -o b"), "fovea train --stop-after 30u a -o b");
}

class ShownCommands : public testing::TestWithParam<const char*> {};

TEST_P(ShownCommands, SlowTheyWork) {
  const std::filesystem::path source = FOVEA_SOURCE_DIR;
  ASSERT_TRUE(std::filesystem::exists(source / GetParam()));
  TemporaryFolder folder;
  std::filesystem::create_directories(folder / "build");  // where the page has the program
  std::filesystem::create_directories(folder / "runs");
  std::filesystem::create_symlink(FOVEA_BINARY, folder / "build/fovea");
  int used = 0;
  for (const std::string& command : commands_of(read_bytes(source / GetParam()))) {
    if (command.starts_with("./")) {
      const std::filesystem::path script = source / command.substr(0, command.find(' '));
      EXPECT_EQ(access(script.c_str(), X_OK), 0) << command;
    }
    if (!uses_fovea(command) && !command.starts_with("printf ")) continue;
    ++used;
    const char* path = getenv("PATH");
    const Outcome outcome = run({.words = {"/bin/sh", "-c", as_run(command)},
                                 .environment = {"PATH=" + (folder / "build").string() + ":" + (path ? path : "")},
                                 .folder = folder.path()});
    // Of a model that was hardly trained no quality is asked.
    const bool gate = outcome.code == 5 && command.find("--min") != command.npos;
    EXPECT_TRUE(outcome.code == 0 || gate) << "$ " << command << "\nended with " << outcome.code << ": " << outcome.err;
  }
  EXPECT_GT(used, 0) << "it shows no command of the program";
}

INSTANTIATE_TEST_SUITE_P(Pages, ShownCommands, testing::Values("README.md", "docs/data.md", "docs/search.md"),
                         [](const auto& info) { return std::filesystem::path(info.param).stem().string(); });

}  // namespace
}  // namespace fovea::readme_test
