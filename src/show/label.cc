#include "show/label.h"

#include <fmt/core.h>
#include <utf8proc.h>

#include "base/utf8.h"

namespace fovea {
namespace {

bool is_right_to_left(char32_t c) {
  const auto bidi = utf8proc_get_property(static_cast<utf8proc_int32_t>(c))->bidi_class;
  return bidi == UTF8PROC_BIDI_CLASS_R || bidi == UTF8PROC_BIDI_CLASS_AL || bidi == UTF8PROC_BIDI_CLASS_AN;
}

// Stand-in for a character that would not be seen, or would act rather than show; empty for all others.
std::string stand_in(char32_t c) {
  if (c < 0x20) return encode_utf8(0x2400 + c);
  if (c == 0x7f) return "␡";
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
    case UTF8PROC_CATEGORY_ZS:
      return "␣";
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
      return "□";
    default:
      return {};
  }
}

bool is_mark(char32_t c) {
  const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
  return category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_MC || category == UTF8PROC_CATEGORY_ME;
}

// Inside a word the joiners belong to the spelling (Persian, emoji); alone they are invisible.
bool is_joiner(char32_t c) { return c == 0x200c || c == 0x200d; }

std::string name_of(std::string_view text, char32_t first, bool single, bool replaced) {
  if (!single || (!replaced && !is_mark(first))) return fmt::format("“{}”", isolate(text));
  if (first == ' ') return "space (U+0020)";
  return fmt::format("“{}” (U+{:04X})", text, static_cast<unsigned>(first));
}

}  // namespace

Label label_of(std::string_view token) {
  const std::string sound = repair_utf8(token);
  const auto parts = characters(sound);
  if (parts.empty()) return {"∅", "empty", 1};
  Label label;
  bool replaced = false;
  for (std::string_view part : parts) {
    const char32_t c = decode_utf8(part);
    // Jamo vowels have no width of their own either, so the width decides as well as the category.
    if (label.text.empty() && (is_mark(c) || display_width(part) == 0) && stand_in(c).empty()) label.text = "◌";
    const std::string other = is_joiner(c) && !label.text.empty() ? std::string() : stand_in(c);
    replaced = replaced || !other.empty();
    label.text += other.empty() ? std::string(part) : other;
  }
  label.name = name_of(label.text, decode_utf8(parts[0]), parts.size() == 1, replaced);
  label.width = display_width(label.text);
  return label;
}

Label stop_label() { return {"⏎", "stop symbol", 1}; }
Label start_label() { return {"▷", "start symbol", 1}; }

std::string shorten(std::string_view text, int columns) {
  if (display_width(text) <= columns) return std::string(text);
  std::string kept;
  int width = 1;  // of the …
  for (std::string_view part : characters(text)) {
    width += display_width(part);
    if (width > columns) break;
    kept += part;
  }
  return kept + "…";
}

std::string isolate(std::string_view text) {
  for (std::string_view part : characters(text)) {
    if (is_right_to_left(decode_utf8(part))) return fmt::format("\u2068{}\u2069", text);
  }
  return std::string(text);
}

}  // namespace fovea
