#include "inference/line_report.h"

#include <fmt/core.h>

#include "base/as_size.h"
#include "base/counted.h"
#include "base/utf8.h"

namespace fovea {

bool LineReport::Seen::count(std::int64_t line) {
  if (lines++ == 0) first = line;
  return lines == 1;
}

void LineReport::add(const LineStream::Written& written) {
  const std::int64_t line = ++lines_;
  const bool first = statuses_[as_size(written.status)].count(line);
  if (first && written.status == LineStatus::unreadable) problem_ = written.problem;
  if (!written.finished) unfinished_.count(line);
  if (written.abstained) abstained_.count(line);
  if (!written.unknown_feature.empty() && unknown_features_.count(line)) unknown_feature_ = written.unknown_feature;
  if (!written.scored) return;
  perplexity_.add(*written.scored);
  if (!written.scored->unknown.empty()) unknown_symbols_.count(line);
}

std::vector<std::string> LineReport::warnings(const std::string& name, const Columns& columns, std::int64_t max_length,
                                              bool scored) const {
  std::vector<std::string> all;
  const auto warn = [&](const Seen& seen, const std::string& what) {
    if (seen.lines == 0) return;
    all.push_back(fmt::format("{} (first: {}:{}) {}", counted(seen.lines, "line"), name, seen.first, what));
  };
  const auto of = [&](LineStatus status) { return statuses_[as_size(status)]; };
  warn(of(LineStatus::repaired), "not UTF-8: bad bytes were read as U+FFFD");
  warn(of(LineStatus::too_few_columns),
       fmt::format("without all that this model reads ({}): answered with an empty line",
                   scored ? columns.text() : columns.question_form()));
  warn(of(LineStatus::unreadable), fmt::format("that cannot be read ({}): answered with an empty line", problem_));
  warn(of(LineStatus::too_long),
       fmt::format("longer than {} (`max_length`), or than the model knows positions: answered with an "
                   "empty line",
                   counted(max_length, "character")));
  warn(unknown_features_, fmt::format("with features that no line of the training data had (such as \"{}\")",
                                      beginning(unknown_feature_)));
  warn(unknown_symbols_, "whose target has symbols that the training data had not: what they are worth says little");
  warn(unfinished_, "whose answer is unfinished: it was cut at its greatest length, which `max_output` sets");
  warn(abstained_, "without an answer: the best was less probable than `abstain_below`");
  return all;
}

}  // namespace fovea
