// The ranges of well-formed sequences are Table 3-7 of the Unicode Standard; widths come from utf8proc.
#include "base/utf8.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include "base/as_size.h"
#include "base/error.h"

namespace fovea {
namespace {

constexpr std::string_view replacement_character = "\xEF\xBF\xBD";

// What stands at the start of a text: a well-formed character, or the longest prefix that could have begun one.
struct Part {
  std::size_t length;
  bool sound;
};

// The range of the second byte is what keeps out overlong forms, surrogates and values above U+10FFFF.
Part first_part(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {1, true};
  if (lead < 0xC2 || lead > 0xF4) return {1, false};
  const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  for (std::size_t i = 1; i < length; ++i) {
    if (i == text.size() || byte(i) < low || byte(i) > high) return {i, false};
    low = 0x80;
    high = 0xBF;
  }
  return {length, true};
}

// Calls use(part of the text, is it sound) from left to right until use returns false.
template <class Use>
void for_each_part(std::string_view text, Use use) {
  while (!text.empty()) {
    const Part part = first_part(text);
    if (!use(text.substr(0, part.length), part.sound)) return;
    text.remove_prefix(part.length);
  }
}

bool steers_direction(char32_t c) {
  return c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

}  // namespace

std::optional<std::size_t> find_invalid_utf8(std::string_view text) {
  std::optional<std::size_t> found;
  for_each_part(text, [&](std::string_view part, bool sound) {
    if (!sound) found = as_size(part.data() - text.data());
    return sound;
  });
  return found;
}

std::optional<std::size_t> find_control(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (byte(i) < 0x20 || byte(i) == 0x7F) return i;
    if (byte(i) == 0xC2 && i + 1 < text.size() && byte(i + 1) >= 0x80 && byte(i + 1) < 0xA0) return i;  // U+0080...
  }
  return std::nullopt;
}

std::string ascii_lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

std::string repair_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for_each_part(text, [&](std::string_view part, bool sound) {
    out += sound ? part : replacement_character;
    return true;
  });
  return out;
}

std::vector<std::string_view> characters(std::string_view text) {
  std::vector<std::string_view> out;
  out.reserve(text.size());
  for_each_part(text, [&](std::string_view part, bool sound) {
    check(sound, "characters: byte {} of the text is not UTF-8", part.data() - text.data());
    out.push_back(part);
    return true;
  });
  return out;
}

std::string encode_utf8(char32_t code_point) {
  const auto c = static_cast<std::uint32_t>(code_point);
  check(c <= 0x10FFFF && (c < 0xD800 || c > 0xDFFF), "encode_utf8: U+{:04X} is not a character", c);
  const auto tail = [&](int shift) { return static_cast<char>(0x80 | ((c >> shift) & 0x3F)); };
  if (c < 0x80) return {static_cast<char>(c)};
  if (c < 0x800) return {static_cast<char>(0xC0 | (c >> 6)), tail(0)};
  if (c < 0x10000) return {static_cast<char>(0xE0 | (c >> 12)), tail(6), tail(0)};
  return {static_cast<char>(0xF0 | (c >> 18)), tail(12), tail(6), tail(0)};
}

char32_t decode_utf8(std::string_view character) {
  const bool whole =
      !character.empty() && first_part(character).sound && first_part(character).length == character.size();
  check(whole, "decode_utf8: the {} bytes given are not one UTF-8 character", character.size());
  constexpr unsigned lead_bits[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
  char32_t c = static_cast<unsigned char>(character[0]) & lead_bits[character.size()];
  for (const char next : character.substr(1)) c = (c << 6) | (static_cast<unsigned char>(next) & 0x3F);
  return c;
}

int display_width(std::string_view text) {
  int width = 0;
  for_each_part(text, [&](std::string_view part, bool sound) {
    width += sound ? utf8proc_charwidth(static_cast<utf8proc_int32_t>(decode_utf8(part))) : 1;
    return true;
  });
  return width;
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for_each_part(text, [&](std::string_view part, bool sound) {
    const char32_t c = sound ? decode_utf8(part) : 0xFFFD;
    if (c < 0x20) {
      out += encode_utf8(0x2400 + c);  // the block "Control Pictures" has one for each
    } else if (c == 0x7F) {
      out += encode_utf8(0x2421);
    } else if ((c >= 0x80 && c < 0xA0) || c == 0x2028 || c == 0x2029 || steers_direction(c)) {
      out += fmt::format("<U+{:04X}>", static_cast<std::uint32_t>(c));
    } else {
      out += sound ? part : replacement_character;
    }
    return true;
  });
  return out;
}

std::string beginning(std::string_view text, std::size_t most) {
  if (text.size() <= most) return printable(text);
  std::size_t end = most;
  while (end + 4 > most && end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return printable(text.substr(0, end)) + "...";
}

}  // namespace fovea
