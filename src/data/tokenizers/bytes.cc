// bytes: every byte of the UTF-8 is a token, so that there are few and hardly any is unknown. Printable ASCII is shown
// as itself, any other byte as <E4>, which is four tokens where a text has it. A model may write bytes that are no
// UTF-8, or that make a control character, which could end a line or steer a terminal: both become U+FFFD.
#include <array>
#include <charconv>
#include <fmt/format.h>

#include "base/utf8.h"
#include "data/tokenizer.h"

namespace fovea {

namespace {

std::array<std::string, 256> name_bytes() {
  std::array<std::string, 256> names;
  for (std::size_t byte = 0; byte < names.size(); ++byte) {
    const bool printable_ascii = byte >= 0x20 && byte < 0x7F;
    names[byte] = printable_ascii ? std::string(1, static_cast<char>(byte)) : fmt::format("<{:02X}>", byte);
  }
  return names;
}

// A text that is no byte's name, such as a copied symbol of a source that is cut otherwise, stays as it is.
void append_token(const std::string& token, std::string& bytes) {
  unsigned byte = 0;
  if (token.size() == 4 && token.front() == '<' && token.back() == '>') {
    const char* const end = token.data() + 3;
    if (std::from_chars(token.data() + 1, end, byte, 16).ptr == end) {
      bytes += static_cast<char>(byte);
      return;
    }
  }
  bytes += token;
}

std::string without_controls(std::string_view text) {
  std::string out;
  while (const auto at = find_control(text)) {
    out.append(text.substr(0, *at)).append("\xEF\xBF\xBD");
    text.remove_prefix(*at + (text[*at] == '\xC2' ? 2 : 1));
  }
  return out.append(text);
}

class ByteTokenizer : public Tokenizer {
 public:
  std::vector<Token> cut(std::string_view text) const override {
    std::vector<Token> tokens;
    tokens.reserve(text.size());
    int character = -1;
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      if ((byte & 0xC0) != 0x80) ++character;
      tokens.push_back({names_[byte], character, character + 1});
    }
    return tokens;
  }

  std::string join(std::span<const std::string> tokens) const override {
    std::string bytes;
    for (const std::string& token : tokens) append_token(token, bytes);
    return without_controls(repair_utf8(bytes));
  }

 private:
  std::array<std::string, 256> names_ = name_bytes();
};

}  // namespace

extern const TokenizerKind Tokenizer_bytes =
    plain_tokenizer<ByteTokenizer>("bytes", "every byte of the UTF-8 is a symbol: at most 256 of them");

}  // namespace fovea
