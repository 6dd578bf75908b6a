// A rule for the next symbol: drawn from softmax(log p / temperature). The random number is a pure function of the seed
// and of what is drawn for, so a draw does not depend on what shares the batch.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/random.h"
#include "base/real.h"

namespace fovea {

class Sampling {
 public:
  // Symbols in `never` are not drawn; the others share their probability.
  Sampling(double temperature, std::uint64_t seed, std::vector<std::int32_t> never)
      : temperature_(temperature), random_(seed, Purpose::sampling), never_(std::move(never)) {}

  // Nothing if no symbol can be written.
  std::optional<std::int32_t> draw(std::span<const Real> log_probabilities, std::int64_t sample, int hypothesis,
                                   int step) const;

 private:
  double temperature_;
  Random random_;
  std::vector<std::int32_t> never_;
};

}  // namespace fovea
