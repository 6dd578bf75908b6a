#include "base/options.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <type_traits>

#include "base/error.h"
#include "base/nearest.h"
#include "base/settings.h"
#include "base/utf8.h"

namespace fovea {
namespace {

using Texts = std::vector<std::string>;
using Value = std::variant<bool, int, std::int64_t, double, std::string, Texts, Period, BatchSize>;

// A longer value does not push the comments of all others to the right.
constexpr std::size_t max_aligned = 32;

// As TOML and JSON write it; they differ only in the space that lists have.
std::string field_literal(const Field& field, std::string_view separator) {
  return std::visit(Overloaded{[](const bool* value) { return std::string(*value ? "true" : "false"); },
                               [](const int* value) { return fmt::format("{}", *value); },
                               [](const std::int64_t* value) { return fmt::format("{}", *value); },
                               [](const double* value) { return literal(*value); },
                               [](const std::string* value) { return literal(*value); },
                               [&](const Texts* value) { return literal(*value, separator); },
                               [](const auto* amount) { return literal(to_string(*amount)); }},
                    field.value);
}

// ---- what a field wants ---------------------------------------------------------------------------------------------

std::string range_text(const Rule& rule) {
  if (std::isfinite(rule.low) && std::isfinite(rule.high)) return fmt::format("from {} to {}", rule.low, rule.high);
  if (std::isfinite(rule.low)) return fmt::format("at least {}", rule.low);
  if (std::isfinite(rule.high)) return fmt::format("at most {}", rule.high);
  return "";
}

std::string wants(const Field& field) {
  const Rule& rule = field.rule;
  const std::string range = range_text(rule).empty() ? "" : ' ' + range_text(rule);
  const std::string choice = fmt::format("{}", fmt::join(rule.names, ", "));
  return std::visit(
      Overloaded{[](bool*) { return std::string("true or false"); }, [&](double*) { return "a number" + range; },
                 [&](std::string*) { return choice.empty() ? "text" : "one of " + choice; },
                 [&](Texts*) {
                   return choice.empty() ? "a list of texts" : fmt::format("a list of any of {}, or []", choice);
                 },
                 [](Period*) { return std::string(period_forms); },
                 [](BatchSize*) { return std::string(batch_size_forms); },
                 [&](auto*) { return "a whole number" + range; }},
      field.value);
}

// For help: only what the default does not show by itself.
std::string allowed(const Field& field) {
  if (!field.rule.names.empty()) return fmt::format("{}", fmt::join(field.rule.names, " | "));
  if (std::holds_alternative<Period*>(field.value)) return std::string(period_forms);
  if (std::holds_alternative<BatchSize*>(field.value)) return std::string(batch_size_forms);
  return range_text(field.rule);
}

std::string help_text(const Field& field) {
  const std::string limits = allowed(field);
  return limits.empty() ? field.help : fmt::format("{} ({})", field.help, limits);
}

// ---- what was given, made to fit ------------------------------------------------------------------------------------

// One call for each type a field can have.
struct Fitting {
  const Field& field;
  const Setting& setting;
  ErrorKind kind;

  Error error(std::string_view wanted, std::string_view found) const {
    return {kind, fmt::format("{}: wants {}, got {}", setting.where, wanted, found)};
  }
  Error unfit() const { return error(wants(field), shown(setting.given)); }

  template <class T>
  const T& take() const {
    if (const T* value = std::get_if<T>(&setting.given)) return *value;
    throw unfit();
  }

  void check_range(double value) const {
    if (!(value >= field.rule.low && value <= field.rule.high)) throw unfit();
  }

  void check_text(const std::string& text) const {
    if (field.rule.any) return;
    if (text.find('\0') != std::string::npos || find_invalid_utf8(text)) {
      throw error("text that is sound UTF-8 without zero bytes", shown(text));
    }
    const Texts& names = field.rule.names;
    if (field.rule.check) return check_by_rule(text);
    if (names.empty() || std::find(names.begin(), names.end(), text) != names.end()) return;
    const std::string close = nearest(text, names);
    throw error(wants(field), shown(text) + (close.empty() ? "" : fmt::format("; did you mean {}?", close)));
  }

  void check_by_rule(const std::string& text) const {
    try {
      field.rule.check(text);
    } catch (const Error& e) {
      throw Error(kind, fmt::format("{}: {}", setting.where, e.what()));
    }
  }

  Value operator()(bool*) const { return take<bool>(); }

  Value operator()(std::int64_t*) const {
    const std::int64_t value = take<std::int64_t>();
    check_range(static_cast<double>(value));
    return value;
  }

  Value operator()(int*) const {
    const auto value = std::get<std::int64_t>((*this)(static_cast<std::int64_t*>(nullptr)));
    if (std::in_range<int>(value)) return static_cast<int>(value);
    using Limits = std::numeric_limits<int>;
    throw error(fmt::format("a whole number from {} to {}", Limits::min(), Limits::max()), shown(setting.given));
  }

  Value operator()(double*) const {
    const auto* whole = std::get_if<std::int64_t>(&setting.given);
    const double value = whole ? static_cast<double>(*whole) : take<double>();
    if (!std::isfinite(value)) throw unfit();
    check_range(value);
    return value;
  }

  Value operator()(std::string*) const {
    check_text(take<std::string>());
    return take<std::string>();
  }

  Value operator()(Texts*) const {
    const Texts& texts = take<Texts>();
    if (texts.size() > max_settings_list) {
      throw error(fmt::format("at most {} texts", max_settings_list), shown(setting.given));
    }
    for (const std::string& text : texts) check_text(text);
    return texts;
  }

  Value operator()(Period*) const { return parsed(parse_period); }

  Value operator()(BatchSize*) const {
    const auto* rows = std::get_if<std::int64_t>(&setting.given);
    if (!rows) return parsed(parse_batch_size);
    if (*rows < 1) throw unfit();
    return BatchSize{*rows, false};
  }

  template <class Parse>
  Value parsed(Parse parse) const {
    const std::string& text = take<std::string>();
    try {
      return parse(text);
    } catch (const Error&) {
      throw unfit();
    }
  }
};

template <class Number>
Given number_or_text(std::string_view text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::string(text);
  return value;
}

// a+b, a,b or, as TOML has it, ["a", "b"].
Given split(std::string_view text) {
  if (text.starts_with('[') && text.ends_with(']')) {
    try {
      const std::vector<Setting> settings = parse_toml(fmt::format("list = {}", text), "list");
      if (settings.size() == 1) return settings.front().given;
    } catch (const Error&) {  // then it is a text that begins so
    }
  }
  Texts parts;
  if (text.empty()) return parts;
  for (std::size_t end; (end = text.find_first_of(",+")) != std::string_view::npos; text.remove_prefix(end + 1)) {
    parts.emplace_back(text.substr(0, end));
  }
  parts.emplace_back(text);
  return parts;
}

// Text that does not read as what the field wants stays text, which will then not fit.
Given from_text(const Field& field, std::string_view text) {
  return std::visit(Overloaded{[&](bool*) -> Given {
                                 if (text == "true" || text == "false") return text == "true";
                                 return std::string(text);
                               },
                               [&](int*) { return number_or_text<std::int64_t>(text); },
                               [&](std::int64_t*) { return number_or_text<std::int64_t>(text); },
                               [&](double*) { return number_or_text<double>(text); },
                               [&](Texts*) { return split(text); }, [&](auto*) -> Given { return std::string(text); }},
                    field.value);
}

// ---- names ----------------------------------------------------------------------------------------------------------

std::string_view group_of(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(0, dot);
}

std::string_view last_part(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

const Field* find_field(const FieldVisitor& known, std::string_view name) {
  const auto found = std::find_if(known.fields().begin(), known.fields().end(),
                                  [&](const Field& field) { return field.name == name; });
  return found == known.fields().end() ? nullptr : &*found;
}

bool is_group(const FieldVisitor& known, std::string_view name) {
  return !name.empty() && std::any_of(known.groups().begin(), known.groups().end(),
                                      [&](const FieldGroup& group) { return group.name == name; });
}

std::vector<const Field*> fields_in(const FieldVisitor& known, std::string_view group) {
  std::vector<const Field*> result;
  for (const Field& field : known.fields()) {
    if (group_of(field.name) == group && field.used) result.push_back(&field);
  }
  return result;
}

// Those right inside `group`.
std::vector<const FieldGroup*> groups_in(const FieldVisitor& known, std::string_view group) {
  std::vector<const FieldGroup*> result;
  for (const FieldGroup& inner : known.groups()) {
    if (!inner.name.empty() && group_of(inner.name) == group && inner.used) result.push_back(&inner);
  }
  return result;
}

// The settings that `name` may have been meant for: a slip of the keys, or the right word in the wrong group.
Texts guesses(const FieldVisitor& known, std::string_view name) {
  Texts full, last;
  for (const Field& field : known.fields()) {
    full.push_back(field.name);
    last.emplace_back(last_part(field.name));
  }
  if (const std::string close = nearest(name, full); !close.empty()) return {close};
  Texts result;
  const std::string close = nearest(last_part(name), last);
  for (std::size_t i = 0; i < full.size() && !close.empty(); ++i) {
    if (last[i] == close) result.push_back(full[i]);
  }
  return result;
}

std::string unknown(const FieldVisitor& known, std::string_view name) {
  const bool group = is_group(known, name);
  Texts close = group ? Texts() : guesses(known, name);
  if (!close.empty()) {
    for (std::string& guess : close) {
      const std::string now = value_text(*find_field(known, guess));
      if (find_invalid_utf8(now)) continue;  // never given
      guess += now.empty() ? " (now empty)" : fmt::format(" (now {})", beginning(now, 80));
    }
    return fmt::format("unknown setting; did you mean {}?", fmt::join(close, " or "));
  }
  const std::string_view inside = group ? name : is_group(known, group_of(name)) ? group_of(name) : "";
  Texts here;
  for (const Field* field : fields_in(known, inside)) here.push_back(field->name);
  for (const FieldGroup* inner : groups_in(known, inside)) here.push_back(inner->name + ".*");
  const std::string_view problem = group ? "names a group of settings" : "unknown setting";
  return fmt::format("{}; there are {}", problem, fmt::join(here, ", "));
}

// ---- reading --------------------------------------------------------------------------------------------------------

void apply(const FieldVisitor& known, const std::vector<Setting>& settings, ErrorKind kind) {
  std::vector<std::pair<FieldRef, Value>> changes;
  for (const Setting& setting : settings) {
    if (const Field* field = find_field(known, setting.name)) {
      changes.emplace_back(field->value, std::visit(Fitting{*field, setting, kind}, field->value));
      continue;
    }
    if (std::holds_alternative<EmptyTable>(setting.given) && is_group(known, setting.name)) continue;
    const std::string newer = kind == ErrorKind::model ? " (the file may come from a newer version)" : "";
    throw Error(kind, fmt::format("{}: {}{}", setting.where, unknown(known, setting.name), newer));
  }
  for (auto& [target, value] : changes) {
    std::visit([&value = value](auto* to) { *to = std::get<std::remove_pointer_t<decltype(to)>>(std::move(value)); },
               target);
  }
}

// ---- writing --------------------------------------------------------------------------------------------------------

void write_json(const FieldVisitor& known, std::string_view group, std::string& out) {
  std::string_view comma = "";
  out += '{';
  for (const Field* field : fields_in(known, group)) {
    out += fmt::format("{}\"{}\":{}", comma, last_part(field->name), field_literal(*field, ","));
    comma = ",";
  }
  for (const FieldGroup* inner : groups_in(known, group)) {
    out += fmt::format("{}\"{}\":", comma, last_part(inner->name));
    write_json(known, inner->name, out);
    comma = ",";
  }
  out += '}';
}

}  // namespace

Rule one_of(std::vector<std::string> names) {
  Rule rule;
  rule.names = std::move(names);
  return rule;
}

Rule like(std::vector<std::string> examples, void (*check)(std::string_view text)) {
  Rule rule = one_of(std::move(examples));
  rule.check = check;
  return rule;
}

Rule between(double low, double high) { return {{}, low, high}; }

Rule at_least(double low) { return {{}, low, std::numeric_limits<double>::infinity()}; }

Rule a_file() {
  Rule rule;
  rule.file = true;
  return rule;
}

Rule any_text() {
  Rule rule;
  rule.any = true;
  return rule;
}

void FieldVisitor::add(std::string_view name, FieldRef value, std::string_view help, Rule rule) {
  const std::string full = dotted(group_, name);
  check(!find_field(*this, full) && !is_group(*this, full), "option {} is declared twice", full);
  const bool text = std::holds_alternative<std::string*>(value) || std::holds_alternative<Texts*>(value);
  const bool number = std::holds_alternative<int*>(value) || std::holds_alternative<std::int64_t*>(value) ||
                      std::holds_alternative<double*>(value);
  check(text || rule.names.empty(), "option {} has names to choose from but is no text", full);
  check(number || range_text(rule).empty(), "option {} has a range but is no number", full);
  fields_.push_back({full, value, std::string(help), std::move(rule), used_});
}

std::string FieldVisitor::enter(std::string_view name, std::string_view help, bool used) {
  const std::string full = dotted(group_, name);
  check(!find_field(*this, full) && !is_group(*this, full), "option {} is declared twice", full);
  groups_.push_back({full, std::string(help), used && used_});
  return std::exchange(group_, full);
}

void read_toml(FieldsRef config, std::string_view text, std::string_view file_name) {
  apply(config.visit(), parse_toml(text, file_name), ErrorKind::usage);
}

void read_json(FieldsRef config, std::string_view json, std::string_view where, ErrorKind kind) {
  apply(config.visit(), parse_json(json, where), kind);
}

void set_fields(FieldsRef config, std::string_view json) {
  std::vector<Setting> settings;
  try {
    settings = parse_json(json, "options");
  } catch (const Error& e) {
    throw usage_error("{}", e.what());
  }
  for (Setting& setting : settings) setting.where = setting.name;
  apply(config.visit(), settings, ErrorKind::usage);
}

void set_field(FieldsRef config, std::string_view assignment, std::string_view input) {
  const std::string shown = beginning(assignment, 80),
                    where = input.empty() ? shown : fmt::format("`{}` {}", input, shown);
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos) {
    throw usage_error("{}: has no value; write it as name=value", where);
  }
  const FieldVisitor known = config.visit();
  Setting setting{std::string(assignment.substr(0, equals)), {}, where};
  if (const Field* field = find_field(known, setting.name)) {
    setting.given = from_text(*field, assignment.substr(equals + 1));
  }
  apply(known, {setting}, ErrorKind::usage);
}

std::string to_toml(ConstFieldsRef config) {
  const FieldVisitor known = config.visit();
  std::string out;
  for (const FieldGroup& group : known.groups()) {
    if (!group.used) continue;
    std::vector<std::pair<std::string, std::string>> lines;  // a setting and its comment
    std::size_t width = 0;
    for (const Field* field : fields_in(known, group.name)) {
      const std::string value = field_literal(*field, ", ");
      lines.emplace_back(fmt::format("{} = {}", last_part(field->name), value), help_text(*field));
      if (lines.back().first.size() <= max_aligned) width = std::max(width, lines.back().first.size());
    }
    if (!group.name.empty()) out += fmt::format("{}[{}]  # {}\n", out.empty() ? "" : "\n", group.name, group.help);
    for (const auto& [setting, comment] : lines) out += fmt::format("{:<{}}  # {}\n", setting, width, comment);
  }
  return out;
}

std::string to_json(ConstFieldsRef config) {
  std::string out;
  write_json(config.visit(), "", out);
  return out;
}

std::string describe(ConstFieldsRef config) {
  const FieldVisitor known = config.visit();
  std::size_t name_width = 0, value_width = 0;
  for (const Field& field : known.fields()) {
    name_width = std::max(name_width, field.name.size());
    const std::size_t width = value_text(field).size();
    if (width <= max_aligned) value_width = std::max(value_width, width);
  }
  std::string out;
  for (const FieldGroup& group : known.groups()) {
    if (!group.used) continue;
    if (!group.name.empty()) out += fmt::format("{}{}: {}\n", out.empty() ? "" : "\n", group.name, group.help);
    for (const Field* field : fields_in(known, group.name)) {
      out += fmt::format("  {:<{}}  {:<{}}  {}\n", field->name, name_width, value_text(*field), value_width,
                         help_text(*field));
    }
  }
  return out;
}

std::vector<std::string> names(ConstFieldsRef config) {
  Texts result;
  for (const Field& field : config.visit().fields()) result.push_back(field.name);
  return result;
}

std::string value_text(const Field& field) {
  return std::visit(Overloaded{[](const std::string* value) { return *value; },
                               [](const Texts* value) { return fmt::format("{}", fmt::join(*value, "+")); },
                               [](const Period* value) { return to_string(*value); },
                               [](const BatchSize* value) { return to_string(*value); },
                               [&](const auto*) { return field_literal(field, ","); }},
                    field.value);
}

}  // namespace fovea
