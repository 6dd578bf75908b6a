// The words of the command line. Every command and flag is declared once, in command_line.cc (arguments.h has how);
// words are read by that declaration, and help, manual and completions are written from it.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace fovea {

// What a shell can offer for a value.
enum class Offer { nothing, choices, files, folders, settings };

// A flag, or a word known by its place.
struct Argument {
  std::vector<std::string> names;  // -o, --output; of a word known by its place the one name it has in help
  bool is_flag = false;
  std::string value;    // what has to be given: FILE, N, fail|skip; empty: nothing
  std::string allowed;  // 1..256; empty: see value and choices
  std::string initial;  // the value if nothing is given; empty: none
  std::string help;
  Offer offer = Offer::nothing;
  std::vector<std::string> choices;
  bool required = false;
  bool again = false;  // may be given again
};

struct CommandHelp {
  std::string name;
  std::string help;
  std::string footer;  // examples
  std::vector<Argument> arguments;
};

// What --set, --vary and TOML files may name.
struct SettingHelp {
  std::string name;  // encoder.size
  std::string initial;
  std::string help;
  std::vector<std::string> choices;  // if empty, see help
};

struct ProgramHelp {
  CommandHelp program;  // what holds without a command
  std::vector<CommandHelp> commands;
  std::vector<SettingHelp> settings;
};

ProgramHelp program_help();

// What the words ask for, ready to run; nothing has run yet. Throws usage_errors.
std::function<int()> read_command_line(int count, const char* const* words);

}  // namespace fovea
