// UTF-8: checking, repairing, cutting into characters, and how wide a character is on a screen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fovea {

// Offset of the first byte that is not part of a well-formed character; nothing if the text is sound. Overlong forms,
// surrogates and values above U+10FFFF are not well-formed.
std::optional<std::size_t> find_invalid_utf8(std::string_view text);

// Offset of the first control character: U+0000 to U+001F, U+007F to U+009F.
std::optional<std::size_t> find_control(std::string_view text);

// Each maximal ill-formed part becomes one U+FFFD.
std::string repair_utf8(std::string_view text);

// One view per code point; the text must be sound.
std::vector<std::string_view> characters(std::string_view text);

// A to Z as a to z; all else, of whatever language, as it is.
std::string ascii_lower(std::string_view text);

std::string encode_utf8(char32_t code_point);
char32_t decode_utf8(std::string_view character);

// Columns of a terminal: 0 for combining marks, 2 for wide East Asian characters and most emoji, else 1.
int display_width(std::string_view text);

// The text with control characters, and direction overrides, made visible, so that nothing printed can steer a
// terminal.
std::string printable(std::string_view text);

// Printable, and of a long text only enough to recognise it, cut between characters.
std::string beginning(std::string_view text, std::size_t most = 40);

}  // namespace fovea
