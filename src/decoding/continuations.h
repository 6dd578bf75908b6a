// How the hypotheses of a source may go on: with the best symbols that rules allow, with drawn ones, or with what was
// given.
#pragma once

#include <optional>
#include <vector>

#include "decoding/hypotheses.h"
#include "decoding/sampling.h"

namespace fovea::decoding {

struct Candidate {
  double log_probability;
  int hypothesis;
  std::int32_t symbol;
};

// A source's place among the rows [hypotheses, columns] of a step.
struct Column {
  int column;
  int columns;
  int row(int hypothesis) const { return hypothesis * columns + column; }
};

class Continuations {
 public:
  Continuations(const SearchOptions& options, const SearchSymbols& symbols, const Rules& rules,
                const SearchSources& sources);

  // Best first; `step` symbols have been written.
  std::vector<Candidate> of(const Beam& beam, Column column, Tensor log_probabilities, int step) const;

 private:
  std::optional<NextSymbols> allowed_next(const Beam& beam, const Hypothesis& hypothesis) const;
  std::vector<Candidate> candidates(const Beam& beam, Column column, Tensor log_probabilities) const;
  std::vector<Candidate> draws(const Beam& beam, Column column, Tensor log_probabilities, int step) const;

  const SearchOptions& options_;
  const SearchSymbols& symbols_;
  const Rules& rules_;
  const SearchSources& sources_;
  bool restricted_;  // rules have a say in what comes next
  std::optional<Sampling> sampling_;
};

}  // namespace fovea::decoding
