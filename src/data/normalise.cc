#include "data/normalise.h"

#include <utf8proc.h>

#include <cstdlib>
#include <memory>

#include "base/as_size.h"
#include "base/error.h"
#include "base/nearest.h"
#include "base/utf8.h"

namespace fovea {

namespace {

std::string compose(std::string_view text, utf8proc_option_t more) {
  utf8proc_uint8_t* mapped = nullptr;
  const auto options = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE | more);
  const utf8proc_ssize_t size = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                             static_cast<utf8proc_ssize_t>(text.size()), &mapped, options);
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owned(mapped, &std::free);
  if (size < 0) throw data_error("\"{}\" cannot be normalised: {}", beginning(text), utf8proc_errmsg(size));
  return {reinterpret_cast<const char*>(mapped), as_size(size)};
}

std::string nfc(std::string_view text) { return compose(text, utf8proc_option_t()); }
std::string nfkc(std::string_view text) { return compose(text, UTF8PROC_COMPAT); }

// A run of what separates words becomes one space, and none is left at the ends.
std::string one_space(std::string_view text) {
  std::string out;
  bool gap = false;
  for (const std::string_view character : characters(text)) {
    if (utf8proc_category(static_cast<utf8proc_int32_t>(decode_utf8(character))) == UTF8PROC_CATEGORY_ZS) {
      gap = !out.empty();
      continue;
    }
    if (gap) out += ' ';
    gap = false;
    out += character;
  }
  return out;
}

enum class Sort { letter, digit, punctuation, other };

Sort sort_of(std::string_view character) {
  // They are parts of addresses, tags, shares and marks such as <br />, of which nothing would be left.
  constexpr std::string_view parts = "/@#%&*_\\";
  if (parts.find(character) != std::string_view::npos) return Sort::other;
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(decode_utf8(character)))) {
    case UTF8PROC_CATEGORY_ND:
      return Sort::digit;
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
      return Sort::letter;
    case UTF8PROC_CATEGORY_PD:
    case UTF8PROC_CATEGORY_PS:
    case UTF8PROC_CATEGORY_PE:
    case UTF8PROC_CATEGORY_PI:
    case UTF8PROC_CATEGORY_PF:
    case UTF8PROC_CATEGORY_PO:
      return Sort::punctuation;
    default:
      return Sort::other;
  }
}

// Whether a mark joins what stands before and after it: don't, well-known, 3.14, 7:40.
bool joins(std::string_view mark, Sort before, Sort after) {
  if (before == Sort::digit && after == Sort::digit && (mark == "." || mark == "," || mark == ":")) return true;
  const auto of_word = [](Sort sort) { return sort == Sort::letter || sort == Sort::digit; };
  return of_word(before) && of_word(after) && (mark == "'" || mark == "\u2019" || mark == "-");
}

// Punctuation stands between spaces, each mark for itself.
std::string set_apart(std::string_view text) {
  const std::vector<std::string_view> all = characters(text);
  std::vector<Sort> sorts;
  for (const std::string_view character : all) sorts.push_back(sort_of(character));
  const auto sort = [&](std::size_t i) { return i < sorts.size() ? sorts[i] : Sort::other; };
  std::string out;
  bool apart = false;  // what comes next
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool mark = sorts[i] == Sort::punctuation && !joins(all[i], sort(i - 1), sort(i + 1));
    if ((mark || apart) && !out.empty() && out.back() != ' ' && all[i] != " ") out += ' ';
    out += all[i];
    apart = mark;
  }
  return out;
}

struct NamedStep {
  const char* name;
  std::string (*run)(std::string_view);
};
constexpr NamedStep known_steps[] = {
    {"nfc", nfc}, {"nfkc", nfkc}, {"lower", lower_case}, {"spaces", one_space}, {"punctuation", set_apart}};

}  // namespace

std::string lower_case(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const std::string_view character : characters(text)) {
    if (character.size() == 1) {
      const char c = character[0];
      out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    } else {
      out +=
          encode_utf8(static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(decode_utf8(character)))));
    }
  }
  return out;
}

std::vector<std::string> Normaliser::steps() {
  std::vector<std::string> names;
  for (const NamedStep& step : known_steps) names.emplace_back(step.name);
  return names;
}

Normaliser::Normaliser(std::string_view setting) {
  while (!setting.empty()) {
    const std::size_t comma = setting.find_first_of(",+");
    std::string_view name = setting.substr(0, comma);
    while (name.starts_with(' ')) name.remove_prefix(1);
    while (name.ends_with(' ')) name.remove_suffix(1);
    Step found = nullptr;
    for (const NamedStep& step : known_steps) {
      if (step.name == name) found = step.run;
    }
    if (!found) throw unknown_name("way to normalise", name, steps());
    steps_.push_back(found);
    setting = comma == std::string_view::npos ? std::string_view() : setting.substr(comma + 1);
    if (comma != std::string_view::npos && setting.empty())
      throw usage_error("a comma ends the list; what follows it?");
  }
}

std::string Normaliser::operator()(std::string_view text) const {
  std::string out(text);
  for (const Step step : steps_) out = step(out);
  return out;
}

}  // namespace fovea
