// How good answers are: exact matches, character error rate and edit distance, over all and by length of the target. Of
// several right answers the one nearest to what was answered counts.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fovea {

// Levenshtein 1966: the fewest insertions, deletions and replacements of characters.
std::int64_t edit_distance(std::string_view a, std::string_view b);

struct LengthRow {
  std::int64_t shortest = 0;  // characters of the target
  std::int64_t longest = 0;
  std::int64_t sources = 0;
  double exact = 0;
  double cer = 0;
};

// To one source.
struct Answered {
  std::span<const std::string> references;  // any of them is right
  std::string_view text;
  bool finished = true;    // false if it was cut at the greatest length
  std::int64_t lines = 1;  // of the data that ask for it
};

class Metrics {
 public:
  void add(const Answered& answer);

  std::int64_t sources() const { return all_.sources; }
  std::int64_t right() const { return all_.exact; }
  std::int64_t unfinished() const { return unfinished_; }
  double exact() const;          // share of answers that are right
  double cer() const;            // edits per character of the targets
  double edit_distance() const;  // edits per answer
  std::vector<LengthRow> by_length() const;

  // Flat: name and value, in the order they are shown.
  std::vector<std::pair<std::string, double>> values() const;

 private:
  struct Counts {
    std::int64_t sources = 0, exact = 0, edits = 0, characters = 0;
  };
  std::int64_t lines_ = 0;
  std::int64_t unfinished_ = 0;
  Counts all_;
  std::map<std::int64_t, Counts> by_length_;  // by the start of a bin of ten
};

}  // namespace fovea
