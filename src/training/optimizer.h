// How a gradient changes the weights: Adam (Kingma & Ba 2015) with decoupled weight decay (Loshchilov & Hutter 2019),
// or stochastic gradient descent with momentum; and their running average (Polyak & Juditsky 1992), if one is kept.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/large_pages.h"
#include "base/real.h"
#include "tasks/config.h"

namespace fovea {

class Optimizer {
 public:
  Optimizer(const TrainingOptions& options, std::size_t weights);

  // For the weights in [start, start + gradient.size()); `update` counts from 1, `factor` scales the gradient.
  struct Step {
    std::int64_t update = 1;
    double rate = 0;
    double factor = 1;
  };
  void apply(const Step& step, std::size_t start, std::span<const Real> gradient, std::span<Real> weights);

  // Of the weights, laid out like them; empty if none is kept.
  std::span<Real> average() { return average_; }

  // What it remembers between updates, each as long as the weights.
  struct Slot {
    std::string name;
    std::span<Real> values;
  };
  std::vector<Slot> slots();

 private:
  bool adam_;
  double momentum_;
  double beta2_;
  double weight_decay_;
  double averaging_;
  LargeVector<Real> first_;   // mean gradient, or velocity
  LargeVector<Real> second_;  // mean square; Adam only
  LargeVector<Real> average_;
};

}  // namespace fovea
