// The last validated models of a run, kept beside the best one so that their mean can be taken (tasks/average.h).
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "training/checkpoint.h"

namespace fovea {

// kept-500.model.safetensors
bool is_kept_name(std::string_view name);

void keep_model(Files& files, const std::filesystem::path& folder, std::int64_t update, const ModelFiles& model);
// Leaves those of the last so many updates.
void remove_older_kept(Files& files, const std::filesystem::path& folder, int most);
// Of a run that goes on from there, or starts over.
void remove_kept_after(Files& files, const std::filesystem::path& folder, std::int64_t update);

// The last so many, the oldest first. Throws a usage_error if there are fewer.
std::vector<std::filesystem::path> last_kept_models(Files& files, const std::filesystem::path& folder, int count);

}  // namespace fovea
