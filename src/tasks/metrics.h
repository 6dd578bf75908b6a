// How good answers are: exact matches, character error rate, edit distance and chrF, over all and by length of the target.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tasks/chrf.h"

namespace fovea {

// Levenshtein 1966: the fewest insertions, deletions and replacements of characters.
std::int64_t edit_distance(std::string_view a, std::string_view b);

struct LengthRow {
  std::int64_t shortest = 0;  // characters of the target
  std::int64_t longest = 0;
  std::int64_t lines = 0;
  double exact = 0;
  double cer = 0;
};

class Metrics {
 public:
  void add(std::string_view target, std::string_view answer);

  std::int64_t lines() const { return lines_; }
  double exact() const;          // share of answers that are right
  double cer() const;            // edits per character of the targets
  double edit_distance() const;  // edits per line
  double chrf() const { return chrf_.score(); }
  std::vector<LengthRow> by_length() const;

  // Flat: name and value, in the order they are shown.
  std::vector<std::pair<std::string, double>> values() const;

 private:
  struct Counts {
    std::int64_t lines = 0, exact = 0, edits = 0, characters = 0;
  };
  std::int64_t lines_ = 0;
  Counts all_;
  Chrf chrf_;
  std::map<std::int64_t, Counts> by_length_;  // by the start of a bin of ten
};

// What training may choose its best model by: training.metric.
std::vector<std::string> metric_names();

}  // namespace fovea
