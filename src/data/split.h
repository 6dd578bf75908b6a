// The held-out part of a corpus, chosen by a hash of the source text: the same source is never on both sides, the
// choice depends neither on the order of the lines nor on the seed of training, and most of it stays when the corpus
// grows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/pairs.h"

namespace fovea {

struct SplitOptions {
  double share = 0.1;            // of the lines; 0 holds out none
  std::size_t max_lines = 2000;  // enough to tell 99 % from 98 % apart
};

// Places in the examples, in their order.
struct Split {
  std::vector<std::size_t> training;
  std::vector<std::size_t> held_out;
};

// At least one line is held out if there are two different sources, and at least one stays.
Split split(std::span<const Example> examples, const SplitOptions& options = {});

}  // namespace fovea
