#include "base/shell_word.h"

namespace fovea {

std::string in_quotes(const std::string& word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

std::string shell_word(const std::string& word) {
  constexpr const char* plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=,:+@%";
  return !word.empty() && word.find_first_not_of(plain) == std::string::npos ? word : in_quotes(word);
}

}  // namespace fovea
