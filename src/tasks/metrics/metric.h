// What "good" is. A metric is a function of sums over answers, so that one entry serves validations, tables by length
// and intervals by resampling alike.
// To add one: a file with its entry, and a line in metrics.def.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "base/registry.h"
#include "data/tokenizer.h"
#include "tasks/metrics/cut_words.h"

namespace fovea {

// One answer beside the one of the right ones that is nearest to it.
struct Judged {
  std::string_view text;
  std::string_view reference;
  std::int64_t edits = 0;                // of characters that lead from one to the other (Levenshtein 1966)
  std::int64_t characters = 0;           // of the reference
  bool finished = true;                  // false if the answer was cut, and so is not what it says
  CutWords cut = cut_13a;                // for metrics of words that others have to agree with
  const Tokenizer* tokenizer = nullptr;  // that cuts both into the model's symbols; null: they are characters
};

enum class MetricForm {
  share,    // of the answers: its statistics are how many answers have it, and how many there are
  percent,  // 1 is shown as 100 %
  points,   // of a hundred
  number    // of any size
};

// Of which targets a metric says much, where there is room for few.
enum class Telling { little, of_all, of_characters, of_symbols, of_sentences };

// Of two sums; 0 of nothing.
inline double ratio(std::span<const double> sums) { return sums[1] == 0 ? 0 : sums[0] / sums[1]; }

struct Metric {
  std::string_view name;   // in JSON, metrics.jsonl and settings
  std::string_view title;  // where people read it
  std::string_view description;
  std::string_view paper;
  bool higher_is_better = true;
  MetricForm form = MetricForm::points;
  double most = std::numeric_limits<double>::infinity();  // no value lies above it; none lies below 0
  std::size_t statistics = 2;                             // of an answer
  // What an answer adds to each sum. These are whole numbers, so that sums are the same in any order.
  void (*count)(const Judged& answer, std::span<double> statistics);
  double (*value)(std::span<const double> sums) = ratio;  // 0 of no answers
  bool of_symbols = false;                                // says something of answers that are one symbol
  Telling telling = Telling::little;
  // What sacreBLEU calls the same figure; {} is how words are cut. Empty: it has none.
  std::string_view signature = {};
};

const Registry<Metric>& metrics();

}  // namespace fovea
