// The model that a run begins from, wherever it is found.
#pragma once

#include <filesystem>
#include <memory>

#include "base/files.h"
#include "base/ranks.h"
#include "tasks/beginning.h"

namespace fovea {

// Null without `from`. Of a run in `folder` that goes on, what its checkpoint says: the model is not read again. Rank 0
// reads, and tells the others.
std::shared_ptr<const Beginning> find_beginning(Files& files, const std::filesystem::path& from,
                                                const std::filesystem::path& folder, bool fresh, Ranks& ranks);

}  // namespace fovea
