// How text is cut into tokens and put together again. For every text: join(cut(text)) == text.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fovea {

struct Piece {
  std::string_view text;  // into the text that was cut; never empty
  int start = 0;          // in characters of that text
  int end = 0;            // one past the last
};

// Of sound text, without cutting it.
std::int64_t count_characters(std::string_view text);

class Unit {
 public:
  // "char": every code point is a token. "word": one space separates two tokens; the further spaces of a run belong to
  // the word after it, or at the end of the text to the last word, so that no token is empty and no space is lost.
  explicit Unit(std::string_view name);

  std::string name() const;

  // The text must be sound UTF-8.
  std::vector<Piece> cut(std::string_view text) const;
  std::string join(std::span<const std::string> tokens) const;

 private:
  enum class Kind { character, word };
  Kind kind_;
};

}  // namespace fovea
