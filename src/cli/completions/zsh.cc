#include <fmt/core.h>
#include <fmt/ranges.h>

#include "base/shell_word.h"
#include "cli/completions/writers.h"

namespace fovea {

namespace {

// _arguments cuts at brackets and colons.
std::string zsh_escaped(const std::string& text) {
  std::string out;
  for (const char c : text) out += std::string(c == '[' || c == ']' || c == ':' || c == '\\' ? "\\" : "") + c;
  return out;
}

std::string zsh_offer(const Argument& argument) {
  switch (argument.offer) {
    case Offer::nothing:
      return " ";
    case Offer::choices:
      return fmt::format("({})", fmt::join(argument.choices, " "));
    case Offer::files:
      return "_files";
    case Offer::folders:
      return "_files -/";
    case Offer::settings:
      return "_fovea_settings";
  }
  return {};
}

// What _arguments is told of it, one word for each of its names.
std::string zsh_words(const Argument& argument) {
  const std::string what = zsh_escaped(argument.names.back());
  if (!argument.is_flag) {
    return " \\\n      " + in_quotes(fmt::format("{}:{}:{}", argument.again ? "*" : "", what, zsh_offer(argument)));
  }
  std::string out;
  for (const std::string& name : argument.names) {
    std::string words = argument.again ? "*" : fmt::format("({})", fmt::join(argument.names, " "));
    words += name;
    if (!argument.value.empty() && name.starts_with("--")) words += "=";  // --flag=value as well
    words += fmt::format("[{}]", zsh_escaped(argument.help));
    if (!argument.value.empty()) words += fmt::format(":{}:{}", zsh_escaped(argument.value), zsh_offer(argument));
    out += " \\\n      " + in_quotes(words);
  }
  return out;
}

constexpr const char* zsh_code = R"zsh(
_fovea() {
  local curcontext=$curcontext state line
  _arguments -C$PROGRAM \
      '1:command:_fovea_commands' '*::argument:->arguments' && return
  [[ $state == arguments ]] || return
  case $words[1] in
$COMMANDS  esac
}

_fovea "$@"
)zsh";

std::string replaced(std::string text, const std::string& word, const std::string& by) {
  return text.replace(text.find(word), word.size(), by);
}

}  // namespace

std::string zsh_completions(const ProgramHelp& help) {
  std::string names, values, described, program, commands;
  for (const SettingHelp& setting : help.settings) {
    names += " " + setting.name;
    if (setting.choices.empty()) continue;
    values += fmt::format("      {}) compadd -- {} ;;\n", setting.name, fmt::join(setting.choices, " "));
  }
  for (const Argument& argument : help.program.arguments) program += zsh_words(argument);
  for (const CommandHelp& command : help.commands) {
    described += fmt::format("    {}\n", in_quotes(command.name + ":" + zsh_escaped(command.help)));
    commands += fmt::format("    {})\n      _arguments", command.name);
    for (const Argument& argument : command.arguments) commands += zsh_words(argument);
    commands += "\n      ;;\n";
  }
  return "#compdef fovea\n# zsh completion for fovea, written by: fovea completions zsh\n\n"
         "_fovea_commands() {\n  local -a commands=(\n" +
         described +
         "  )\n  _describe command commands\n}\n\n"
         "_fovea_settings() {\n  if compset -P '*='; then\n    local name=${${IPREFIX%=}##*=}\n    compset -P '*,'\n"
         "    case $name in\n" +
         values + "    esac\n  else\n    compadd -S = --" + names + "\n  fi\n}\n" +
         replaced(replaced(zsh_code, "$PROGRAM", program), "$COMMANDS", commands);
}

}  // namespace fovea
