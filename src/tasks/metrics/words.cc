#include "tasks/metrics/words.h"

#include "base/as_size.h"
#include "base/utf8.h"

namespace fovea {

bool is_space(std::string_view character) {
  const char32_t c = decode_utf8(character);
  if (c < 0x80) return c == ' ' || (c >= '\t' && c <= '\r') || (c >= 0x1C && c <= 0x1F);
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 ||
         c == 0x202F || c == 0x205F || c == 0x3000;
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> found;
  const char* start = text.data();
  const auto end_word = [&](const char* end) {
    if (end > start) found.emplace_back(start, as_size(end - start));
  };
  for (const std::string_view character : characters(text)) {
    if (!is_space(character)) continue;
    end_word(character.data());
    start = character.data() + character.size();
  }
  end_word(text.data() + text.size());
  return found;
}

}  // namespace fovea
