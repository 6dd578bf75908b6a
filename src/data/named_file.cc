#include "data/named_file.h"

#include <algorithm>

#include "base/error.h"
#include "base/file_part.h"
#include "base/files.h"
#include "base/utf8.h"
#include "data/named_parts.h"
#include "data/normalise.h"

namespace fovea {

namespace {

std::filesystem::path path_of(const SourceCell& cell, std::string_view folder) {
  return std::filesystem::path(folder.empty() ? cell.files.folder : folder) / cell.text;
}

// One refusal for all: whether there is something elsewhere is nobody's business either.
std::filesystem::path path_below(const SourceCell& cell) {
  std::error_code failed;
  const std::filesystem::path root = std::filesystem::canonical(cell.files.folder, failed);
  const std::filesystem::path path =
      failed ? std::filesystem::path() : std::filesystem::canonical(root / cell.text, failed);
  const bool below = !failed && std::ranges::mismatch(root, path).in1 == root.end();
  if (!below || !std::filesystem::is_regular_file(path, failed)) {
    throw data_error("\"{}\" names no file in the folder whose files are opened here (`files`)", beginning(cell.text));
  }
  return path;
}

template <class Read>
std::string read_named(const SourceCell& cell, std::string_view folder, const Read& read) {
  if (cell.files.open == OpenFiles::none) {
    throw data_error(
        "\"{}\" names a file, and files that a line names are not opened here; start the server with the folder they "
        "are in (`files`)",
        beginning(cell.text));
  }
  if (cell.text.empty() || find_control(cell.text)) throw data_error("\"{}\" names no file", beginning(cell.text));
  const bool any = cell.files.open == OpenFiles::any;
  const std::filesystem::path path = any ? path_of(cell, folder) : path_below(cell);
  std::error_code none;
  const bool there = std::filesystem::exists(path, none);
  try {
    // A pipe could be waited for without end.
    if (there && !std::filesystem::is_regular_file(path, none)) {
      throw data_error("cannot read {}: it is a folder, a pipe or a device", printable(path.native()));
    }
    return read(path);
  } catch (const Error& e) {
    if (!any) throw data_error("\"{}\" cannot be read, or is too large", beginning(cell.text));
    if (there) throw;
    throw data_error("{}; a name is looked for beside the data file, or in source.folder", e.what());
  }
}

}  // namespace

std::string named_place(const SourceCell& cell, std::string_view folder) {
  return cell.files.open == OpenFiles::any ? path_of(cell, folder).string() : std::string(cell.text);
}

std::vector<SourceCell> named_one_by_one(const SourceCell& cell) {
  constexpr std::string_view between = " + ";
  std::vector<SourceCell> cells;
  std::string_view rest = cell.text;
  for (std::size_t end = 0; (end = rest.find(between)) != rest.npos; rest.remove_prefix(end + between.size())) {
    cells.emplace_back(rest.substr(0, end), cell.files);
  }
  cells.emplace_back(rest, cell.files);
  return cells;
}

bool names_files_like(std::string_view cell, std::initializer_list<std::string_view> endings) {
  return std::ranges::all_of(named_one_by_one(cell), [&](const SourceCell& one) {
    const std::string name = lower_case(one.text);
    return std::ranges::any_of(endings, [&](std::string_view ending) { return name.ends_with(ending); });
  });
}

std::string read_named_file(const SourceCell& cell, std::string_view folder, std::uint64_t max_bytes) {
  return read_named(cell, folder, [&](const auto& path) {
    std::string bytes = Files().read(path, max_bytes);
    if (bytes.empty()) throw data_error("{}: an empty file", printable(path.native()));
    return bytes;
  });
}

std::string read_named_part(const SourceCell& cell, std::string_view folder, std::uint64_t from, std::size_t count) {
  return read_named(cell, folder, [&](const auto& path) { return read_file_part(path, from, count); });
}

}  // namespace fovea
