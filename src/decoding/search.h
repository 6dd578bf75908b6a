// Beam search; a beam of one is greedy search. All hypotheses of all sources are one batch; sources that are done leave
// it. A source's answer, to the last bit of its score, does not depend on what shares the batch.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "models/step_model.h"

namespace fovea {

struct SearchOptions {
  int beam = 1;
  int nbest = 1;            // at most beam
  double length_power = 1;  // hypotheses are compared by log-probability / length^power
  int alternatives = 0;     // > 0: explain each step, with that many of its best symbols
  std::int32_t start = 0;   // symbols
  std::int32_t stop = 0;
  std::vector<std::int32_t> never;  // symbols that are not to be written
};

struct StepExplanation {
  double probability = 0;
  std::vector<std::pair<std::int32_t, double>> alternatives;  // best first
  struct Look {
    std::vector<float> scores;
    std::vector<float> weights;
    double context_norm = 0;
  };
  std::vector<Look> looks;
};

struct Answer {
  std::vector<std::int32_t> symbols;   // without the stop symbol
  double score = 0;                    // log-probability / length^power
  bool finished = true;                // false if it was cut off
  std::vector<StepExplanation> steps;  // one for each symbol and one for the stop symbol, if explained
};

// For each source its best answers, best first. most_steps [sources]: how many symbols an answer may have, the stop
// symbol counted; of each source its own, so that it does not depend on the batch. `memory` holds two steps in turn.
struct SearchMemory {
  Arena even;
  Arena odd;
};
std::vector<std::vector<Answer>> search(const Parameters& parameters, StepModel& model, const SearchOptions& options,
                                        std::span<const int> most_steps, SearchMemory& memory);

}  // namespace fovea
