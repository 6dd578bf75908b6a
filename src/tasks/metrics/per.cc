// per, the phoneme error rate: insertions, deletions and replacements of symbols / symbols of the references, where
// symbols are what the model writes: phones in pronunciation, else characters, words or pieces. The edits are those of
// Levenshtein 1966.
#include "base/utf8.h"
#include "tasks/metrics/edits.h"
#include "tasks/metrics/metric.h"

namespace fovea {

namespace {

void count_per(const Judged& answer, std::span<double> statistics) {
  const auto symbols = [&](std::string_view text) {
    return answer.tokenizer ? answer.tokenizer->symbols(text) : characters(text);
  };
  const auto wanted = symbols(answer.reference);
  statistics[0] = answer.edits == 0 ? 0 : static_cast<double>(edit_distance(wanted, symbols(answer.text)));
  statistics[1] = static_cast<double>(wanted.size());
}

}  // namespace

extern const Metric Metric_per = {
    .name = "per",
    .title = "PER",
    .description = "edits of the model's symbols, such as phones, per symbol of the references",
    .paper = "Levenshtein 1966",
    .higher_is_better = false,
    .form = MetricForm::percent,
    .count = count_per,
    .telling = Telling::of_symbols};

}  // namespace fovea
