// One model whose weights are the mean of others': of the last checkpoints of a run it is often better than any of them
// (Polyak & Juditsky 1992; for sequences Vaswani 2017).
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "tasks/model.h"

namespace fovea {

// All must have the same vocabularies and, but for how they were trained, the same config; else a usage_error.
std::unique_ptr<Model> average_models(Files& files, const std::vector<std::filesystem::path>& paths);

}  // namespace fovea
