// whole: the text is one symbol, whatever it has inside; for labels.
#include "data/tokenizer.h"

namespace fovea {

namespace {

class WholeTokenizer : public Tokenizer {
 public:
  std::vector<Token> cut(std::string_view text) const override {
    if (text.empty()) return {};
    return {{text, 0, static_cast<int>(count_characters(text))}};
  }
};

}  // namespace

extern const TokenizerKind Tokenizer_whole = plain_tokenizer<WholeTokenizer>("whole", "the whole text is one symbol");

}  // namespace fovea
