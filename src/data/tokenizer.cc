#include "data/tokenizer.h"

#include <algorithm>

#include "base/error.h"
#include "base/utf8.h"

namespace fovea {

namespace {

std::vector<Token> cut_characters(std::string_view text) {
  std::vector<Token> tokens;
  for (const std::string_view character : characters(text)) {
    const int at = static_cast<int>(tokens.size());
    tokens.push_back({character, at, at + 1});
  }
  return tokens;
}

std::vector<Token> cut_words(std::string_view text) {
  std::vector<Token> tokens;
  int start = 0;
  for (std::size_t at = 0, begin; (begin = text.find_first_not_of(' ', at)) != text.npos;) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    start += static_cast<int>(begin - at);
    const auto length = static_cast<int>(count_characters(word));
    tokens.push_back({word, start, start + length});
    start += length;
    at = end;
  }
  return tokens;
}

}  // namespace

// Every byte but a continuation byte begins a character.
std::int64_t count_characters(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

Tokenizer::Tokenizer(std::string_view name) {
  if (name == "char") {
    kind_ = Kind::character;
  } else if (name == "word") {
    kind_ = Kind::word;
  } else {
    throw usage_error("tokenizer \"{}\" is unknown; known: char, word", printable(name));
  }
}

std::string Tokenizer::name() const { return kind_ == Kind::character ? "char" : "word"; }

std::vector<Token> Tokenizer::cut(std::string_view text) const {
  return kind_ == Kind::character ? cut_characters(text) : cut_words(text);
}

std::string Tokenizer::join(std::span<const std::string> tokens) const {
  std::string text;
  for (const std::string& token : tokens) {
    if (kind_ == Kind::word && &token != tokens.data()) text += ' ';
    text += token;
  }
  return text;
}

}  // namespace fovea
