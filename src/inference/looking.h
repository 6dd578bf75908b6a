// Where a model looks while it is made to write given targets: what alignments are compared with.
#pragma once

#include <span>
#include <vector>

#include "base/threads.h"
#include "tasks/model.h"

namespace fovea {

// Of one example, without padding: the last step writes the stop symbol, the last position is the source's.
struct Looked {
  int steps = 0;
  int positions = 0;
  std::vector<float> weights;  // [steps, positions], the mean over heads of the last layer
};

// Empty for a model without attention, or one whose positions are not those of the source's symbols.
std::vector<Looked> look(const Model& model, Workers& workers, std::span<const Encoding> examples, int batch = 64);

}  // namespace fovea
