// The manual page, for man, in the macros of man(7).
#include <fmt/core.h>
#include <fmt/ranges.h>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/out.h"

namespace fovea {

namespace {

// Text as troff prints it: signs that it would take for its own, or draw in another form, are named. A line that
// begins with a full stop or a quote would be a request.
std::string troff(const std::string& text) {
  std::string out;
  bool at_start = true;
  for (const char c : text) {
    if (at_start && (c == '.' || c == '\'')) out += "\\&";
    at_start = c == '\n';
    switch (c) {
      case '\\':
        out += "\\e";
        break;
      case '-':
        out += "\\-";
        break;
      case '\'':
        out += "\\(aq";
        break;
      case '^':
        out += "\\(ha";
        break;
      case '~':
        out += "\\(ti";
        break;
      case '`':
        out += "\\(ga";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string bold(const std::string& text) { return "\\fB" + troff(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + troff(text) + "\\fR"; }

// Indented lines are examples; the others are prose.
std::string paragraphs(const std::string& text) {
  std::string out;
  bool example = false;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string line = text.substr(start, end - start);
    start = end + 1;
    const bool indented = line.starts_with("  ");
    if (line.empty()) continue;
    if (example && !indented) out += ".EE\n.RE\n";
    if (!example && indented) out += ".PP\n.RS 4\n.EX\n";
    if (!indented) out += ".PP\n";
    example = indented;
    out += troff(indented ? line.substr(2) : line) + "\n";
  }
  if (example) out += ".EE\n.RE\n";
  return out;
}

std::string entry(const Argument& argument) {
  std::string out = ".TP\n";
  for (std::size_t i = 0; i < argument.names.size(); ++i) {
    if (i > 0) out += ", ";
    out += argument.is_flag ? bold(argument.names[i]) : italic(argument.names[i]);
  }
  if (argument.is_flag && !argument.value.empty()) out += " " + italic(argument.value);
  std::vector<std::string> facts;
  if (argument.required) facts.emplace_back("required");
  if (!argument.allowed.empty()) facts.push_back(argument.allowed);
  if (!argument.initial.empty()) facts.push_back("default: " + argument.initial);
  out += "\n" + troff(argument.help);
  if (!facts.empty()) out += troff(fmt::format(" ({})", fmt::join(facts, "; ")));
  return out + "\n";
}

std::string synopsis(const CommandHelp& command) {
  std::string out = bold("fovea " + command.name) + " [" + italic("flags") + "]";
  for (const Argument& argument : command.arguments) {
    if (argument.is_flag && !argument.required) continue;
    const std::string word =
        argument.is_flag ? bold(argument.names.front()) + " " + italic(argument.value) : italic(argument.names.front());
    out += argument.required ? " " + word : " [" + word + "]";
  }
  return out;
}

std::string setting_entry(const SettingHelp& setting) {
  std::string out = ".TP\n" + bold(setting.name) + "=" + italic(setting.initial) + "\n" + troff(setting.help);
  if (!setting.choices.empty()) out += troff(fmt::format(" ({})", fmt::join(setting.choices, " | ")));
  return out + "\n";
}

std::string manual(const ProgramHelp& help) {
  const std::string& about = help.program.help;
  const std::size_t first_line = about.find('\n');
  std::string out = ".\\\" Written by: fovea manual\n.TH FOVEA 1 \"\" \"fovea " FOVEA_VERSION "\" \"User Commands\"\n";
  out += ".SH NAME\nfovea \\- sequence models with attention, trained, run and looked into\n.SH SYNOPSIS\n.nf\n";
  for (const CommandHelp& command : help.commands) out += synopsis(command) + "\n";
  out += ".fi\n.SH DESCRIPTION\n" + troff(about.substr(0, first_line)) + "\n" + paragraphs(about.substr(first_line));
  out += paragraphs(help.program.footer) + ".SH OPTIONS\n";
  for (const Argument& argument : help.program.arguments) out += entry(argument);
  out += ".SH COMMANDS\n";
  for (const CommandHelp& command : help.commands) {
    out += ".SS " + synopsis(command) + "\n" + troff(command.help) + ".\n";
    for (const Argument& argument : command.arguments) out += entry(argument);
    out += paragraphs(command.footer);
  }
  out += ".SH SETTINGS\nFor " + bold("--set") + ", " + bold("--vary") + " and TOML files, each with its default.\n";
  for (const SettingHelp& setting : help.settings) out += setting_entry(setting);
  return out;
}

}  // namespace

int ManualCommand::run() const {
  write_out(manual(program_help()));
  flush_out();
  return 0;
}

}  // namespace fovea
