// How probable a model finds given targets: each symbol after those before it, which is no search (forced decoding).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tasks/task.h"

namespace fovea {

struct ScoredToken {
  std::string token;
  double log_probability = 0;
};

struct Scored {
  double log_probability = 0;       // of the target as a whole, the stop symbol counted
  std::vector<ScoredToken> tokens;  // the last is the stop symbol
  // Symbols of the target that the training data had not, as they were written: what they are worth says little.
  std::vector<std::string> unknown = {};
};

// Of a target that search was given, and how it was written.
Scored score_of(const Task& task, const Reading& source, const Answer& given, std::string_view target);

// exp(- mean log-probability of a symbol) over all targets.
class Perplexity {
 public:
  void add(const Scored& scored);
  double value() const;
  std::int64_t symbols() const { return symbols_; }

 private:
  double log_probability_ = 0;
  std::int64_t symbols_ = 0;
};

}  // namespace fovea
