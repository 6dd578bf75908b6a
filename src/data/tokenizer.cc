#include "data/tokenizer.h"

#include <algorithm>

#include "base/error.h"
#include "base/utf8.h"

namespace fovea {

std::string Tokenizer::join(std::span<const std::string> tokens) const {
  std::string text;
  for (const std::string& token : tokens) text += token;
  return text;
}

#define TOKENIZER(name) extern const TokenizerKind Tokenizer_##name;
#include "data/tokenizers/tokenizers.def"
#undef TOKENIZER

namespace {

std::string_view argument_of(std::string_view setting) {
  return setting.substr(std::min(setting.find(':'), setting.size()));
}

}  // namespace

// Every byte but a continuation byte begins a character.
std::vector<std::string_view> Tokenizer::symbols(std::string_view text) const {
  std::vector<std::string_view> all;
  for (const Token& token : cut(text)) all.push_back(token.text);
  return all;
}

std::int64_t count_characters(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

void check_no_argument(std::string_view argument) {
  if (!argument.empty()) throw usage_error("nothing may follow the tokenizer's name, got \"{}\"", beginning(argument));
}

const Registry<TokenizerKind>& tokenizers() {
  static const Registry<TokenizerKind> list("tokenizer", {
#define TOKENIZER(name) &Tokenizer_##name,
#include "data/tokenizers/tokenizers.def"
#undef TOKENIZER
                                                         });
  return list;
}

std::vector<std::string> tokenizer_examples() {
  std::vector<std::string> examples;
  for (const TokenizerKind* kind : tokenizers()) examples.emplace_back(kind->example);
  return examples;
}

const TokenizerKind& tokenizer_kind(std::string_view setting) {
  const TokenizerKind& kind = tokenizers().find(setting.substr(0, setting.find(':')));
  kind.check(argument_of(setting));
  return kind;
}

TokenizerPtr learn_tokenizer(std::string_view setting, std::span<const std::string_view> texts) {
  return tokenizer_kind(setting).learn(argument_of(setting), texts);
}

TokenizerPtr make_tokenizer(std::string_view setting, std::string_view learned) {
  return tokenizer_kind(setting).restore(learned);
}

}  // namespace fovea
