#include "data/makers/date_words.h"

#include <fmt/format.h>

namespace fovea {

namespace {

constexpr std::array<std::string_view, 20> small_cardinals = {
    "",    "one",    "two",    "three",    "four",     "five",    "six",     "seven",     "eight",    "nine",
    "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"};
constexpr std::array<std::string_view, 20> small_ordinals = {
    "",           "first",     "second",    "third",       "fourth",     "fifth",     "sixth",
    "seventh",    "eighth",    "ninth",     "tenth",       "eleventh",   "twelfth",   "thirteenth",
    "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth"};
constexpr std::array<std::string_view, 10> tens = {"",      "",      "twenty",  "thirty", "forty",
                                                   "fifty", "sixty", "seventy", "eighty", "ninety"};

}  // namespace

std::string_view ordinal_suffix(unsigned number) {
  if (number / 10 % 10 == 1) return "th";
  return number % 10 == 1 ? "st" : number % 10 == 2 ? "nd" : number % 10 == 3 ? "rd" : "th";
}

std::string cardinal(unsigned number) {
  if (number < 20) return std::string(small_cardinals[number]);
  if (number % 10 == 0) return std::string(tens[number / 10]);
  return fmt::format("{}-{}", tens[number / 10], small_cardinals[number % 10]);
}

std::string ordinal(unsigned number) {
  if (number < 20) return std::string(small_ordinals[number]);
  if (number % 10 == 0) return number == 20 ? "twentieth" : "thirtieth";
  return fmt::format("{}-{}", tens[number / 10], small_ordinals[number % 10]);
}

std::string_view roman_month(unsigned month) {
  constexpr std::array<std::string_view, 12> numerals = {"I",   "II",   "III", "IV", "V",  "VI",
                                                         "VII", "VIII", "IX",  "X",  "XI", "XII"};
  return numerals[month - 1];
}

std::string year_in_words(unsigned year, YearWords form, bool with_and) {
  const unsigned hundreds = year / 100, rest = year % 100;
  const bool round = hundreds % 10 == 0;  // nobody says twenty hundred
  if (form == YearWords::pairs && rest >= 10) return cardinal(hundreds) + " " + cardinal(rest);
  std::string text;
  if (round) {
    text = cardinal(hundreds / 10) + " thousand";
  } else if (form == YearWords::thousands) {
    text = fmt::format("{} thousand {} hundred", cardinal(hundreds / 10), cardinal(hundreds % 10));
  } else {
    text = cardinal(hundreds) + " hundred";
  }
  if (rest > 0) text += (with_and ? " and " : " ") + cardinal(rest);
  return text;
}

}  // namespace fovea
