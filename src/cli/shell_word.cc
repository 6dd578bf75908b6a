#include "cli/shell_word.h"

#include <algorithm>
#include <cctype>
#include <cstring>

namespace fovea {

std::string in_quotes(const std::string& word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

std::string shell_word(const std::string& word) {
  const auto plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || std::strchr("-_./=,:+@%", c); };
  return !word.empty() && std::all_of(word.begin(), word.end(), plain) ? word : in_quotes(word);
}

}  // namespace fovea
