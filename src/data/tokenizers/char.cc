// char: every code point is a token.
#include "base/utf8.h"
#include "data/tokenizer.h"

namespace fovea {

namespace {

class CharTokenizer : public Tokenizer {
 public:
  std::vector<Token> cut(std::string_view text) const override {
    std::vector<Token> tokens;
    for (const std::string_view character : characters(text)) {
      const int at = static_cast<int>(tokens.size());
      tokens.push_back({character, at, at + 1});
    }
    return tokens;
  }
};

}  // namespace

extern const TokenizerKind Tokenizer_char = plain_tokenizer<CharTokenizer>("char", "every character is a symbol");

}  // namespace fovea
