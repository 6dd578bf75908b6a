// What tests of tokenizers ask of any of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/utf8.h"
#include "data/tokenizer.h"

namespace fovea {

inline std::vector<std::string> texts_of(const std::vector<Token>& tokens) {
  std::vector<std::string> texts;
  for (const Token& token : tokens) texts.emplace_back(token.text);
  return texts;
}

// Of characters of one to four bytes, many of them seen again, and spaces; no control characters.
inline std::string random_utf8(std::uint64_t seed, std::uint64_t length) {
  std::string text;
  for (std::uint64_t i = 0; i < length; ++i) {
    const std::uint64_t kind = mix(seed, i) % 8, drawn = mix(seed + 1, i);
    if (kind < 2) {
      text += ' ';
    } else if (kind < 6) {
      text += static_cast<char>('a' + drawn % 6);
    } else if (kind == 6) {
      text += encode_utf8(static_cast<char32_t>(0xA0 + drawn % 0x700));
    } else {
      text += encode_utf8(static_cast<char32_t>(drawn % 2 ? 0x4E00 + drawn % 0x5000 : 0x1F300 + drawn % 0x300));
    }
  }
  return text;
}

// Runs of spaces are one space, and there is none at the ends.
inline std::string with_single_spaces(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c != ' ' || (!out.empty() && out.back() != ' ')) out += c;
  }
  if (out.ends_with(' ')) out.pop_back();
  return out;
}

}  // namespace fovea
