// cer, the character error rate: insertions, deletions and replacements of characters / characters of the references.
// The edits are those of Levenshtein 1966; an answer much longer than its reference has more than one for a character.
#include "tasks/metrics/metric.h"

namespace fovea {

extern const Metric Metric_cer = {.name = "cer",
                                  .title = "CER",
                                  .description = "edits per character of the references",
                                  .paper = "Levenshtein 1966",
                                  .higher_is_better = false,
                                  .form = MetricForm::percent,
                                  .count =
                                      [](const Judged& answer, std::span<double> statistics) {
                                        statistics[0] = static_cast<double>(answer.edits);
                                        statistics[1] = static_cast<double>(answer.characters);
                                      },
                                  .telling = Telling::of_characters};

}  // namespace fovea
