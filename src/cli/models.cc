#include "cli/models.h"

#include <array>
#include <fstream>

#include "base/error.h"
#include "base/utf8.h"

namespace fovea {

namespace {

// A model file begins with the length of its header, eight bytes of which the last are zero, and the header: a text
// has neither.
bool is_model(const std::filesystem::path& path) {
  std::error_code unreadable;
  if (std::filesystem::is_directory(path, unreadable)) return true;
  if (!std::filesystem::is_regular_file(path, unreadable)) return false;
  std::array<char, 9> bytes{};
  std::ifstream(path, std::ios::binary).read(bytes.data(), bytes.size());
  return bytes[7] == 0 && bytes[8] == '{';
}

}  // namespace

ModelWords split_models(const std::vector<std::string>& words) {
  ModelWords split;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i == 0 || is_model(words[i])) {
      split.models.emplace_back(words[i]);
    } else if (i + 1 == words.size()) {
      split.file = words[i];
    } else {
      throw usage_error("{} is no model, and only the last of these words may be a file of lines", printable(words[i]));
    }
  }
  return split;
}

}  // namespace fovea
