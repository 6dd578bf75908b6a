#include <fmt/core.h>
#include <fmt/ranges.h>

#include "cli/completions/writers.h"

namespace fovea {

namespace {

// In single quotes of fish only they and the backslash are special.
std::string fish_quotes(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' || c == '\\' ? fmt::format("\\{}", c) : std::string(1, c);
  return out + "'";
}

// The options that say what may be offered.
std::string fish_offer(const Argument& argument) {
  switch (argument.offer) {
    case Offer::nothing:
      return " -x";
    case Offer::choices:
      return fmt::format(" -x -a {}", fish_quotes(fmt::format("{}", fmt::join(argument.choices, " "))));
    case Offer::files:
      return " -r -F";
    case Offer::folders:
      return " -x -a '(__fish_complete_directories)'";
    case Offer::settings:
      return " -x -a '(__fovea_settings)'";
  }
  return {};
}

std::string fish_line(const std::string& condition, const Argument& argument) {
  std::string out = fmt::format("complete -c fovea -n {}", fish_quotes(condition));
  if (!argument.is_flag) {
    if (argument.offer == Offer::nothing) return {};
    return out + (argument.offer == Offer::files ? " -F" : fish_offer(argument)) + "\n";
  }
  for (const std::string& name : argument.names) {
    out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  if (!argument.value.empty()) out += fish_offer(argument);
  return out + " -d " + fish_quotes(argument.help) + "\n";
}

}  // namespace

std::string fish_completions(const ProgramHelp& help) {
  std::string out =
      "# fish completion for fovea, written by: fovea completions fish\n"
      "function __fovea_settings\n";
  for (const SettingHelp& setting : help.settings) {
    out += fmt::format("  printf '%s\\t%s\\n' {}= {}\n", setting.name, fish_quotes(setting.help));
    for (const std::string& choice : setting.choices) out += fmt::format("  echo {}={}\n", setting.name, choice);
  }
  out += "end\n\ncomplete -c fovea -f\n";
  for (const Argument& argument : help.program.arguments) out += fish_line("__fish_use_subcommand", argument);
  for (const CommandHelp& command : help.commands) {
    out += fmt::format("complete -c fovea -n '__fish_use_subcommand' -a {} -d {}\n", command.name,
                       fish_quotes(command.help));
  }
  for (const CommandHelp& command : help.commands) {
    out += "\n";
    for (const Argument& argument : command.arguments) {
      out += fish_line("__fish_seen_subcommand_from " + command.name, argument);
    }
  }
  return out;
}

}  // namespace fovea
