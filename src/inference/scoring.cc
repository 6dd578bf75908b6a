#include "inference/scoring.h"

#include <algorithm>
#include <cmath>

namespace fovea {

Scored score_of(const Task& task, const Reading& source, const Answer& given, std::string_view target) {
  Scored scored;
  scored.log_probability = given.log_probability;
  const std::vector<std::string> written = task.written(given.symbols, source, target);
  for (std::size_t i = 0; i < written.size(); ++i) {
    const bool known = given.symbols[i] != Vocabulary::unknown;
    if (!known && std::ranges::find(scored.unknown, written[i]) == scored.unknown.end())
      scored.unknown.push_back(written[i]);
  }
  for (std::size_t i = 0; i < given.step_log_probabilities.size(); ++i) {
    const std::int32_t symbol = i < given.symbols.size() ? given.symbols[i] : Vocabulary::stop;
    scored.tokens.push_back({task.symbol_text(symbol, source), static_cast<double>(given.step_log_probabilities[i])});
  }
  return scored;
}

void Perplexity::add(const Scored& scored) {
  log_probability_ += scored.log_probability;
  symbols_ += std::ssize(scored.tokens);
}

double Perplexity::value() const {
  return symbols_ == 0 ? 1 : std::exp(-log_probability_ / static_cast<double>(symbols_));
}

}  // namespace fovea
