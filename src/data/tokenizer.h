// How text is cut into tokens and put together again. To add a way: a file in tokenizers/ with its class and its entry,
// and a line in tokenizers.def.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/registry.h"

namespace fovea {

struct Token {
  std::string_view text;  // into the text that was cut, or into the tokenizer; never empty
  int start = 0;          // in characters of the text that was cut
  int end = 0;            // one past the last
};

inline constexpr std::string_view word_mark = "\xE2\x96\x81";  // U+2581, as SentencePiece has it

// Of sound text, without cutting it.
std::int64_t count_characters(std::string_view text);

class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  // The text must be sound UTF-8.
  virtual std::vector<Token> cut(std::string_view text) const = 0;
  // The texts of its tokens.
  std::vector<std::string_view> symbols(std::string_view text) const;
  // Sound UTF-8 if the tokens are, whatever a model makes of them. One behind the other, unless something else is said.
  virtual std::string join(std::span<const std::string> tokens) const;
  // What it learned, as text that a model file can hold; empty if it learns nothing.
  virtual std::string learned() const { return {}; }
};

using TokenizerPtr = std::shared_ptr<const Tokenizer>;

struct TokenizerKind {
  std::string_view name;
  std::string_view example;  // of a setting that asks for it
  std::string_view description;
  // A setting is a name or name:argument. Throws a usage_error unless the argument is one.
  void (*check)(std::string_view argument);
  // From the texts it is to cut in training.
  TokenizerPtr (*learn)(std::string_view argument, std::span<const std::string_view> texts);
  // From what it once learned, which may be hostile.
  TokenizerPtr (*restore)(std::string_view learned);
  bool learns = false;
  bool marks_words = false;  // a token that begins a word begins with word_mark
};

// The entry of one that learns nothing.
void check_no_argument(std::string_view argument);
template <class Plain>
constexpr TokenizerKind plain_tokenizer(std::string_view name, std::string_view description) {
  return {name,
          name,
          description,
          check_no_argument,
          [](std::string_view, std::span<const std::string_view>) -> TokenizerPtr { return std::make_shared<Plain>(); },
          [](std::string_view) -> TokenizerPtr { return std::make_shared<Plain>(); }};
}

const Registry<TokenizerKind>& tokenizers();

// Settings that can be given as they are, one for each kind.
std::vector<std::string> tokenizer_examples();

// All three throw a usage_error if the setting asks for nothing there is; it is checked first.
const TokenizerKind& tokenizer_kind(std::string_view setting);
TokenizerPtr learn_tokenizer(std::string_view setting, std::span<const std::string_view> texts);
// One that learned nothing, or this. Throws a model_error unless it can be what that kind learned.
TokenizerPtr make_tokenizer(std::string_view setting, std::string_view learned = {});

}  // namespace fovea
