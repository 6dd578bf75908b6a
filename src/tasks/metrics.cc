#include "tasks/metrics.h"

#include <algorithm>
#include <numeric>

#include "base/utf8.h"
#include "data/tokenizer.h"
#include "tasks/references.h"

namespace fovea {

namespace {
constexpr std::int64_t bin = 10;

double share(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}
}  // namespace

std::int64_t edit_distance(std::string_view a, std::string_view b) {
  const auto x = characters(a), y = characters(b);
  std::vector<std::int64_t> row(y.size() + 1);  // distance of a's beginning to each beginning of b
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= x.size(); ++i) {
    std::int64_t diagonal = row[0];
    row[0] = static_cast<std::int64_t>(i);
    for (std::size_t j = 1; j <= y.size(); ++j) {
      const std::int64_t replaced = diagonal + (x[i - 1] != y[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

void Metrics::add(const Answered& answer) {
  const std::string& target = nearest_reference(answer.references, answer.text);
  const std::int64_t length = count_characters(target);
  const std::int64_t edits = target == answer.text ? 0 : fovea::edit_distance(target, answer.text);
  for (Counts* counts : {&all_, &by_length_[length / bin * bin]}) {
    counts->sources += 1;
    counts->exact += edits == 0;
    counts->edits += edits;
    counts->characters += length;
  }
  chrf_.add(target, answer.text);
  unfinished_ += !answer.finished;
  lines_ += answer.lines;
}

double Metrics::exact() const { return share(all_.exact, all_.sources); }
double Metrics::cer() const { return share(all_.edits, all_.characters); }
double Metrics::edit_distance() const { return share(all_.edits, all_.sources); }

std::vector<LengthRow> Metrics::by_length() const {
  std::vector<LengthRow> rows;
  for (const auto& [start, counts] : by_length_) {
    rows.push_back({start, start + bin - 1, counts.sources, share(counts.exact, counts.sources),
                    share(counts.edits, counts.characters)});
  }
  return rows;
}

std::vector<std::pair<std::string, double>> Metrics::values() const {
  return {{"exact", exact()},
          {"cer", cer()},
          {"edit_distance", edit_distance()},
          {"chrf", chrf()},
          {"unfinished", static_cast<double>(unfinished_)},
          {"sources", static_cast<double>(all_.sources)},
          {"lines", static_cast<double>(lines_)}};
}

std::vector<std::string> metric_names() { return {"exact", "cer", "chrf", "loss"}; }

}  // namespace fovea
