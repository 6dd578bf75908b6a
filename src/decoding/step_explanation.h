// What is kept of a search for whoever wants to see how an answer came about.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "decoding/attention_row.h"
#include "decoding/search_options.h"
#include "models/step_model.h"

namespace fovea {

struct StepExplanation {
  double probability = 0;
  std::vector<std::pair<std::int32_t, double>> alternatives;  // best first
  struct Look : AttentionRow {
    int layer = 0;
    int head = 0;
    bool pointing = false;  // by the generator
  };
  std::vector<Look> looks;            // what chose the symbol first
  std::optional<double> gate;         // how much comes from the vocabulary, the rest is copied; none if nothing can be
  std::vector<Look> self_looks = {};  // at what was written before, the start symbol first: weights only, if asked for
  std::vector<float> saliency = {};   // [positions], if asked for
};

// What search looked at, if asked for: a symbol that could have been written next.
struct TreeNode {
  int parent = -1;  // the number of the symbol before; -1: it is the first
  int step = 0;
  std::int32_t symbol = 0;
  double probability = 0;
  double log_probability = 0;  // of all up to here
  bool kept = false;           // search went on from it, or it ended an answer
};
inline constexpr std::size_t max_tree_nodes = 4096;
struct SearchTree {
  std::vector<TreeNode> nodes;
  std::size_t left_out = 0;  // beyond max_tree_nodes
};

// One head of one layer of an encoder that attends to its own positions.
struct EncoderMap {
  int source = 0;
  int layer = 0;
  int head = 0;
  std::vector<std::vector<float>> weights;  // [queries][positions]
};

// Of one row of a step in which `symbol` was written. What is `never` written is no alternative.
StepExplanation explain_step(const StepResult& result, int row, std::int32_t symbol, const SearchOptions& options,
                             std::span<const std::int32_t> never);

// As many maps as there may be cells.
void keep_cells(std::vector<StepExplanation>& steps, const ExplanationLimits& limits);

}  // namespace fovea
