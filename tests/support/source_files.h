// The texts of source files, for tests about the source itself.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>

namespace fovea {

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot open " + path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

// All regular files under a folder: path relative to the folder, with '/', to text.
inline std::map<std::string, std::string> read_texts(const std::filesystem::path& folder) {
  std::map<std::string, std::string> texts;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      texts[entry.path().lexically_relative(folder).generic_string()] = read_text(entry.path());
    }
  }
  return texts;
}

}  // namespace fovea
