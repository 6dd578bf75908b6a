#include "data/lexicon.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "base/utf8.h"
#include "data/lines.h"
#include "data/tokenizer.h"

namespace fovea {

namespace {

struct LexiconLine {
  std::string_view source;
  std::string_view target;
  double probability = 0;
};

LexiconLine parse_line(const LineReader& reader, std::string_view line) {
  // "file:line:column", the column in characters from 1; what is before `offset` must be sound.
  const auto place = [&](std::size_t offset) {
    return fmt::format("{}:{}:{}", reader.name(), reader.line_number(), count_characters(line.substr(0, offset)) + 1);
  };
  if (const auto at = find_invalid_utf8(line)) {
    throw data_error("{}: byte 0x{:02X} is not UTF-8; if the file is Latin-1, convert it with iconv", place(*at),
                     static_cast<unsigned char>(line[*at]));
  }
  const std::size_t first = std::min(line.find('\t'), line.size());
  const std::size_t second = std::min(line.find('\t', first + 1), line.size());
  const std::size_t third = std::min(line.find('\t', second + 1), line.size());
  if (second == line.size() || third != line.size()) {
    throw data_error("{}: {} column{}, but source<TAB>target<TAB>probability is needed", place(third),
                     std::count(line.begin(), line.end(), '\t') + 1, first == line.size() ? "" : "s");
  }
  LexiconLine columns{line.substr(0, first), line.substr(first + 1, second - first - 1)};
  if (columns.source.empty()) throw data_error("{}: the source is empty", place(0));
  if (columns.target.empty()) throw data_error("{}: the target is empty", place(first + 1));
  if (find_control(columns.source) || find_control(columns.target)) {
    throw data_error("{}: \"{}\" has a control character, which no model reads or writes; leave the line out", place(0),
                     beginning(line));
  }

  const std::string_view number = line.substr(second + 1);
  const char* const number_end = number.data() + number.size();
  const auto [end, error] = std::from_chars(number.data(), number_end, columns.probability);
  const bool in_range = columns.probability > 0 && columns.probability <= 1;  // false for NaN
  if (error != std::errc() || end != number_end || !in_range) {
    throw data_error("{}: \"{}\" is no probability: more than 0 and at most 1 is needed; divide counts by their sum",
                     place(second + 1), beginning(number));
  }
  return columns;
}

}  // namespace

Lexicon::Lexicon(const std::string& path, std::int64_t max_lines) {
  LineReader reader(path);
  std::string line;
  while (reader.next(line)) {
    if (reader.line_number() > max_lines) {
      throw data_error("{}:{}:1: a lexicon of more than {} lines is not read", reader.name(), reader.line_number(),
                       max_lines);
    }
    if (line.empty()) continue;
    const LexiconLine columns = parse_line(reader, line);
    auto found = entries_.find(columns.source);
    if (found == entries_.end()) found = entries_.try_emplace(std::string(columns.source)).first;
    found->second.push_back({std::string(columns.target), columns.probability});
    ++size_;
  }
  if (size_ == 0) throw data_error("{}: the lexicon is empty", reader.name());

  for (auto& [source, targets] : entries_) {
    std::sort(targets.begin(), targets.end(), [](const Entry& a, const Entry& b) { return a.target < b.target; });
    const auto twice = std::adjacent_find(targets.begin(), targets.end(),
                                          [](const Entry& a, const Entry& b) { return a.target == b.target; });
    if (twice == targets.end()) continue;
    throw data_error("{}: the pair \"{}\" and \"{}\" is there more than once; keep one line of it", reader.name(),
                     beginning(source), beginning(twice->target));
  }
}

std::span<const Lexicon::Entry> Lexicon::of(std::string_view source) const {
  const auto found = entries_.find(source);
  return found == entries_.end() ? std::span<const Entry>() : std::span<const Entry>(found->second);
}

std::uint64_t Lexicon::fingerprint() const {
  std::uint64_t sum = 0;  // the sources have no order
  for (const auto& [source, targets] : entries_) {
    std::uint64_t hash = hash_text(0, source);
    for (const Entry& entry : targets) {
      hash = mix(hash_text(hash, entry.target), std::bit_cast<std::uint64_t>(entry.probability));
    }
    sum += hash;
  }
  return sum;
}

}  // namespace fovea
