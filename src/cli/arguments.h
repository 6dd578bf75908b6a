// How an argument of a command is declared with CLI11: what its value is called and may be, and how it is described.
#pragma once

#include <CLI/CLI.hpp>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "base/options.h"
#include "cli/command_line.h"

namespace fovea::arguments {

// What a value is called in help, which also decides what is offered for it (see offer_values), and what it may be.
struct Value {
  std::string name;
  double low = -infinity;
  double high = infinity;

  static constexpr double infinity = std::numeric_limits<double>::infinity();
};
inline const Value file{"FILE"}, folder{"FOLDER"}, model{"MODEL"}, period{"PERIOD"}, maker{"MAKER"}, preset{"PRESET"};
inline const Value list_name{"LIST"}, setting{"SETTING=VALUE"}, settings{"SETTING=VALUE,..."};

inline Value number(double low = -Value::infinity, double high = Value::infinity) { return {"N", low, high}; }
Value one_of(const std::vector<std::string>& names);  // a|b

template <class Entries>
std::vector<std::string> names_of(const Entries& entries) {
  std::vector<std::string> names;
  for (const auto& entry : entries) names.emplace_back(entry.name);
  return names;
}

CLI::Validator range(double low, double high);

// A flag, or a word known by its place. The initial value is shown in help unless it only stands for "not given": an
// empty text, a number out of range.
template <class T>
CLI::Option* add(CLI::App* command, const char* names, T& target, const Value& value, const std::string& help) {
  CLI::Option* option = command->add_option(names, target, help)->type_name(value.name);
  if constexpr (std::is_arithmetic_v<T>) {
    if (value.high < Value::infinity) option->check(range(value.low, value.high));
    if (value.low <= target && target <= value.high) option->capture_default_str();
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (!target.empty()) option->capture_default_str();
  } else {
    option->allow_extra_args(false);  // a list: one of it each time the flag is given
  }
  return option;
}

// The flags of options that are declared by their fields, but for some: --length-power for length_power.
void add_fields(CLI::App* command, FieldsRef options, const std::vector<std::string>& left_out);

// usage_errors with the nearest name, where CLI11 would only say that a command is missing, or that a word was not
// expected.
void check_command(const CLI::App& app, int count, const char* const* words);
void check_flags(const CLI::App& app);

CommandHelp help_of(const CLI::App& command);

}  // namespace fovea::arguments
