// Lines side by side, as a network reads them. All reuse the batch's memory.
#pragma once

#include <span>

#include "models/batch.h"
#include "tasks/task.h"

namespace fovea {

void fill_source(const Task& task, std::span<const Reading* const> lines, SourceBatch& batch);

void fill_batch(const Task& task, std::span<const Encoding* const> examples, Batch& batch);

}  // namespace fovea
