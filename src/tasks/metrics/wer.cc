// wer, the word error rate: insertions, deletions and replacements of words / words of the references. Words are what
// stands between white space; the edits are those of Levenshtein 1966.
#include "tasks/metrics/edits.h"
#include "tasks/metrics/metric.h"
#include "tasks/metrics/words.h"

namespace fovea {

extern const Metric Metric_wer = {
    .name = "wer",
    .title = "WER",
    .description = "edits of words per word of the references",
    .paper = "Levenshtein 1966",
    .higher_is_better = false,
    .form = MetricForm::percent,
    .count = [](const Judged& answer, std::span<double> statistics) {
      const auto wanted = words(answer.reference);
      statistics[0] = answer.edits == 0 ? 0 : static_cast<double>(edit_distance(wanted, words(answer.text)));
      statistics[1] = static_cast<double>(wanted.size());
    }};

}  // namespace fovea
