// Symbols that begin with vectors somebody has made: settings source.vectors and target.vectors.
#pragma once

#include <string>
#include <vector>

#include "tasks/model.h"

namespace fovea {

// Fills the rows of the tables. Says how many symbols each file had.
std::vector<std::string> take_ready_vectors(Model& model);

}  // namespace fovea
