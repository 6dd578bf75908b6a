#include "decoding/continuations.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/as_size.h"
#include "decoding/writable.h"
#include "kernels/find.h"

namespace fovea::decoding {

namespace {

bool better(const Candidate& a, const Candidate& b) {
  if (a.log_probability != b.log_probability) return a.log_probability > b.log_probability;
  if (a.hypothesis != b.hypothesis) return a.hypothesis < b.hypothesis;
  return a.symbol < b.symbol;
}

}  // namespace

Continuations::Continuations(const SearchOptions& options, const SearchSymbols& symbols, const Rules& rules,
                             const SearchSources& sources)
    : options_(options), symbols_(symbols), rules_(rules), sources_(sources), restricted_(rules.restrict()) {
  if (options.sample > 0) {
    sampling_.emplace(options.sample, static_cast<std::uint64_t>(options.seed), symbols.never);
  }
}

// Nothing where everything may come.
std::optional<NextSymbols> Continuations::allowed_next(const Beam& beam, const Hypothesis& hypothesis) const {
  if (!restricted_) return {};
  NextSymbols next;
  rules_.restrict(beam.written(hypothesis.node, symbols_), next);
  if (symbols_.silent) next.always(*symbols_.silent);
  return next;
}

// Few of thousands of symbols come into question: the rest are passed over by a bound on their log-probability.
std::vector<Candidate> Continuations::candidates(const Beam& beam, Column column, Tensor log_probabilities) const {
  const int symbols = log_probabilities.shape().last();
  // Each hypothesis may have its stop symbol among the best, and that takes nobody's place.
  const auto wanted = as_size(options_.beam == 1 ? 1 : 2 * options_.beam);
  std::vector<Candidate> best;
  for (int h = 0; h < static_cast<int>(beam.alive.size()); ++h) {
    const double before = beam.alive[h].log_probability;
    if (before == impossible) continue;
    const Real* log_p = log_probabilities.data() + std::ptrdiff_t(column.row(h)) * symbols;
    const std::optional<NextSymbols> allowed = allowed_next(beam, beam.alive[h]);
    const auto consider = [&](std::int32_t symbol) {
      const Candidate candidate = {before + static_cast<double>(log_p[symbol]), h, symbol};
      if (best.size() == wanted && !better(candidate, best.back())) return;
      if (std::ranges::find(symbols_.never, symbol) != symbols_.never.end()) return;
      if (allowed && !allowed->allows(symbol)) return;
      best.insert(std::ranges::upper_bound(best, candidate, better), candidate);
      if (best.size() > wanted) best.pop_back();
    };
    if (const auto listed = allowed ? allowed->listed() : std::nullopt) {
      for (const std::int32_t symbol : *listed) {
        if (symbol < symbols && (writable(log_p[symbol]) || allowed->forces(symbol))) consider(symbol);
      }
      continue;
    }
    const auto next = [&](std::int32_t from) {
      Real least = least_writable;
      if (best.size() == wanted) {  // rounded down: what is exactly as good as the last is turned away below
        const auto needed = static_cast<Real>(best.back().log_probability - before);
        least = std::max(least, std::nextafter(needed, std::numeric_limits<Real>::lowest()));
      }
      return from + kernels::find_at_least(log_p + from, symbols - from, least);
    };
    for (std::int32_t symbol = next(0); symbol < symbols; symbol = next(symbol + 1)) {
      if (writable(log_p[symbol])) consider(symbol);
    }
  }
  return best;
}

// One for each hypothesis that is still being drawn.
std::vector<Candidate> Continuations::draws(const Beam& beam, Column column, Tensor log_probabilities, int step) const {
  const auto symbols = as_size(log_probabilities.shape().last());
  std::vector<Candidate> drawn;
  for (int h = 0; h < options_.beam; ++h) {
    const double before = beam.alive[h].log_probability;
    if (before == impossible) continue;
    const auto log_p = log_probabilities.values().subspan(as_size(column.row(h)) * symbols, symbols);
    std::optional<std::int32_t> symbol;
    if (const auto allowed = allowed_next(beam, beam.alive[h])) {
      std::vector<Real> left(log_p.begin(), log_p.end());
      for (std::int32_t s = 0; s < std::ssize(left); ++s) {
        if (!allowed->allows(s)) left[s] = -std::numeric_limits<Real>::infinity();
        if (allowed->forces(s)) left[s] = std::max(left[s], least_writable + 1);
      }
      symbol = sampling_->draw(left, beam.sample, h, step);
    } else {
      symbol = sampling_->draw(log_p, beam.sample, h, step);
    }
    if (symbol) drawn.push_back({before + static_cast<double>(log_p[*symbol]), h, *symbol});
  }
  return drawn;
}

std::vector<Candidate> Continuations::of(const Beam& beam, Column column, Tensor log_probabilities, int step) const {
  const auto given = [&](std::int32_t symbol) -> std::vector<Candidate> {
    std::vector<Candidate> all;
    for (int h = 0; h < std::ssize(beam.alive); ++h) {
      if (beam.alive[h].log_probability == impossible) continue;
      const Real* log_p = log_probabilities.data() + std::ptrdiff_t(column.row(h)) * log_probabilities.shape().last();
      all.push_back({beam.alive[h].log_probability + static_cast<double>(log_p[symbol]), h, symbol});
    }
    return all;
  };
  if (!sources_.prefixes.empty() && step < std::ssize(*sources_.prefixes[beam.source])) {
    return given((*sources_.prefixes[beam.source])[as_size(step)]);
  }
  if (sources_.targets.empty()) {
    return sampling_ ? draws(beam, column, log_probabilities, step) : candidates(beam, column, log_probabilities);
  }
  const std::vector<std::int32_t>& target = *sources_.targets[beam.source];
  return given(step < std::ssize(target) ? target[as_size(step)] : symbols_.stop);
}

}  // namespace fovea::decoding
