// What a search has written so far.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "decoding/attention_totals.h"
#include "decoding/search.h"

namespace fovea::decoding {

inline constexpr double impossible = -std::numeric_limits<double>::infinity();

// A symbol written, and what was written before it.
struct Node {
  int parent = -1;
  std::int32_t symbol = 0;
  float log_probability = 0;
};

struct Hypothesis {
  double log_probability = impossible;
  int node = -1;              // its last symbol; -1 before the first
  AttentionTotals attention;  // empty if no rule asks
};

// One source's share of the search.
struct Beam {
  int source = 0;  // its place in the caller's batch
  int max_steps = 0;
  std::int64_t sample = 0;
  std::vector<Hypothesis> alive;
  std::vector<Node> nodes;
  std::vector<StepExplanation> explanations;  // of each node, if asked for
  SearchTree tree;                            // if asked for
  std::vector<int> in_tree;                   // of each node: its number there
  struct Finished {
    double score;
    int node;
    bool stopped;
    double log_probability;
    bool abstained;
  };
  std::vector<Finished> finished;  // best first, those that were cut off behind all others; at most `beam`

  void finish(Finished done, int most);
  // What rules see of a hypothesis.
  std::vector<std::int32_t> written(int node, const SearchSymbols& symbols) const;
};

}  // namespace fovea::decoding
