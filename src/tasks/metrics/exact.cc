// exact: answers that are right to the last character / answers.
#include "tasks/metrics/metric.h"

namespace fovea {

extern const Metric Metric_exact = {.name = "exact",
                                    .title = "exact",
                                    .description = "answers that are right to the last character, as a share",
                                    .paper = "",
                                    .higher_is_better = true,
                                    .form = MetricForm::share,
                                    .most = 1,
                                    .count =
                                        [](const Judged& answer, std::span<double> statistics) {
                                          statistics[0] = answer.edits == 0 && answer.finished;
                                          statistics[1] = 1;
                                        },
                                    .of_symbols = true,
                                    .telling = Telling::of_all};

}  // namespace fovea
