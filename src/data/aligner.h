// Finds which symbol of a target comes from which symbol of its source, in order and without being told: the
// stochastic edit distance of Ristad & Yianilos 1998. A pair is written by a memoryless source of operations
//   substitute (a, b), delete (a, -), insert (-, b), end
// whose probabilities, together one, are found by expectation maximisation over all ways to write the pairs. The two
// sides have vocabularies of their own: nothing is known of which ids look alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/alignment.h"

namespace fovea {

struct SymbolPair {
  std::span<const std::int32_t> source;
  std::span<const std::int32_t> target;
};

class Aligner {
 public:
  // Ids are in [0, source_symbols) and [0, target_symbols). The same pairs give the same probabilities, bit for bit.
  // Time is rounds * the sum over pairs of |source| * |target|, but pairs of several hundred symbols are looked at
  // along their diagonal only, and no more than a few million cells of them are learned from.
  Aligner(std::span<const SymbolPair> pairs, int source_symbols, int target_symbols, int rounds = 10);

  // The most probable way to write the pair. One link for each target symbol, in order, the source never going back:
  // a sure one to the symbol it was substituted for; for an inserted one, a possible one to the source symbol used
  // last, the first if none was. No links if the source is empty.
  std::vector<Link> align(const SymbolPair& pair) const;

  // Log-probability of all pairs, in nats, before each round; never falls.
  std::span<const double> log_likelihoods() const { return log_likelihoods_; }

 private:
  class Grid;

  Grid grid_of(const SymbolPair& pair) const;
  double add_expected_counts(const Grid& grid, std::span<double> counts) const;

  int source_symbols_;
  int target_symbols_;
  // Log-probability of each operation, [source_symbols + 1, target_symbols + 1]: the last row inserts, the last column
  // deletes, the corner ends.
  std::vector<double> operations_;
  std::vector<double> log_likelihoods_;
};

}  // namespace fovea
