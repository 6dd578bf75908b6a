// Word dropout: in training, rare symbols of sources become the unknown one, at random (data/vocabulary.h says why).
#pragma once

#include <span>
#include <vector>

#include "base/random.h"
#include "models/batch.h"
#include "tasks/task.h"

namespace fovea {

class WordDropout {
 public:
  // `examples` are all there are to train on. Nothing is replaced where sources are targets, too.
  WordDropout(const Task& task, std::span<const Encoding> examples);

  // In place; what row b loses depends on its number, batch.samples[b], and not on the batch.
  void apply(const Random& random, Batch& batch) const;

 private:
  std::vector<std::vector<float>> shares_;  // of each source, by id, how often it is replaced; empty without symbols
};

}  // namespace fovea
