// Beam search, of which a beam of one is greedy search, and sampling. All hypotheses of all sources are one batch;
// sources that are done leave it. A source's answer, to the last bit of its score, does not depend on what shares the
// batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "decoding/search_options.h"
#include "decoding/step_explanation.h"
#include "models/step_model.h"

namespace fovea {

// What search has to know of a model's symbols.
struct SearchSymbols {
  std::int32_t start = 0;
  std::int32_t stop = 0;
  std::vector<std::int32_t> never = {};     // not to be written
  std::optional<std::int32_t> silent = {};  // writes nothing: rules neither see nor forbid it
  bool one_step = false;                    // an answer is one symbol; no stop symbol follows
};

// Attention weights that all hypotheses of a step are made to use.
struct ForcedStep {
  int step = 0;
  ForcedWeights weights;
};

// Of each source its own, so that nothing depends on the batch.
struct SearchSources {
  std::span<const int> max_steps;              // symbols of an answer, the stop symbol counted
  std::span<const int> lengths = {};           // positions that are real; for rules that need attention
  std::span<const std::int64_t> samples = {};  // which draws are its own, such as its line number
  std::span<const std::vector<std::int32_t>* const> targets = {};   // what is to be written, without the stop symbol:
                                                                    // nothing is searched for; with a beam of 1
  std::span<const std::vector<std::int32_t>* const> prefixes = {};  // what each begins with
  std::span<const ForcedStep> forced = {};                          // of all sources
};

struct SearchStopped {};

struct Answer {
  std::vector<std::int32_t> symbols;    // without the stop symbol
  double score = 0;                     // what the rules make of the log-probability
  bool finished = true;                 // false if it was cut off: it would have gone on, had there been room
  std::vector<StepExplanation> steps;   // one for each symbol and for the stop symbol, if it has one, if explained
  std::vector<std::uint8_t> read = {};  // [positions] of a model that chooses what it reads, if explained: 1 = read
  std::size_t maps = 0;                 // that there are, kept or not, if explained
  double log_probability = 0;           // of all steps
  std::vector<float> step_log_probabilities = {};  // one for each symbol and for the stop symbol, if it has one
  bool abstained = false;                          // the rules would rather have no answer; of the best
  std::vector<EncoderMap> encoder_maps = {};       // if asked for; of the best
  SearchTree tree = {};                            // likewise
};

// Holds two steps in turn.
struct SearchArenas {
  Arena even;
  Arena odd;
};

// For each source its best answers, best first; one that was cut off comes behind all that were finished.
std::vector<std::vector<Answer>> search(const Parameters& parameters, StepModel& model, const SearchOptions& options,
                                        const SearchSymbols& symbols, const Rules& rules, const SearchSources& sources,
                                        SearchArenas& arenas);

}  // namespace fovea
