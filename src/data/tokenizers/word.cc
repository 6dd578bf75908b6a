// word: a run of spaces separates two tokens, and those before the first and behind the last are dropped. How many
// spaces there were is lost, so that a word is the same wherever it stands.
#include <algorithm>

#include "data/tokenizer.h"

namespace fovea {

namespace {

class WordTokenizer : public Tokenizer {
 public:
  std::vector<Token> cut(std::string_view text) const override {
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

  std::string join(std::span<const std::string> tokens) const override {
    std::string text;
    for (const std::string& token : tokens) {
      if (&token != tokens.data()) text += ' ';
      text += token;
    }
    return text;
  }
};

}  // namespace

extern const TokenizerKind Tokenizer_word =
    plain_tokenizer<WordTokenizer>("word", "what stands between spaces is a symbol");

}  // namespace fovea
