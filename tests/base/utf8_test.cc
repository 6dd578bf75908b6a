#include "base/utf8.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace fovea::utf8_test {
namespace {

using namespace std::string_literals;

TEST(Utf8, EveryCodePointSurvivesEncodingAndDecoding) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c == 0xD800) c = 0xE000;
    const std::string text = encode_utf8(c);
    ASSERT_EQ(decode_utf8(text), c);
    ASSERT_FALSE(find_invalid_utf8(text)) << static_cast<std::uint32_t>(c);
  }
}

TEST(Utf8, WhatIsNoCharacterIsNotEncoded) {
  for (const char32_t c : {0xD800u, 0xDFFFu, 0x110000u, 0xFFFFFFFFu}) EXPECT_THROW(encode_utf8(c), Error);
}

TEST(Utf8, DecodingTakesExactlyOneCharacter) {
  for (const char* text : {"", "ab", "\xC3", "\xC3\xA9z", "\x80"}) EXPECT_THROW(decode_utf8(text), Error) << text;
}

struct Repair {
  std::string text;
  std::optional<std::size_t> invalid_at;
  std::string repaired;
};

TEST(Utf8, IllFormedPartsAreFoundAndReplacedOneByOne) {
  const std::string r = "\xEF\xBF\xBD";
  const std::vector<Repair> cases = {
      {"", {}, ""},
      {"caf\xC3\xA9 \xF0\x9F\x98\x80", {}, "caf\xC3\xA9 \xF0\x9F\x98\x80"},
      {"a\0b"s, {}, "a\0b"s},
      {"a\x80", 1, "a" + r},                                 // lone continuation
      {"ab\xC0\xAF", 2, "ab" + r + r},                       // overlong '/': C0 never begins anything
      {"\xE0\x80\x80", 0, r + r + r},                        // overlong in three bytes
      {"\xED\xA0\x80", 0, r + r + r},                        // surrogate
      {"\xED\x9F\xBF", {}, "\xED\x9F\xBF"},                  // last before the surrogates
      {"\xF0\x80\x80\x80", 0, r + r + r + r},                // overlong in four
      {"\xF4\x90\x80\x80", 0, r + r + r + r},                // U+110000
      {"\xF4\x8F\xBF\xBF", {}, "\xF4\x8F\xBF\xBF"},          // U+10FFFF
      {"\xFF", 0, r},                                        //
      {"x\xE2\x82", 1, "x" + r},                             // cut at the end: one maximal part
      {"\xE2\x82z", 0, r + "z"},                             // cut in the middle
      {"\xF1\x80\x80\xE1\x80\xC2\x62", 0, r + r + r + "b"},  // the example of the Unicode Standard
  };
  for (const Repair& c : cases) {
    EXPECT_EQ(find_invalid_utf8(c.text), c.invalid_at) << testing::PrintToString(c.text);
    EXPECT_EQ(repair_utf8(c.text), c.repaired) << testing::PrintToString(c.text);
    EXPECT_FALSE(find_invalid_utf8(repair_utf8(c.text)));
  }
}

TEST(Utf8, AsciiLowerLeavesOtherLanguagesAlone) { EXPECT_EQ(ascii_lower("AZ az @[ \xC3\x84"), "az az @[ \xC3\x84"); }

TEST(Utf8, EveryPairOfBytesIsJudgedLikeTheTable) {
  for (int a = 0; a < 256; ++a) {
    for (int b = 0; b < 256; ++b) {
      const std::string text = {static_cast<char>(a), static_cast<char>(b)};
      const bool two_ascii = a < 0x80 && b < 0x80;
      const bool one_character = a >= 0xC2 && a <= 0xDF && b >= 0x80 && b <= 0xBF;
      ASSERT_EQ(!find_invalid_utf8(text), two_ascii || one_character) << a << " " << b;
    }
  }
}

TEST(Utf8, CharactersAreViewsOfTheText) {
  const std::string text = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80";
  const auto cut = characters(text);
  ASSERT_EQ(cut.size(), 4u);
  EXPECT_EQ(cut[0].data(), text.data());
  EXPECT_EQ(cut[1], "\xC3\xA9");
  EXPECT_EQ(cut[2], "\xE2\x82\xAC");
  EXPECT_EQ(cut[3], "\xF0\x9F\x98\x80");
  EXPECT_TRUE(characters("").empty());
  EXPECT_THROW(characters("a\xFF"), Error);
}

TEST(Utf8, WidthIsCountedInColumns) {
  EXPECT_EQ(display_width(""), 0);
  EXPECT_EQ(display_width("abc"), 3);
  EXPECT_EQ(display_width("e\xCC\x81"), 1);                 // e and a combining acute
  EXPECT_EQ(display_width("\xE6\x97\xA5\xE6\x9C\xAC"), 4);  // two ideographs
  EXPECT_EQ(display_width("\xF0\x9F\x98\x80"), 2);          // emoji
  EXPECT_EQ(display_width("\xE2\x90\x9B"), 1);              // what printable makes of ESC
  EXPECT_EQ(display_width("a\xFF"), 2);
}

TEST(Utf8, ControlCharactersAreFound) {
  for (char32_t c = 0; c < 0x3000; ++c) {
    const bool control = c < 0x20 || (c >= 0x7F && c < 0xA0);
    EXPECT_EQ(find_control("\xC3\x85" + encode_utf8(c) + "a").has_value(), control) << static_cast<std::uint32_t>(c);
  }
  EXPECT_EQ(find_control("\xC3\x85\x1B\n"), 2u);
  EXPECT_EQ(find_control("\xC2"), std::nullopt);
  EXPECT_EQ(find_control(""), std::nullopt);
}

TEST(Utf8, NothingPrintableCanSteerATerminal) {
  EXPECT_EQ(printable("caf\xC3\xA9"), "caf\xC3\xA9");
  EXPECT_EQ(printable("\x1B[31m"), "\xE2\x90\x9B[31m");
  EXPECT_EQ(printable("a\tb\n\0"s),
            "a\xE2\x90\x89"
            "b\xE2\x90\x8A\xE2\x90\x80");
  EXPECT_EQ(printable("\x7F"), "\xE2\x90\xA1");
  EXPECT_EQ(printable("\xC2\x9B"), "<U+009B>");  // the one-character form of ESC [
  EXPECT_EQ(printable("\xE2\x80\xAE"
                      "abc"),
            "<U+202E>abc");  // right-to-left override
  EXPECT_EQ(printable("\xE2\x81\xA6"), "<U+2066>");
  EXPECT_EQ(printable("\xE2\x80\xA8"), "<U+2028>");
  EXPECT_EQ(printable("\xFF"), "\xEF\xBF\xBD");
  for (char32_t c = 0; c < 0xA0; ++c) {
    const std::string shown = printable(encode_utf8(c));
    for (const std::string_view character : characters(shown)) {
      const char32_t s = decode_utf8(character);
      EXPECT_TRUE(s >= 0x20 && s != 0x7F && !(s >= 0x80 && s < 0xA0)) << static_cast<std::uint32_t>(c);
    }
  }
}

}  // namespace
}  // namespace fovea::utf8_test
