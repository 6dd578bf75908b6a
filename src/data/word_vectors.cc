#include "data/word_vectors.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "base/as_size.h"
#include "base/error.h"
#include "base/utf8.h"
#include "data/lines.h"

namespace fovea {

namespace {

constexpr std::string_view spaces = " \t";

std::string_view without_end_spaces(std::string_view text) {
  return text.substr(0, std::min(text.find_last_not_of(spaces) + 1, text.size()));
}

// Off the end of the text.
std::string_view take_last_field(std::string_view& text) {
  text = without_end_spaces(text);
  const std::size_t before = text.find_last_of(spaces);
  const std::size_t begin = before == text.npos ? 0 : before + 1;
  const std::string_view field = text.substr(begin);
  text = text.substr(0, begin);
  return field;
}

std::int64_t count_fields(std::string_view text) {
  std::int64_t fields = 0;
  while (!without_end_spaces(text).empty()) {
    take_last_field(text);
    ++fields;
  }
  return fields;
}

bool is_whole_number(std::string_view text) {
  return !text.empty() && text.size() < 10 && text.find_first_not_of("0123456789") == text.npos;
}

// "count dimension"
bool is_header(std::string_view line) {
  if (count_fields(line) != 2) return false;
  const std::string_view last = take_last_field(line), first = take_last_field(line);
  return is_whole_number(first) && is_whole_number(last);
}

std::vector<float> parse_numbers(const LineReader& reader, std::span<const std::string_view> fields) {
  std::vector<float> numbers;
  for (const std::string_view field : fields) {
    double value = 0;
    const auto [end, problem] = std::from_chars(field.data(), field.data() + field.size(), value);
    const bool in_range = std::abs(value) <= static_cast<double>(std::numeric_limits<float>::max());  // false for NaN
    if (problem != std::errc() || end != field.data() + field.size() || !in_range) {
      throw data_error("{}:{}:1: \"{}\" is no number that a vector can have", reader.name(), reader.line_number(),
                       beginning(field));
    }
    numbers.push_back(static_cast<float>(value));
  }
  return numbers;
}

}  // namespace

std::map<int, std::vector<float>> read_word_vectors(const std::string& path, const Vocabulary& vocabulary,
                                                    int dimension, std::string_view setting) {
  LineReader reader(path);
  const auto check_dimension = [&](std::int64_t found) {
    if (found == dimension) return;
    throw usage_error("{}: vectors of {} numbers, but {} is {}; set it to {}, or take other vectors", reader.name(),
                      found, setting, dimension, found);
  };
  std::map<int, std::vector<float>> vectors;
  std::vector<std::string_view> fields(as_size(dimension));
  std::string line;
  bool any = false;
  while (reader.next(line)) {
    if (without_end_spaces(line).empty()) continue;
    if (reader.line_number() == 1 && is_header(line)) {
      std::string_view rest = line;
      const std::string_view last = take_last_field(rest);
      std::int64_t announced = 0;
      std::from_chars(last.data(), last.data() + last.size(), announced);
      check_dimension(announced);
      continue;
    }
    if (const std::int64_t found = count_fields(line); !any && found > 1) check_dimension(found - 1);
    any = true;
    std::string_view rest = line;  // a symbol may have spaces inside: the numbers are what stands last
    for (std::size_t i = fields.size(); i-- > 0;) fields[i] = take_last_field(rest);
    rest = without_end_spaces(rest);
    if (rest.empty()) {
      throw data_error("{}:{}:1: a symbol and {} numbers are needed, found \"{}\"", reader.name(), reader.line_number(),
                       dimension, beginning(line));
    }
    const int id = vocabulary.encode(rest);
    if (id != Vocabulary::unknown && !vectors.contains(id)) vectors.emplace(id, parse_numbers(reader, fields));
  }
  if (!any) throw data_error("{}: there is no vector in it", reader.name());
  return vectors;
}

}  // namespace fovea
