// Lines that name what cannot be read, found before anything is learned or answered.
#pragma once

#include <vector>

#include "data/pairs.h"
#include "data/source.h"
#include "tasks/config.h"

namespace fovea {

// Leaves out lines with a cell that holds no such thing as its source reads: the name of a file that is none, rows of
// other numbers than those before. `known` are the sources of the config's columns; one that is null is learned from
// the first cell that can be read. A data_error if nothing is kept.
void leave_out_unreadable(Pairs& pairs, const Config& config, std::vector<SourcePtr>& known);

}  // namespace fovea
