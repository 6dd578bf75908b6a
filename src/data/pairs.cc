#include "data/pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/nearest.h"
#include "base/utf8.h"
#include "data/lines.h"
#include "data/unit.h"

namespace fovea {

namespace {

constexpr std::array<std::string_view, skip_reasons> reason_names = {"blank", "bad UTF-8", "wrong number of columns",
                                                                     "empty side", "too long"};

struct Problem {
  SkipReason reason;
  std::string message;
};

std::optional<Problem> find_bad_utf8(const LineReader& reader, std::string_view text) {
  const auto at = find_invalid_utf8(text);
  if (!at) return std::nullopt;
  return Problem{
      SkipReason::bad_utf8,
      fmt::format("{}:{}:{}: byte 0x{:02X} is not UTF-8: \"{}\"; if the file is Latin-1, convert it with iconv",
                  reader.name(), reader.line_number(), count_characters(text.substr(0, *at)) + 1,
                  static_cast<unsigned char>(text[*at]), beginning(text))};
}

// `side` is "source" or "target"; `column` is where it begins in the line, in characters from 1.
std::optional<Problem> find_bad_side(const LineReader& reader, std::string_view side, std::string_view text,
                                     std::int64_t column, std::int64_t max_length) {
  if (text.empty()) {
    return Problem{SkipReason::empty_side,
                   fmt::format("{}:{}:{}: the {} is empty", reader.name(), reader.line_number(), column, side)};
  }
  const std::int64_t length = count_characters(text);
  if (length <= max_length) return std::nullopt;
  return Problem{SkipReason::too_long,
                 fmt::format("{}:{}:{}: the {} has {} characters, more than the limit of {}: \"{}\"", reader.name(),
                             reader.line_number(), column + max_length, side, length, max_length, beginning(text))};
}

std::optional<Problem> parse_columns(const LineReader& reader, std::string_view line, std::int64_t max_length,
                                     Example& example) {
  if (auto problem = find_bad_utf8(reader, line)) return problem;
  const auto tabs = std::count(line.begin(), line.end(), '\t');
  if (tabs < 1 || tabs > 2) {
    return Problem{SkipReason::wrong_columns,
                   fmt::format("{}:{}: {} column{}, but source<TAB>target[<TAB>features] is needed: \"{}\"",
                               reader.name(), reader.line_number(), tabs + 1, tabs == 0 ? "" : "s", beginning(line))};
  }
  const std::size_t first = line.find('\t');
  const std::size_t second = std::min(line.find('\t', first + 1), line.size());
  example.source = line.substr(0, first);
  example.target = line.substr(first + 1, second - first - 1);
  example.extra = tabs == 2 ? line.substr(second + 1) : std::string_view();
  if (auto problem = find_bad_side(reader, "source", example.source, 1, max_length)) return problem;
  return find_bad_side(reader, "target", example.target, count_characters(example.source) + 2, max_length);
}

// Collects examples and keeps the count of what is left out.
class Collector {
 public:
  explicit Collector(BadLines policy) : policy_(policy) {}

  void add(const LineReader& reader, Example example, const std::optional<Problem>& problem) {
    ++pairs_.report.lines;
    if (!problem) {
      ++pairs_.report.kept;
      const bool control = find_control(example.source) || find_control(example.target);
      if (control && pairs_.report.with_control++ == 0) {
        pairs_.report.first_with_control = fmt::format("{}:{}", reader.name(), reader.line_number());
      }
      pairs_.examples.push_back(std::move(example));
      return;
    }
    if (policy_ == BadLines::fail && problem->reason != SkipReason::blank) throw data_error("{}", problem->message);
    Skipped& skipped = pairs_.report.skipped[static_cast<std::size_t>(problem->reason)];
    if (skipped.lines++ == 0) skipped.first = problem->message;
  }

  Pairs finish(const std::string& name) {
    if (pairs_.report.lines == 0) throw data_error("{}: the file is empty", name);
    if (pairs_.report.kept == 0) {
      throw data_error("{}: no usable line among {}; {}", name, pairs_.report.lines, describe(pairs_.report));
    }
    return std::move(pairs_);
  }

 private:
  BadLines policy_;
  Pairs pairs_;
};

Problem blank(const LineReader& reader) {
  return {SkipReason::blank, fmt::format("{}:{}: blank", reader.name(), reader.line_number())};
}

Pairs read_columns(const PairOptions& options) {
  LineReader reader(options.file);
  Collector collector(options.bad_lines);
  std::string line;
  while (reader.next(line)) {
    Example example;
    example.line = reader.line_number();
    const auto problem = line.empty() ? blank(reader) : parse_columns(reader, line, options.max_length, example);
    collector.add(reader, std::move(example), problem);
  }
  return collector.finish(reader.name());
}

// A line missing on one side shifts every pair after it, so it is an error under every policy.
void check_same_end(LineReader& source, LineReader& target, bool source_goes_on) {
  LineReader& longer = source_goes_on ? source : target;
  const LineReader& shorter = source_goes_on ? target : source;
  std::string line;
  while (longer.next(line)) continue;
  throw data_error("{} has {} lines, but {} ends early with {}; every source needs its target on the same line",
                   longer.name(), longer.line_number(), shorter.name(), shorter.line_number());
}

Pairs read_parallel(const PairOptions& options) {
  LineReader source(options.source_file);
  LineReader target(options.target_file);
  Collector collector(options.bad_lines);
  for (;;) {
    Example example;
    const bool more_source = source.next(example.source);
    const bool more_target = target.next(example.target);
    if (more_source != more_target) check_same_end(source, target, more_source);
    if (!more_source) break;
    example.line = source.line_number();
    std::optional<Problem> problem;
    if (example.source.empty() && example.target.empty()) problem = blank(source);
    if (!problem) problem = find_bad_utf8(source, example.source);
    if (!problem) problem = find_bad_utf8(target, example.target);
    if (!problem) problem = find_bad_side(source, "source", example.source, 1, options.max_length);
    if (!problem) problem = find_bad_side(target, "target", example.target, 1, options.max_length);
    collector.add(source, std::move(example), problem);
  }
  return collector.finish(source.name());
}

}  // namespace

BadLines parse_bad_lines(std::string_view name) {
  if (name == "fail") return BadLines::fail;
  if (name == "skip") return BadLines::skip;
  throw unknown_name("policy for bad lines", name, {"fail", "skip"});
}

std::string describe(const ReadReport& report) {
  std::string text;
  for (std::size_t i = 0; i < skip_reasons; ++i) {
    const Skipped& skipped = report.skipped[i];
    if (skipped.lines == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "left out: " : ", ", skipped.lines, reason_names[i]);
    if (i != static_cast<std::size_t>(SkipReason::blank)) text += fmt::format(" (first: {})", skipped.first);
  }
  if (report.with_control > 0) {
    text += fmt::format("{}control characters, to the model unknown symbols: {} lines (first: {})",
                        text.empty() ? "" : "; ", report.with_control, report.first_with_control);
  }
  return text;
}

Pairs read_pairs(const PairOptions& options) {
  const bool parallel = !options.source_file.empty() || !options.target_file.empty();
  if (parallel == !options.file.empty()) throw usage_error("give either one file of pairs or --source F --target F");
  if (!parallel) return read_columns(options);
  if (options.source_file.empty() || options.target_file.empty()) {
    throw usage_error("--source and --target belong together; --{} is missing",
                      options.source_file.empty() ? "source" : "target");
  }
  if (options.source_file == "-" && options.target_file == "-") {
    throw usage_error("source and target cannot both come from standard input");
  }
  return read_parallel(options);
}

}  // namespace fovea
