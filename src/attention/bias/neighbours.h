// For biases that look at earlier weights around each position.
#pragma once

#include "attention/attention.h"
#include "layers/linear.h"

namespace fovea {

// w' a_{i-reach .. i+reach}, added to the score of each position.
class Neighbours {
 public:
  Neighbours(Parameters& parameters, const std::string& name, const AttentionSizes& sizes)
      : width_(2 * sizes.options.reach + 1), weight_(parameters, name + ".weight", width_, 1, false) {}

  Tensor operator()(Pass& pass, const Question& question, Tensor weights) const {
    const int queries = weights.shape()[0];
    Mask mask = question.memory.mask;
    const auto real = pass.arena().array<std::uint8_t>(static_cast<std::size_t>(mask.positions) * queries * mask.batch);
    for (std::size_t i = 0; i < real.size(); ++i) {
      const std::size_t row = i % (static_cast<std::size_t>(queries) * mask.batch);
      real[i] = mask.data[i / (static_cast<std::size_t>(queries) * mask.batch) * mask.batch + row % mask.batch];
    }
    const Tensor around = windows(to_pairs(weights), width_, {real.data(), mask.positions, queries * mask.batch});
    return from_pairs(weight_(pass, around), queries);
  }

 private:
  int width_;
  Linear weight_;
};

}  // namespace fovea
