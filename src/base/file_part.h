// A part of a file that is too large to be read for so little.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace fovea {

// Up to `count` bytes from `from` on; fewer where it ends. Throws an Error that names the path.
std::string read_file_part(const std::filesystem::path& path, std::uint64_t from, std::size_t count);

}  // namespace fovea
