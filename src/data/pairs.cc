#include "data/pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/as_size.h"
#include "base/counted.h"
#include "base/error.h"
#include "base/nearest.h"
#include "base/utf8.h"
#include "data/columns.h"
#include "data/lines.h"
#include "data/tokenizer.h"

namespace fovea {

namespace {

constexpr std::array<std::string_view, skip_reasons> reason_names = {"blank",      "bad UTF-8", "too few columns",
                                                                     "empty side", "too long",  "unreadable"};
constexpr std::size_t guessed_from = 100;  // lines

struct Problem {
  SkipReason reason;
  std::string message;
  std::int64_t length = 0;  // of what is too long, in characters
};

// Where a line stands.
struct Place {
  std::string_view file;
  std::int64_t line = 0;

  std::string text() const { return fmt::format("{}:{}", file, line); }
};

Place place_of(const LineReader& reader) { return {reader.name(), reader.line_number()}; }

// How a line of one of these begins that is no text.
std::string_view packed_otherwise(std::string_view text) {
  using namespace std::string_view_literals;
  if (text.starts_with("BZh")) return "it is a bzip2 file; unpack it first";
  if (text.starts_with("PK\x03\x04"sv)) return "it is a zip file; unpack it first";
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    return "if the file is UTF-16, convert it with iconv";
  }
  return "if the file is Latin-1, convert it with iconv";
}

std::optional<Problem> find_bad_utf8(const Place& place, std::string_view text) {
  const auto at = find_invalid_utf8(text);
  if (!at) return std::nullopt;
  return Problem{SkipReason::bad_utf8,
                 fmt::format("{}:{}: byte 0x{:02X} is not UTF-8: \"{}\"; {}", place.text(),
                             count_characters(text.substr(0, *at)) + 1, static_cast<unsigned char>(text[*at]),
                             beginning(text), packed_otherwise(text))};
}

// `side` is "source" or "target"; `column` is where it begins in the line, in characters from 1.
std::optional<Problem> find_bad_side(const Place& place, std::string_view side, std::string_view text,
                                     std::int64_t column, std::int64_t max_length) {
  if (text.empty()) {
    return Problem{SkipReason::empty_side, fmt::format("{}:{}: the {} is empty", place.text(), column, side)};
  }
  const std::int64_t length = count_characters(text);
  if (length <= max_length) return std::nullopt;
  return Problem{
      SkipReason::too_long,
      fmt::format("{}:{}: the {} has {}, more than the limit of {} "
                  "(`max_length`): \"{}\"",
                  place.text(), column + max_length, side, counted(length, "character"), max_length, beginning(text)),
      length};
}

constexpr std::string_view text_alone = "; text alone is read with `columns` target and `settings` task=language_model";

// Of a line with too few columns.
std::string_view what_is_missing(std::string_view line) {
  const std::string_view separator = other_separator(line);
  return separator.empty() && line.find('\t') == line.npos ? text_alone : separator;
}

std::optional<Problem> parse_columns(const Place& place, std::string_view line, const Columns& columns,
                                     std::int64_t max_length, Example& example) {
  if (auto problem = find_bad_utf8(place, line)) return problem;
  if (const std::size_t count = count_columns(line); count < columns.needed()) {
    return Problem{SkipReason::wrong_columns,
                   fmt::format("{}: {}, but {} are needed ({}){}: \"{}\"", place.text(), counted(count, "column"),
                               columns.needed(), columns.text(), what_is_missing(line), beginning(line))};
  }
  const Cells cells = columns.example(line);
  example.source = cells.source;
  example.target = cells.target;
  example.features = cells.features;
  example.alignment = cells.alignment;
  for (const std::string_view other : cells.others) example.others.emplace_back(other);
  const auto find_bad = [&](std::string_view side, std::string_view text) {
    const auto before = as_size(text.data() - line.data());
    return find_bad_side(place, side, text, count_characters(line.substr(0, before)) + 1, max_length);
  };
  const auto names = columns.sources();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (auto problem = find_bad(names[i], i == 0 ? cells.source : cells.others[i - 1])) return problem;
  }
  return find_bad("target", cells.target);
}

Error nothing_kept(const std::string& name, const ReadReport& report) {
  const auto all = [&](SkipReason reason) {
    return report.by(reason).lines + report.by(SkipReason::blank).lines == report.lines;
  };
  return data_error("{}: no usable line among {}; {}{}{}", name, report.lines, describe(report),
                    all(SkipReason::wrong_columns) ? text_alone : "",
                    report.longest > 0 ? fmt::format("; `max_length` {} would read all", report.longest) : "");
}

// Collects examples and keeps the count of what is left out.
class Collector {
 public:
  explicit Collector(const PairOptions& options)
      : policy_(options.bad_lines), named_(!options.file.empty() || !options.source_file.empty()) {}

  void add(const Place& place, Example example, const std::optional<Problem>& problem, bool more = false) {
    ++pairs_.report.lines;
    example.line = place.line;
    if (named_) example.file = place.file;
    if (!problem) {
      ++pairs_.report.kept;
      const bool control = find_control(example.source) || find_control(example.target);
      if (control && pairs_.report.with_control++ == 0) pairs_.report.first_with_control = place.text();
      if (more && pairs_.report.with_more++ == 0) pairs_.report.first_with_more = place.text();
      pairs_.examples.push_back(std::move(example));
      return;
    }
    if (policy_ == BadLines::fail && problem->reason != SkipReason::blank) throw data_error("{}", problem->message);
    Skipped& skipped = pairs_.report.skipped[as_size(problem->reason)];
    if (skipped.lines++ == 0) skipped.first = problem->message;
    pairs_.report.longest = std::max(pairs_.report.longest, problem->length);
  }

  Pairs finish(const std::string& name, GuessedColumns guessed) {
    if (pairs_.report.lines == 0) throw data_error("{}: the file is empty", name);
    if (pairs_.report.kept == 0) throw nothing_kept(name, pairs_.report);
    pairs_.columns = guessed.columns.names();
    pairs_.report.named = std::ssize(pairs_.columns);
    pairs_.reason = std::move(guessed.reason);
    return std::move(pairs_);
  }

 private:
  BadLines policy_;
  bool named_;  // lines stand in a file
  Pairs pairs_;
};

Problem blank(const Place& place) { return {SkipReason::blank, place.text() + ": blank"}; }

// Where both files end, or neither. A line missing in one shifts every line after it, so it is an error under every
// policy.
void check_same_end(LineReader& one, LineReader& other, bool one_goes_on, bool other_goes_on, const char* wanted) {
  if (one_goes_on == other_goes_on) return;
  LineReader& longer = one_goes_on ? one : other;
  const LineReader& shorter = one_goes_on ? other : one;
  std::string line;
  while (longer.next(line)) continue;
  throw data_error("{} has {}, but {} ends early with {}; every {} on the same line", longer.name(),
                   counted(longer.line_number(), "line"), shorter.name(), shorter.line_number(), wanted);
}

// The lines of a file of columns, the first of which can be looked at before they are read; and the links that go with
// each, if they have a file of their own.
class ColumnLines {
 public:
  explicit ColumnLines(const PairOptions& options) : reader_(options.file) {
    if (!options.alignment_file.empty()) links_.emplace(options.alignment_file);
  }

  const std::vector<std::string>& first(std::size_t count) {
    std::string line;
    while (first_.size() < count && reader_.next(line)) first_.push_back(line);
    return first_;
  }

  bool next(std::string& line, std::string& links) {
    const bool buffered = number_ < std::ssize(first_);
    const bool more = buffered || reader_.next(line);
    if (buffered) line = first_[as_size(number_)];
    if (links_) check_same_end(reader_, *links_, more, links_->next(links), "pair needs its links");
    if (more) ++number_;
    return more;
  }

  Place place() const { return {reader_.name(), number_}; }
  const std::string& name() const { return reader_.name(); }

 private:
  LineReader reader_;
  std::optional<LineReader> links_;
  std::vector<std::string> first_;
  std::int64_t number_ = 0;  // of the line last returned, from 1
};

GuessedColumns find_columns(const PairOptions& options, ColumnLines& lines) {
  if (!options.columns.empty()) return {Columns(options.columns)};
  std::vector<std::string> some = lines.first(guessed_from);
  std::erase_if(some, [](const std::string& line) { return line.empty() || find_invalid_utf8(line); });
  return guess_columns(some);
}

Pairs read_columns(const PairOptions& options) {
  ColumnLines lines(options);
  Collector collector(options);
  GuessedColumns guessed = find_columns(options, lines);
  const Columns& columns = guessed.columns;
  if (!columns.has("target")) throw usage_error("columns {}: none is called target", columns.text());
  if (columns.has("alignment") && !options.alignment_file.empty()) {
    throw usage_error("columns {}: links come from a column or from `alignment_file`, not from both", columns.text());
  }
  for (std::string line, links; lines.next(line, links);) {
    Example example;
    const Place place = lines.place();
    const auto problem = line.empty() ? blank(place) : parse_columns(place, line, columns, options.max_length, example);
    if (!options.alignment_file.empty()) example.alignment = links;
    collector.add(place, std::move(example), problem, count_columns(line) > columns.names().size());
  }
  return collector.finish(lines.name(), std::move(guessed));
}

// Of two sides that stand apart.
std::optional<Problem> find_bad_pair(const Place& of_source, const Place& of_target, const Example& example,
                                     std::int64_t max_length) {
  if (example.source.empty() && example.target.empty()) return blank(of_source);
  if (auto problem = find_bad_utf8(of_source, example.source)) return problem;
  if (auto problem = find_bad_utf8(of_target, example.target)) return problem;
  if (auto problem = find_bad_side(of_source, "source", example.source, 1, max_length)) return problem;
  return find_bad_side(of_target, "target", example.target, 1, max_length);
}

Pairs read_parallel(const PairOptions& options) {
  LineReader source(options.source_file);
  LineReader target(options.target_file);
  std::optional<LineReader> links;
  if (!options.alignment_file.empty()) links.emplace(options.alignment_file);
  Collector collector(options);
  for (;;) {
    Example example;
    const bool more = source.next(example.source);
    check_same_end(source, target, more, target.next(example.target), "source needs its target");
    if (links) check_same_end(source, *links, more, links->next(example.alignment), "pair needs its links");
    if (!more) break;
    const Place of_source = place_of(source), of_target = place_of(target);
    const auto problem = find_bad_pair(of_source, of_target, example, options.max_length);
    collector.add(of_source, std::move(example), problem);
  }
  return collector.finish(source.name(), {});
}

// Those that some example has something for.
Columns columns_of(const std::vector<Example>& examples) {
  std::vector<std::string> names = {"target"};
  const auto any = [&](std::string Example::* part) {
    return std::ranges::any_of(examples, [&](const Example& example) { return !(example.*part).empty(); });
  };
  if (any(&Example::source)) names.insert(names.begin(), "source");
  const std::size_t others =
      examples.empty() ? 0
                       : std::ranges::max(examples, {}, [](const Example& e) { return e.others.size(); }).others.size();
  for (std::size_t i = 0; i < others; ++i) names.push_back("source" + std::to_string(i + 2));
  if (any(&Example::features)) names.emplace_back("features");
  if (any(&Example::alignment)) names.emplace_back("alignment");
  return Columns(names);
}

}  // namespace

std::string place_of(std::string_view file, std::int64_t line) {
  return file.empty() ? fmt::format("line {}", line) : fmt::format("{}:{}", file, line);
}

BadLines parse_bad_lines(std::string_view name) {
  if (name == "fail") return BadLines::fail;
  if (name == "skip") return BadLines::skip;
  throw unknown_name("policy for bad lines", name, {"fail", "skip"});
}

std::string_view other_separator(std::string_view line) {
  const auto parts = [&](char separator) {  // in a text a space follows
    const std::size_t at = line.find(separator);
    return at != line.npos && at + 1 < line.size() && line[at + 1] != ' ';
  };
  if (line.find('\t') != line.npos) return "";
  if (parts(';')) return "; tabs stand between columns, not semicolons";
  return parts(',') ? "; tabs stand between columns, not commas" : "";
}

std::string columns_without_name(const ReadReport& report) {
  return fmt::format("what stands behind column {} is not read (`columns` gives names to more{})", report.named,
                     report.named == 2 ? ", such as source,features,target for tags, source,target,alignment for links "
                                         "as 0-0 1-2, source,source2,target for two things that are read"
                                       : "");
}

std::string describe(const ReadReport& report) {
  std::string text;
  for (std::size_t i = 0; i < skip_reasons; ++i) {
    const Skipped& skipped = report.skipped[i];
    if (skipped.lines == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "left out: " : ", ", skipped.lines, reason_names[i]);
    if (i != as_size(SkipReason::blank)) text += fmt::format(" (first: {})", skipped.first);
  }
  const auto mention = [&](std::string_view what, std::int64_t lines, const std::string& first) {
    if (lines > 0)
      text += fmt::format("{}{}: {} (first: {})", text.empty() ? "" : "; ", what, counted(lines, "line"), first);
  };
  mention("control characters, to the model unknown symbols", report.with_control, report.first_with_control);
  mention(columns_without_name(report), report.with_more, report.first_with_more);
  return text;
}

std::string describe(const Pairs& pairs) {
  const std::string reason = pairs.reason.empty() ? ""
                                                  : fmt::format("columns {}, since {}; `columns` says otherwise",
                                                                Columns(pairs.columns).text(), pairs.reason);
  const std::string report = describe(pairs.report);
  return reason + (reason.empty() || report.empty() ? "" : "; ") + report;
}

Pairs read_pairs(const PairOptions& options) {
  const bool parallel = !options.source_file.empty() || !options.target_file.empty();
  if (parallel == !options.file.empty())
    throw usage_error("give either one file of pairs or `source_file` and `target_file`");
  if (!parallel) return read_columns(options);
  if (options.source_file.empty() || options.target_file.empty()) {
    throw usage_error("`source_file` and `target_file` belong together; `{}` is missing",
                      options.source_file.empty() ? "source_file" : "target_file");
  }
  if (options.source_file == "-" && options.target_file == "-") {
    throw usage_error("source and target cannot both come from standard input");
  }
  return read_parallel(options);
}

Pairs check_pairs(std::vector<Example> examples, const std::string& name, const PairOptions& options) {
  GuessedColumns columns = {options.columns.empty() ? columns_of(examples) : Columns(options.columns)};
  Collector collector(options);
  std::int64_t line = 0;
  for (Example& example : examples) {
    const Place place = {name, ++line};
    const std::vector<std::string> sources = columns.columns.sources();
    std::optional<Problem> problem = sources.empty() ? find_bad_utf8(place, example.target)
                                                     : find_bad_pair(place, place, example, options.max_length);
    if (!problem) problem = find_bad_side(place, "target", example.target, 1, options.max_length);
    example.others.resize(sources.empty() ? 0 : sources.size() - 1);
    for (std::size_t i = 0; i < example.others.size() && !problem; ++i) {
      problem = find_bad_utf8(place, example.others[i]);
      if (!problem) problem = find_bad_side(place, sources[i + 1], example.others[i], 1, options.max_length);
    }
    for (const std::string* text : {&example.features, &example.alignment}) {
      if (!problem) problem = find_bad_utf8(place, *text);
    }
    collector.add(place, std::move(example), problem);
  }
  return collector.finish(name, std::move(columns));
}

void leave_out(Pairs& pairs, const std::function<std::string(const Example&)>& find_problem) {
  const std::string name = pairs.examples.front().file;
  Skipped& skipped = pairs.report.skipped[as_size(SkipReason::unreadable)];
  std::erase_if(pairs.examples, [&](const Example& example) {
    const std::string problem = find_problem(example);
    if (problem.empty()) return false;
    if (skipped.lines++ == 0) skipped.first = fmt::format("{}: {}", place_of(example), problem);
    return true;
  });
  pairs.report.kept = std::ssize(pairs.examples);
  if (pairs.examples.empty()) throw nothing_kept(name, pairs.report);
}

}  // namespace fovea
