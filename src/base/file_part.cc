#include "base/file_part.h"

#include <fmt/core.h>

#include <algorithm>
#include <fstream>

#include "base/as_size.h"
#include "base/error.h"
#include "base/utf8.h"

namespace fovea {

std::string read_file_part(const std::filesystem::path& path, std::uint64_t from, std::size_t count) {
  std::error_code code;
  const std::uint64_t end = std::filesystem::file_size(path, code);  // of what is no file: an error
  std::ifstream file;
  if (!code) file.open(path, std::ios::binary);
  if (code || !file) {
    throw Error(ErrorKind::failure, fmt::format("cannot read {}: {}", printable(path.native()),
                                                code ? code.message() : "it cannot be opened"));
  }
  if (from >= end) return {};
  std::string bytes(std::min<std::uint64_t>(count, end - from), '\0');
  file.seekg(static_cast<std::streamoff>(from));
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(as_size(file.gcount()));
  return bytes;
}

}  // namespace fovea
