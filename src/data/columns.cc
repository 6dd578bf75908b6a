#include "data/columns.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "base/as_size.h"
#include "base/error.h"
#include "base/nearest.h"
#include "base/utf8.h"

namespace fovea {

namespace {

// The cell of that number from 0; empty beyond the last.
std::string_view cell(std::string_view line, std::size_t number) {
  for (; number > 0; --number) {
    const std::size_t tab = line.find('\t');
    if (tab == line.npos) return {};
    line.remove_prefix(tab + 1);
  }
  return line.substr(0, line.find('\t'));
}

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper_or_digit(char c) { return is_upper(c) || (c >= '0' && c <= '9'); }

// As Universal Dependencies has them: "Tense=Past", "Number[psor]=Sing", "PronType=Int,Rel"
bool looks_like_ud_tag(std::string_view name, std::string_view value) {
  const auto of = [](std::string_view text, std::string_view joints) {
    return !text.empty() && is_upper_or_digit(text[0]) && std::ranges::all_of(text, [&](char c) {
      return is_upper_or_digit(c) || is_lower(c) || joints.find(c) != joints.npos;
    });
  };
  return of(name, "[]") && of(value, ",");
}

// "PST", "2", "IN+ALL", "mood={OPT/SBJV}"
bool looks_like_tag(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals != text.npos) {
    if (looks_like_ud_tag(text.substr(0, equals), text.substr(equals + 1))) return true;
    const std::string_view name = text.substr(0, equals);
    if (name.empty() || !std::ranges::all_of(name, is_lower)) return false;
    text.remove_prefix(equals + 1);
  }
  constexpr std::string_view joints = "+-./:_{}()&*";
  return std::ranges::any_of(text, is_upper_or_digit) &&
         std::ranges::all_of(text, [&](char c) { return is_upper_or_digit(c) || joints.find(c) != joints.npos; });
}

// How many tags the text is, separated by ; or | or , alone; 0 if it is something else.
std::size_t count_tags(std::string_view text) {
  const char separator = text.find(';') != text.npos ? ';' : text.find('|') != text.npos ? '|' : ',';
  std::size_t count = 0;
  for (std::size_t start = 0; start <= text.size(); ++count) {
    const std::size_t end = std::min(text.find(separator, start), text.size());
    if (!looks_like_tag(text.substr(start, end - start))) return 0;
    start = end + 1;
  }
  return std::ranges::any_of(text, is_upper) ? count : 0;
}

std::size_t column_number(std::string_view columns, std::string_view text) {
  constexpr std::size_t most = 1000;
  std::size_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size() || number < 1 || number > most) {
    throw usage_error("columns {}: \"{}\" is no number of a column, 1 to {}", printable(columns), printable(text),
                      most);
  }
  return number;
}

}  // namespace

std::size_t count_columns(std::string_view line) { return as_size(std::ranges::count(line, '\t')) + 1; }

std::vector<std::string> Columns::known() {
  return {"source", "target", "features", "alignment", "skip", "source2", "source3"};
}

Columns Columns::parse(std::string_view text) {
  std::vector<std::string> names;
  bool numbered = false, in_order = false;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    const std::string_view part = text.substr(start, end - start), name = part.substr(0, part.find('='));
    start = end + 1;
    (name.size() < part.size() ? numbered : in_order) = true;
    if (in_order) {
      names.emplace_back(name);
      continue;
    }
    const std::size_t place = column_number(text, part.substr(name.size() + 1)) - 1;
    names.resize(std::max(names.size(), place + 1), "skip");
    if (names[place] != "skip") throw usage_error("columns {}: two of them are column {}", printable(text), place + 1);
    names[place] = name;
  }
  const auto is_number = [](const std::string& name) {
    return !name.empty() && std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
  };
  if (in_order && std::ranges::all_of(names, is_number)) {
    throw usage_error("columns {}: say what each has; by number that is source=1,target=2", printable(text));
  }
  if (numbered && in_order) {
    throw usage_error("columns {}: either all have a number, as source=1,target=3, or none has", printable(text));
  }
  return Columns(names);
}

Columns::Columns(std::vector<std::string> names) : names_(std::move(names)) {
  if (names_.empty()) names_ = {"source", "target"};
  const std::vector<std::string> all = known();
  for (const std::string& name : names_) {
    if (std::ranges::find(all, name) == all.end()) throw unknown_name("column", name, all);
  }
  for (const std::string& name : names_) {
    if (name != "skip" && std::ranges::count(names_, name) > 1) {
      throw usage_error("columns {}: two of them are called {}; what is not wanted is called skip", text(), name);
    }
  }
  if (!has("source") && !has("target")) throw usage_error("columns {}: none is called source", text());
  const bool gap = (has("source2") && !has("source")) || (has("source3") && !has("source2"));
  if (gap) throw usage_error("columns {}: sources are called source, source2, source3, from the first on", text());
}

std::vector<std::string> Columns::sources() const {
  std::vector<std::string> names;
  for (const char* name : {"source", "source2", "source3"}) {
    if (has(name)) names.emplace_back(name);
  }
  return names;
}

std::string Columns::text() const { return fmt::format("{}", fmt::join(names_, ",")); }

std::size_t Columns::place(std::string_view name) const {
  return as_size(std::ranges::find(names_, name) - names_.begin());
}

std::size_t Columns::needed() const {
  std::size_t count = 0;
  for (const std::string& name : names_) {
    if (name != "alignment" && name != "skip") count = std::max(count, place(name) + 1);
  }
  return count;
}

Cells Columns::example(std::string_view line) const {
  const auto of = [&](std::string_view name) { return has(name) ? cell(line, place(name)) : std::string_view(); };
  Cells cells = {of("source"), of("target"), of("features"), of("alignment")};
  for (const char* name : {"source2", "source3"}) {
    if (has(name)) cells.others.push_back(of(name));
  }
  return cells;
}

std::vector<std::string> Columns::read() const {
  std::vector<std::string> names;
  std::ranges::copy_if(names_, std::back_inserter(names), [&](const std::string& name) {
    return name.starts_with("source") || name == "features" || (name == "target" && !has("source"));
  });
  return names;
}

std::optional<Cells> Columns::question(std::string_view line) const {
  const std::vector<std::string> wanted = read();
  const std::size_t count = count_columns(line);
  if (count == wanted.size()) return Columns(wanted).example(line);
  for (const std::string& name : wanted) {
    if (count <= place(name)) return {};
  }
  return example(line);
}

std::string Columns::question_line(const Cells& cells) const {
  std::vector<std::string_view> texts;
  for (const std::string& name : read()) {
    const std::size_t further = name == "source2" ? 0 : 1;
    texts.push_back(name == "source"                ? cells.source
                    : name == "features"            ? cells.features
                    : name == "target"              ? cells.target
                    : further < cells.others.size() ? cells.others[further]
                                                    : "");
  }
  return fmt::format("{}", fmt::join(texts, "\t"));
}

std::string Columns::question_form() const { return fmt::format("{}", fmt::join(read(), "<TAB>")); }

GuessedColumns guess_columns(std::span<const std::string> lines) {
  if (lines.empty() || count_columns(lines.front()) < 3) return {};
  const std::size_t columns = count_columns(lines.front());
  // Each line has some, and most have several.
  const auto all_tags = [&](std::size_t column) {
    std::size_t several = 0;
    for (const std::string& line : lines) {
      const std::size_t tags = count_columns(line) == columns ? count_tags(cell(line, column)) : 0;
      if (tags == 0) return false;
      several += tags > 1;
    }
    return 2 * several > lines.size();
  };
  const auto guessed = [&](std::size_t column, const char* which, std::vector<std::string> names) {
    return GuessedColumns{Columns(std::move(names)), fmt::format("the {} looks like tags ({})", which,
                                                                 beginning(cell(lines.front(), column), 30))};
  };
  if (all_tags(1)) return guessed(1, "second", {"source", "features", "target"});
  if (all_tags(2)) return guessed(2, "third", {"source", "target", "features"});
  if (all_tags(0)) return guessed(0, "first", {"features", "source", "target"});
  return {};
}

}  // namespace fovea
