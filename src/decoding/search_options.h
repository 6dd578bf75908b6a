// What can be asked of a search, declared once: flags of the command line, JSON and help come from the fields. What a
// rule can be told is declared with the rule: set_field(options, "length_power=0.6").
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "decoding/explain_options.h"
#include "decoding/rule.h"

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
  int nbest = 1;          // at most beam
  int max_output = 0;     // symbols of an answer; 0: what the training data say
  double sample = 0;      // temperature; > 0: all `beam` hypotheses are draws, see Sampling; some may be alike
  std::int64_t seed = 1;  // of the draws
  RuleOptions rules = {};

  void fields(FieldVisitor& visit);

  // Of the program rather than of whoever asks:
  int alternatives = 0;                           // > 0: explain each step, with that many of its best symbols
  ExplainOptions explain = {};                    // what is explained beyond that; fields of their own
  ExplanationLimits limits = {};                  // of what is explained
  const std::atomic<int>* stop_signal = nullptr;  // not 0: SearchStopped is thrown before the next step
};

}  // namespace fovea
