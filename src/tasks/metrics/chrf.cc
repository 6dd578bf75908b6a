// chrf (Popović 2015): F = (1 + 4) P R / (4 P + R), where P and R are the means over n = 1 to 6 of the share of the
// answers' n-grams of characters that the references have, and of the references' that the answers have: recall counts
// twice as much as precision. White space does not count. 0 to 100, and the same figure as sacreBLEU's chrF2:
// nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no.
#include "base/utf8.h"
#include "tasks/metrics/metric.h"
#include "tasks/metrics/ngrams.h"
#include "tasks/metrics/words.h"

namespace fovea {

namespace {

constexpr std::size_t longest_run = 6;

Ngrams letters(std::string_view text) {
  std::vector<std::string_view> kept;
  for (const std::string_view character : characters(text)) {
    if (!is_space(character)) kept.push_back(character);
  }
  return {kept, ""};
}

// Three for each n: those of the reference, of the answer, of both.
void count_chrf(const Judged& answer, std::span<double> statistics) {
  const Ngrams wanted = letters(answer.reference), given = letters(answer.text);
  const auto shared = shared_ngrams<longest_run>(given, wanted);
  for (std::size_t n = 1; n <= longest_run; ++n) {
    const auto counts = statistics.subspan(3 * (n - 1), 3);
    counts[0] = static_cast<double>(wanted.count(n));
    // What is longer than the reference has nothing to be held against, and does not count.
    counts[1] = wanted.count(n) > 0 ? static_cast<double>(given.count(n)) : 0;
    counts[2] = static_cast<double>(shared[n - 1]);
  }
}

double chrf_of(std::span<const double> sums) {
  double precision = 0, recall = 0;
  int orders = 0;
  for (std::size_t n = 1; n <= longest_run; ++n) {
    const auto counts = sums.subspan(3 * (n - 1), 3);
    if (counts[0] == 0 || counts[1] == 0) continue;
    precision += counts[2] / counts[1];
    recall += counts[2] / counts[0];
    ++orders;
  }
  if (precision + recall == 0) return 0;
  constexpr double factor = 4;  // beta squared
  return 100 * (1 + factor) * (precision / orders) * (recall / orders) /
         (factor * precision / orders + recall / orders);
}

}  // namespace

extern const Metric Metric_chrf = {.name = "chrf",
                                   .title = "chrF",
                                   .description = "n-grams of characters shared with the references, 0 to 100",
                                   .paper = "Popović 2015",
                                   .higher_is_better = true,
                                   .form = MetricForm::points,
                                   .most = 100,
                                   .statistics = 3 * longest_run,
                                   .count = count_chrf,
                                   .value = chrf_of,
                                   .telling = Telling::of_sentences,
                                   .signature = "eff:yes|nc:6|nw:0|space:no"};

}  // namespace fovea
