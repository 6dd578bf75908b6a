#include "cli/overwriting.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <string>

#include "base/error.h"
#include "base/utf8.h"
#include "tasks/model.h"
#include "training/checkpoint.h"
#include "training/journal.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

std::string beginning_of(const fs::path& path) {
  std::string bytes(1 << 16, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return bytes;
}

// In all of these the attempt to write will say what is wrong with a path that cannot be looked at.
bool holds(const fs::path& folder, const char* name) {
  std::error_code unreadable;
  return fs::exists(folder / name, unreadable) || unreadable;
}

bool is_empty_or_absent(const fs::path& path) {
  std::error_code unreadable;
  return !fs::exists(path, unreadable) || fs::is_empty(path, unreadable) || unreadable;
}

// Of a run that was ended before its first checkpoint there is less.
bool is_begun_run(const fs::path& folder) {
  constexpr std::array<std::string_view, 7> written = {
      ".lock", "config.toml", "report.html", "README.md", journal_file_name, model_file_name, reverse_file_name};
  std::error_code unreadable;
  for (fs::directory_iterator entry(folder, unreadable), end; entry != end; entry.increment(unreadable)) {
    const std::string name = entry->path().filename().string();
    const bool temporary = name.starts_with(".") && name.ends_with(".tmp");
    if (!temporary && std::ranges::count(written, name) == 0) return false;
  }
  return holds(folder, ".lock");
}

}  // namespace

void check_file(const fs::path& path, const FileKind& kind) {
  if (path.empty() || is_empty_or_absent(path) || fs::is_directory(path)) return;
  const std::string bytes = beginning_of(path);
  if (bytes.starts_with(kind.beginning) && bytes.find(kind.mark) != bytes.npos) return;
  throw usage_error("{} is there already and is no {}; choose another name, or remove it", printable(path.string()),
                    kind.name);
}

void check_run_folder(const fs::path& folder) {
  if (folder.empty()) throw usage_error("-o \"\" is no folder; give one for the run, such as -o runs/dates");
  if (is_empty_or_absent(folder) || !fs::is_directory(folder)) return;
  if (holds(folder, checkpoint_file_name) || is_begun_run(folder)) return;
  throw usage_error("{} is not empty and holds no run; choose a new folder with -o, such as -o {}",
                    printable(folder.string()), printable((folder / "run").lexically_normal().string()));
}

void check_bench_folder(const fs::path& folder) {
  if (is_empty_or_absent(folder) || !fs::is_directory(folder)) return;
  if (holds(folder, "batch.json") && !holds(folder, checkpoint_file_name)) return;
  throw usage_error("{} is not empty and not of an earlier bench --save; choose a new folder",
                    printable(folder.string()));
}

}  // namespace fovea
