#include "show/markup.h"

#include "base/utf8.h"

namespace fovea {

std::string escape(std::string_view text) {
  const std::string sound = repair_utf8(text);
  std::string result;
  result.reserve(sound.size());
  for (std::string_view part : characters(sound)) {
    const char32_t c = decode_utf8(part);
    const bool control = (c < 0x20 && c != '\t' && c != '\n') || (c >= 0x7f && c < 0xa0);
    const bool noncharacter = (c & 0xfffe) == 0xfffe || (c >= 0xfdd0 && c <= 0xfdef);
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else if (c == '"') {
      result += "&quot;";
    } else if (c == '\'') {
      result += "&#39;";
    } else if (control || noncharacter) {
      result += "\uFFFD";
    } else {
      result += part;
    }
  }
  return result;
}

std::string escape_text(std::string_view text) { return escape(printable(repair_utf8(text))); }

}  // namespace fovea
