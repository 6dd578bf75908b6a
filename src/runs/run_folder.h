// Which folder a run may have.
#pragma once

#include <filesystem>

namespace fovea {

inline constexpr const char* config_file_name = "config.toml";
inline constexpr const char* report_file_name = "report.html";
inline constexpr const char* film_file_name = "film.jsonl";
inline constexpr const char* card_file_name = "README.md";

// Both are true of what cannot be looked at: the attempt to write will say what is wrong with it.
bool is_empty_or_absent(const std::filesystem::path& path);
bool may_hold(const std::filesystem::path& folder, const char* name);

// Throws a usage_error unless there is nothing yet, or what is there is empty or a run.
void check_run_folder(const std::filesystem::path& folder);

}  // namespace fovea
