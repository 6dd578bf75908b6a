// Biases that look at earlier weights around each position.
#pragma once

#include "attention/attention.h"
#include "layers/linear.h"

namespace fovea {

// w' a_{i-reach .. i+reach}, added to the score of each position; `earlier` says which weights a are.
template <Tensor History::* earlier>
class NeighboursBias : public Bias {
 public:
  NeighboursBias(Parameters& parameters, const std::string& name, const AttentionSizes& sizes)
      : width_(2 * sizes.options.reach + 1), weight_(parameters, name + ".weight", width_, 1, false) {}

  Added add(Pass& pass, const Question& question, Tensor) const override {
    const Tensor weights = question.history.*earlier;
    if (!weights) return {};
    const int queries = weights.shape()[0];
    const Tensor around = windows(to_pairs(weights), width_, pair_mask(pass, question.memory.mask, queries));
    return {from_pairs(weight_(pass, around), queries), {}};
  }

 private:
  int width_;
  Linear weight_;
};

}  // namespace fovea
