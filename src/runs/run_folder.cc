#include "runs/run_folder.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/files.h"
#include "base/utf8.h"
#include "tasks/model.h"
#include "training/checkpoint.h"
#include "training/journal.h"
#include "training/kept.h"

namespace fovea {

namespace {

namespace fs = std::filesystem;

// Of a run that was ended before its first checkpoint there is less.
bool is_begun_run(const fs::path& folder) {
  constexpr std::array<std::string_view, 8> written = {lock_file_name,    config_file_name,  report_file_name,
                                                       card_file_name,    journal_file_name, model_file_name,
                                                       reverse_file_name, film_file_name};
  std::error_code unreadable;
  for (fs::directory_iterator entry(folder, unreadable), end; entry != end; entry.increment(unreadable)) {
    const std::string name = entry->path().filename().string();
    const bool temporary = name.starts_with(".") && name.ends_with(".tmp");
    if (!temporary && !is_kept_name(name) && std::ranges::count(written, name) == 0) return false;
  }
  return may_hold(folder, lock_file_name);
}

}  // namespace

bool is_empty_or_absent(const fs::path& path) {
  std::error_code unreadable;
  return !fs::exists(path, unreadable) || fs::is_empty(path, unreadable) || unreadable;
}

bool may_hold(const fs::path& folder, const char* name) {
  std::error_code unreadable;
  return fs::exists(folder / name, unreadable) || unreadable;
}

void check_run_folder(const fs::path& folder) {
  if (folder.empty()) throw usage_error("\"\" is no folder; give a `folder` for the run, such as runs/dates");
  if (is_empty_or_absent(folder) || !fs::is_directory(folder)) return;
  if (may_hold(folder, checkpoint_file_name) || is_begun_run(folder)) return;
  throw usage_error("{} is not empty and holds no run; choose a new `folder`, such as {}", printable(folder.string()),
                    printable((folder / "run").lexically_normal().string()));
}

}  // namespace fovea
