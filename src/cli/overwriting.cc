#include "cli/overwriting.h"

#include <fstream>
#include <string>

#include "base/as_size.h"
#include "base/error.h"
#include "base/utf8.h"
#include "runs/run_folder.h"
#include "training/checkpoint.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

std::string beginning_of(const fs::path& path) {
  std::string bytes(1 << 16, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(as_size(file.gcount()));
  return bytes;
}

}  // namespace

void check_file(const fs::path& path, const FileKind& kind) {
  if (path.empty() || is_empty_or_absent(path) || fs::is_directory(path)) return;
  const std::string bytes = beginning_of(path);
  if (bytes.starts_with(kind.beginning) && bytes.find(kind.mark) != bytes.npos) return;
  throw usage_error("{} is there already and is no {}; choose another name, or remove it", printable(path.string()),
                    kind.name);
}

void check_bench_folder(const fs::path& folder) {
  if (is_empty_or_absent(folder) || !fs::is_directory(folder)) return;
  if (may_hold(folder, "batch.json") && !may_hold(folder, checkpoint_file_name)) return;
  throw usage_error("{} is not empty and not of an earlier bench --save; choose a new folder",
                    printable(folder.string()));
}

}  // namespace fovea
