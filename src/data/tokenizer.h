// How text is cut into tokens and put together again: join(cut(text)) == text for characters, and for words but for
// the number of spaces between them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fovea {

struct Token {
  std::string_view text;  // into the text that was cut; never empty
  int start = 0;          // in characters of that text
  int end = 0;            // one past the last
};

// Of sound text, without cutting it.
std::int64_t count_characters(std::string_view text);

class Tokenizer {
 public:
  // "char": every code point is a token. "word": a run of spaces separates two tokens, and those before the first and
  // behind the last are dropped. How many spaces there were is lost, so that a word is the same wherever it stands.
  explicit Tokenizer(std::string_view name);

  std::string name() const;

  // The text must be sound UTF-8.
  std::vector<Token> cut(std::string_view text) const;
  std::string join(std::span<const std::string> tokens) const;

 private:
  enum class Kind { character, word };
  Kind kind_;
};

}  // namespace fovea
