// Beam search, of which a beam of one is greedy search, and sampling. All hypotheses of all sources are one batch;
// sources that are done leave it. A source's answer, to the last bit of its score, does not depend on what shares the
// batch.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "models/step_model.h"

namespace fovea {

// How much of an explanation is kept; what is left out of it is at the end. A map has a cell for each step and
// position.
struct ExplanationLimits {
  std::size_t maps = std::numeric_limits<std::size_t>::max();
  std::size_t steps = std::numeric_limits<std::size_t>::max();
  std::size_t positions = std::numeric_limits<std::size_t>::max();
  std::size_t cells = std::numeric_limits<std::size_t>::max();  // of all maps; one is kept whatever it has
};

struct SearchOptions {
  int beam = 1;
  int nbest = 1;                    // at most beam
  double length_power = 1;          // hypotheses are compared by log-probability / length^power
  double coverage_penalty = 0;      // > 0: and by what of the source they left unread, see CoveragePenalty
  double sampling_temperature = 0;  // > 0: all `beam` hypotheses are draws, see Sampling; some may be alike
  std::uint64_t seed = 0;           // of the draws
  int alternatives = 0;             // > 0: explain each step, with that many of its best symbols
  ExplanationLimits limits = {};    // of what is explained
  std::int32_t start = 0;           // symbols
  std::int32_t stop = 0;
  std::vector<std::int32_t> never;                // symbols that are not to be written
  const std::atomic<int>* stop_signal = nullptr;  // not 0: SearchStopped is thrown before the next step
};

struct SearchStopped {};

struct StepExplanation {
  double probability = 0;
  std::vector<std::pair<std::int32_t, double>> alternatives;  // best first
  struct Look {
    std::vector<float> scores;
    std::vector<float> weights;
    double context_norm = 0;
    int layer = 0;
    int head = 0;
  };
  std::vector<Look> looks;
  std::optional<double> gate;  // how much comes from the vocabulary, the rest is copied; none if nothing can be
};

struct Answer {
  std::vector<std::int32_t> symbols;    // without the stop symbol
  double score = 0;                     // log-probability / length^power, and the coverage penalty
  bool finished = true;                 // false if it was cut off, with all symbols there was room for
  std::vector<StepExplanation> steps;   // one for each symbol and for the stop symbol, if it has one, if explained
  std::vector<std::uint8_t> read = {};  // [positions] of a model that chooses what it reads, if explained: 1 = read
  std::size_t maps = 0;                 // that there are, kept or not, if explained
};

// Holds two steps in turn.
struct SearchArenas {
  Arena even;
  Arena odd;
};

// For each source its best answers, best first; one that was cut off comes behind all that were finished. Of each
// source its own, so that nothing depends on the batch:
//   most_steps  how many symbols an answer may have, the stop symbol counted
//   lengths     how many positions are real; needed for a coverage penalty
//   samples     which draws are its own, such as its line number; needed for sampling
std::vector<std::vector<Answer>> search(const Parameters& parameters, StepModel& model, const SearchOptions& options,
                                        std::span<const int> most_steps, SearchArenas& memory,
                                        std::span<const int> lengths = {}, std::span<const std::int64_t> samples = {});

}  // namespace fovea
