#include "cli/arguments.h"

#include <algorithm>
#include <fmt/core.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/nearest.h"
#include "cli/commands.h"
#include "data/makers/maker.h"
#include "runs/presets.h"

namespace fovea::arguments {

Value one_of(const std::vector<std::string>& names) { return {fmt::format("{}", fmt::join(names, "|"))}; }

// Unlike CLI::Range it refuses what is no number, such as nan.
CLI::Validator range(double low, double high) {
  const std::string wanted = fmt::format("{:.10g}..{:.10g}", low, high);
  return {[=](const std::string& text) {
            double value = 0;
            const bool good = CLI::detail::lexical_cast(text, value) && low <= value && value <= high;
            return good ? std::string() : fmt::format("{} is not in {}", text, wanted);
          },
          wanted};
}

void add_fields(CLI::App* command, FieldsRef options, const std::vector<std::string>& left_out) {
  for (const Field& field : options.visit().fields()) {
    if (std::ranges::find(left_out, field.name) != left_out.end()) continue;
    std::string flag = "--" + field.name;
    std::ranges::replace(flag, '_', '-');
    const auto add_value = [&](auto* value) {
      using T = std::remove_pointer_t<decltype(value)>;
      if constexpr (std::is_same_v<T, bool>) {
        command->add_flag(flag, *value, field.help);
      } else if constexpr (std::is_arithmetic_v<T>) {
        add(command, flag.c_str(), *value, number(field.rule.low, field.rule.high), field.help);
      } else if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, std::vector<std::string>>) {
        const Value text = field.rule.file ? file : field.rule.names.empty() ? Value{"TEXT"} : one_of(field.rule.names);
        add(command, flag.c_str(), *value, text, field.help);
      } else {
        throw usage_error("{}: no flag has a value of this type", field.name);
      }
    };
    std::visit(add_value, field.value);
  }
}

void check_command(const CLI::App& app, int count, const char* const* words) {
  if (count < 2 || words[1][0] == '-') return;
  std::vector<std::string> known;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    known.push_back(command->get_name());
  }
  if (std::ranges::find(known, words[1]) != known.end()) return;
  throw unknown_name("command", words[1], known, "see fovea --help");
}

namespace {

// What somebody might look for under another name.
std::string_view flag_meant(std::string_view command, std::string_view word) {
  return command == "evaluate" && word == "--test" ? "--against" : "";
}

}  // namespace

void check_flags(const CLI::App& app) {
  const CLI::App& command = app.get_subcommands().empty() ? app : *app.get_subcommands().front();
  std::vector<std::string> known;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  for (const std::string& word : app.remaining(true)) {
    if (!word.starts_with("--") || word == "--") continue;
    const std::string line = &command == &app ? "fovea" : "fovea " + command.get_name();
    const std::string name = word.substr(0, word.find('='));
    const std::string_view meant = flag_meant(command.get_name(), name);
    throw unknown_name("flag", name, known,
                       meant.empty() ? "see " + line + " --help" : fmt::format("did you mean {}?", meant));
  }
}

namespace {

void offer_values(Argument& argument) {
  if (argument.value == file.name || argument.value == model.name) {
    argument.offer = Offer::files;
  } else if (argument.value == folder.name) {
    argument.offer = Offer::folders;
  } else if (argument.value == setting.name || argument.value == settings.name) {
    argument.offer = Offer::settings;
  } else {
    if (argument.value == maker.name) argument.choices = makers().names();
    if (argument.value == preset.name) argument.choices = names_of(presets());
    if (argument.value == list_name.name) argument.choices = ListCommand::names();
    if (argument.value.find('|') != std::string::npos) argument.choices = CLI::detail::split(argument.value, '|');
    if (!argument.choices.empty()) argument.offer = Offer::choices;
  }
}

}  // namespace

CommandHelp help_of(const CLI::App& command) {
  CommandHelp help{command.get_name(), command.get_description(), command.get_footer(), {}};
  for (const CLI::Option* option : command.get_options()) {
    Argument argument;
    for (const std::string& name : option->get_snames()) argument.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) argument.names.push_back("--" + name);
    argument.is_flag = !argument.names.empty();
    if (!argument.is_flag) argument.names.push_back(option->get_single_name());
    if (option->get_type_size() > 0) {
      const std::string type = option->get_type_name();  // VALUE:what the validator allows
      const std::size_t colon = type.find(':');
      argument.value = type.substr(0, colon);
      if (colon != std::string::npos) argument.allowed = type.substr(colon + 1);
    }
    argument.initial = option->get_default_str();
    argument.help = option->get_description();
    argument.required = option->get_required();
    argument.again = option->get_items_expected_max() > 1;
    offer_values(argument);
    help.arguments.push_back(std::move(argument));
  }
  return help;
}

}  // namespace fovea::arguments
