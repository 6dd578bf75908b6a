// 13a: as mteval-v13a does, for Western languages. intl: as mteval-v14 does, by what Unicode says of characters. none:
// as the text has them, which is to have been tokenised already.
#include "tasks/metrics/cut_words.h"

#include <utf8proc.h>

#include <algorithm>

#include "base/nearest.h"
#include "base/utf8.h"

namespace fovea {

namespace {

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_stop(char c) { return c == '.' || c == ','; }
// Those of ASCII that always stand alone: not ' - . and ,
bool is_mark(char c) {
  return (c >= '{' && c <= '~') || (c >= '[' && c <= '`') || (c >= ' ' && c <= '&') || (c >= '(' && c <= '+') ||
         (c >= ':' && c <= '@') || c == '/';
}

// One rule of mteval: wherever two characters are such a pair, from left to right, with no character in two of them,
// spaces are set around one of them. A character of several bytes is none of those that are asked for, so bytes do.
template <class Pair>
std::string set_apart(const std::string& text, bool second, const Pair& pair) {
  std::string out;
  out.reserve(2 * text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i + 1 == text.size() || !pair(text[i], text[i + 1])) {
      out += text[i];
      continue;
    }
    if (!second) out += ' ';
    out += text[i++];
    out += ' ';
    out += text[i];
    if (second) out += ' ';
  }
  return out;
}

// By the first letter of their category: P, S, N.
char class_of(std::string_view character) {
  return utf8proc_category_string(static_cast<utf8proc_int32_t>(decode_utf8(character)))[0];
}

// As set_apart, of whole characters.
template <class Pair>
std::string set_characters_apart(const std::string& text, bool second, const Pair& pair) {
  const auto all = characters(text);
  std::string out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i + 1 == all.size() || !pair(class_of(all[i]), class_of(all[i + 1]))) {
      out += all[i];
      continue;
    }
    if (!second) out += ' ';
    out += all[i++];
    out += ' ';
    out += all[i];
    if (second) out += ' ';
  }
  return out;
}

std::string cut_intl(std::string_view text) {
  std::string out = set_characters_apart(std::string(text), true, [](char a, char b) { return a != 'N' && b == 'P'; });
  out = set_characters_apart(out, false, [](char a, char b) { return a == 'P' && b != 'N'; });
  std::string apart;
  for (const std::string_view character : characters(out)) {
    const bool symbol = class_of(character) == 'S';
    if (symbol) apart += ' ';
    apart += character;
    if (symbol) apart += ' ';
  }
  return apart;
}

std::string cut_none(std::string_view text) { return std::string(text); }

struct NamedCutter {
  const char* name;
  CutWords cut;
};
constexpr NamedCutter cutters[] = {{"13a", cut_13a}, {"intl", cut_intl}, {"none", cut_none}};

}  // namespace

std::string cut_13a(std::string_view line) {
  std::string text(line);
  replace_all(text, "<skipped>", "");
  replace_all(text, "&quot;", "\"");
  replace_all(text, "&amp;", "&");
  replace_all(text, "&lt;", "<");
  replace_all(text, "&gt;", ">");
  std::string out = " ";
  for (const char c : text) {
    if (is_mark(c)) out += ' ';
    out += c;
    if (is_mark(c)) out += ' ';
  }
  out += ' ';
  out = set_apart(out, true, [](char a, char b) { return !is_digit(a) && is_stop(b); });
  out = set_apart(out, false, [](char a, char b) { return is_stop(a) && !is_digit(b); });
  return set_apart(out, true, [](char a, char b) { return is_digit(a) && b == '-'; });
}

std::vector<std::string> word_cutters() {
  std::vector<std::string> names;
  for (const NamedCutter& one : cutters) names.emplace_back(one.name);
  return names;
}

CutWords word_cutter(std::string_view name) {
  const auto found = std::ranges::find(cutters, name, &NamedCutter::name);
  if (found == std::end(cutters)) throw unknown_name("way to cut words", name, word_cutters());
  return found->cut;
}

}  // namespace fovea
