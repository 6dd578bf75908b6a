#include "cli/answered_lines.h"

#include <fmt/core.h>

#include "base/streams.h"
#include "base/utf8.h"
#include "cli/out.h"

namespace fovea {

namespace {

// Lines are answered in groups: large ones from a file, whatever is there from a pipe, so that a person or program that
// sends one line gets its answer at once.
constexpr std::size_t max_lines = 4096;
// So much is enough to keep all threads busy.
constexpr std::size_t max_explained_squares = std::size_t(1) << 16;
constexpr std::size_t max_line_bytes = std::size_t(1) << 30;

}  // namespace

AnsweredLines::AnsweredLines(const std::string& file, bool explains, std::function<std::string(const Prediction&)> line)
    : reader_(file, max_line_bytes), explains_(explains), line_(std::move(line)) {}

std::vector<std::string> AnsweredLines::read() {
  std::vector<std::string> lines;
  std::string line;
  std::size_t squares = 0;
  while (reader_.next(line)) {
    squares += line.size() * line.size();
    lines.push_back(std::move(line));
    if (lines.size() >= max_lines || !reader_.ready()) break;
    if (explains_ && squares >= max_explained_squares) break;
  }
  return lines;
}

void AnsweredLines::write(std::span<const Written> lines) {
  for (const Written& line : lines) {
    count(line, ++written_);
    write_out(line.text);
  }
  flush_out();
}

bool AnsweredLines::Seen::count(std::int64_t line) {
  if (lines++ == 0) first = line;
  return lines == 1;
}

void AnsweredLines::count(const Written& written, std::int64_t line) {
  const bool first = statuses_[static_cast<std::size_t>(written.status)].count(line);
  if (first && written.status == LineStatus::unreadable) problem_ = written.problem;
  if (!written.finished) unfinished_.count(line);
  if (written.abstained) abstained_.count(line);
  if (!written.unknown_feature.empty() && unknown_features_.count(line)) unknown_feature_ = written.unknown_feature;
  if (!written.scored) return;
  perplexity_.add(*written.scored);
  if (written.scored->has_unknown) unknown_symbols_.count(line);
}

void AnsweredLines::warn(const Columns& columns, std::int64_t max_length, bool scored) const {
  const auto warn = [&](const Seen& seen, const std::string& what) {
    if (seen.lines == 0) return;
    say(fmt::format("warning: {} line{} (first: {}:{}) {}\n", seen.lines, seen.lines == 1 ? "" : "s", reader_.name(),
                    seen.first, what));
  };
  const auto of = [&](LineStatus status) { return statuses_[static_cast<std::size_t>(status)]; };
  warn(of(LineStatus::repaired), "not UTF-8: bad bytes were read as U+FFFD");
  warn(of(LineStatus::too_few_columns),
       fmt::format("without all that this model reads ({}): answered with an empty line",
                   scored ? columns.text() : columns.question_form()));
  warn(of(LineStatus::unreadable), fmt::format("that cannot be read ({}): answered with an empty line", problem_));
  warn(of(LineStatus::too_long),
       fmt::format("longer than {} characters (--max-length), or than the model knows positions: answered with an "
                   "empty line",
                   max_length));
  warn(unknown_features_, fmt::format("with features that no line of the training data had (such as \"{}\")",
                                      beginning(unknown_feature_)));
  warn(unknown_symbols_, "whose target has symbols that the training data had not: what they are worth says little");
  warn(unfinished_, "whose answer is unfinished: it was cut at its greatest length, which --max-output sets");
  warn(abstained_, "without an answer: the best was less probable than --abstain-below");
}

}  // namespace fovea
