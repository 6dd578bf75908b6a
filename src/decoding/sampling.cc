#include "decoding/sampling.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "decoding/writable.h"

namespace fovea {

std::optional<std::int32_t> Sampling::draw(std::span<const Real> log_probabilities, std::int64_t sample, int hypothesis,
                                           int step) const {
  constexpr double impossible = -std::numeric_limits<double>::infinity();
  std::vector<double> shares(log_probabilities.size(), impossible);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (writable(log_probabilities[i])) shares[i] = static_cast<double>(log_probabilities[i]);
  }
  for (const std::int32_t symbol : never_) {
    if (symbol < std::ssize(shares)) shares[symbol] = impossible;
  }
  // The greatest is taken out before the division: at low temperatures all but it may vanish.
  const double greatest = shares.empty() ? impossible : std::ranges::max(shares);
  if (greatest == impossible) return {};
  double total = 0;
  for (double& share : shares) {
    share = std::exp((share - greatest) / temperature_);
    total += share;
  }

  double left = total * random_.at(static_cast<std::uint64_t>(sample))
                            .at(static_cast<std::uint64_t>(hypothesis))
                            .uniform(static_cast<std::uint64_t>(step));
  std::int32_t drawn = 0;
  for (std::int32_t symbol = 0; symbol < std::ssize(shares); ++symbol) {
    if (shares[symbol] == 0) continue;
    drawn = symbol;  // the last one there is, should rounding leave something over
    left -= shares[symbol];
    if (left < 0) break;
  }
  return drawn;
}

}  // namespace fovea
