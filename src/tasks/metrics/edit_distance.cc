// edit_distance: insertions, deletions and replacements of characters (Levenshtein 1966) / answers.
#include "tasks/metrics/metric.h"

namespace fovea {

extern const Metric Metric_edit_distance = {.name = "edit_distance",
                                            .title = "edits",
                                            .description = "edits of characters per answer",
                                            .paper = "Levenshtein 1966",
                                            .higher_is_better = false,
                                            .form = MetricForm::number,
                                            .count = [](const Judged& answer, std::span<double> statistics) {
                                              statistics[0] = static_cast<double>(answer.edits);
                                              statistics[1] = 1;
                                            }};

}  // namespace fovea
