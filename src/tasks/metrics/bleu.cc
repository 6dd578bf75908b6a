// bleu (Papineni 2002), of all answers together: 100 min(1, exp(1 - r / a)) (p1 p2 p3 p4)^(1/4), where pn is the share
// of the answers' n-grams of words that their references have, and r and a are the words of references and answers.
// A pn of zero becomes 1 / (2^k n-grams), k counting such ones (smoothing "exp" of Chen & Cherry 2014). Words are cut
// as by mteval-v13a in cased text unless something else is asked for. The same figure as sacreBLEU's (Post 2018) with
// one reference: nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp.
#include <algorithm>
#include <cmath>

#include "tasks/metrics/metric.h"
#include "tasks/metrics/ngrams.h"
#include "tasks/metrics/words.h"

namespace fovea {

namespace {

constexpr std::size_t max_words = 4;

Ngrams runs_of_words(const Judged& answer, std::string_view text) { return {words(answer.cut(text)), " "}; }

// Words of the answer and of the reference; then two for each n: the answer's, and those that both have.
void count_bleu(const Judged& answer, std::span<double> statistics) {
  const Ngrams given = runs_of_words(answer, answer.text);
  const Ngrams wanted = answer.edits == 0 ? given : runs_of_words(answer, answer.reference);
  statistics[0] = static_cast<double>(given.tokens());
  statistics[1] = static_cast<double>(wanted.tokens());
  const auto shared = shared_ngrams<max_words>(given, wanted);
  for (std::size_t n = 1; n <= max_words; ++n) {
    statistics[2 * n] = static_cast<double>(given.count(n));
    statistics[2 * n + 1] = static_cast<double>(shared[n - 1]);
  }
}

double bleu_of(std::span<const double> sums) {
  if (sums[3] == 0) return 0;  // not a single word is right
  double logarithm = 0, smoothing = 1;
  for (std::size_t n = 1; n <= max_words; ++n) {
    const double given = sums[2 * n], shared = sums[2 * n + 1];
    if (given == 0) return 0;  // no answer is so long
    if (shared == 0) smoothing *= 2;
    logarithm += std::log(100 * (shared > 0 ? shared : 1 / smoothing) / given);
  }
  const double brevity = sums[0] < sums[1] ? std::exp(1 - sums[1] / sums[0]) : 1;
  return std::min(100.0, brevity * std::exp(logarithm / max_words));  // rounding must not carry it beyond
}

}  // namespace

extern const Metric Metric_bleu = {.name = "bleu",
                                   .title = "BLEU",
                                   .description = "n-grams of words shared with the references, 0 to 100",
                                   .paper = "Papineni 2002",
                                   .higher_is_better = true,
                                   .form = MetricForm::points,
                                   .most = 100,
                                   .statistics = 2 + 2 * max_words,
                                   .count = count_bleu,
                                   .value = bleu_of,
                                   .telling = Telling::of_sentences,
                                   .signature = "eff:no|tok:{}|smooth:exp"};

}  // namespace fovea
