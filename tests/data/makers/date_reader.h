// Reads made dates by the rules of dates.h, with regular expressions and lists of its own: it knows nothing of the
// forms that the maker writes.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <regex>
#include <string>
#include <utility>
#include <vector>

namespace fovea::dates_test {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

inline std::string lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  }
  return text;
}

inline int number_of(const std::string& digits) { return std::stoi(digits); }

using Names = std::vector<std::vector<std::string>>;

// Place of the word in the list, from 1, for the whole name or an allowed short form; 0 if it is none.
inline int place(const std::string& word, const Names& names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::count(names[i].begin(), names[i].end(), word) > 0) return static_cast<int>(i) + 1;
  }
  return 0;
}

inline const Names month_names = {{"january", "jan", "jany", "janry"},
                                  {"february", "feb", "feby", "febry", "febr"},
                                  {"march", "mar", "mch"},
                                  {"april", "apr", "apl", "aprl"},
                                  {"may"},
                                  {"june", "jun"},
                                  {"july", "jul"},
                                  {"august", "aug", "augt"},
                                  {"september", "sep", "sept", "septr", "septemb"},
                                  {"october", "oct", "octr", "octob", "octobr"},
                                  {"november", "nov", "novr", "novemb"},
                                  {"december", "dec", "decr", "decemb"}};
inline const Names roman_months = {{"i"},   {"ii"},   {"iii"}, {"iv"}, {"v"},  {"vi"},
                                   {"vii"}, {"viii"}, {"ix"},  {"x"},  {"xi"}, {"xii"}};
inline const Names weekday_names = {{"monday", "mon"},
                                    {"tuesday", "tue", "tues"},
                                    {"wednesday", "wed", "weds"},
                                    {"thursday", "thu", "thur", "thurs"},
                                    {"friday", "fri"},
                                    {"saturday", "sat"},
                                    {"sunday", "sun"}};
inline const std::map<std::string, int> ordinal_words = {
    {"first", 1},      {"second", 2},       {"third", 3},       {"fourth", 4},      {"fifth", 5},
    {"sixth", 6},      {"seventh", 7},      {"eighth", 8},      {"ninth", 9},       {"tenth", 10},
    {"eleventh", 11},  {"twelfth", 12},     {"thirteenth", 13}, {"fourteenth", 14}, {"fifteenth", 15},
    {"sixteenth", 16}, {"seventeenth", 17}, {"eighteenth", 18}, {"nineteenth", 19}, {"twentieth", 20},
    {"thirtieth", 30}};
inline const std::map<std::string, int> cardinal_words = {
    {"one", 1},       {"two", 2},       {"three", 3},    {"four", 4},      {"five", 5},       {"six", 6},
    {"seven", 7},     {"eight", 8},     {"nine", 9},     {"ten", 10},      {"eleven", 11},    {"twelve", 12},
    {"thirteen", 13}, {"fourteen", 14}, {"fifteen", 15}, {"sixteen", 16},  {"seventeen", 17}, {"eighteen", 18},
    {"nineteen", 19}, {"twenty", 20},   {"thirty", 30},  {"forty", 40},    {"fifty", 50},     {"sixty", 60},
    {"seventy", 70},  {"eighty", 80},   {"ninety", 90},  {"hundred", 100}, {"thousand", 1000}};

struct Reading {
  int year = 0;
  int month = 0;
  int day = 0;
  int weekday = 0;  // 1 is Monday; 0 if none is named
  bool short_year = false;
};

inline int full_year(const std::string& digits, bool& is_short) {
  is_short = digits.size() == 2;
  const int year = number_of(digits);
  return !is_short ? year : year < 50 ? 2000 + year : 1900 + year;
}

// nineteen seventy six, eighteen hundred two, two thousand nineteen
inline int year_of(const std::vector<int>& words) {
  int thousands = 0, hundreds = 0, rest = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool multiplies = words[i] >= 100;
    const bool unit = words[i] < 10 && i > 0 && words[i - 1] >= 20 && words[i - 1] < 100;  // the four of twenty-four
    if (words[i] == 1000) thousands = std::exchange(rest, 0);
    if (words[i] == 100) hundreds = std::exchange(rest, 0);
    if (multiplies) continue;
    if (rest > 0 && !unit) hundreds = std::exchange(rest, 0);
    rest += words[i];
  }
  return 1000 * thousands + 100 * hundreds + rest;
}

// What is neither a time of day with its zone nor a number that counts something else. Days that are written in one
// piece with a time are taken apart first; a month that is a number with a word becomes "month4".
inline std::string without_more(std::string text) {
  static const std::string half = " ?[ap]\\.?m\\b\\.?";
  static const std::string zone =
      " ?(z\\b|\\(?(utc|gmt|[ecmp][sd]?t|[ce]es?t|[bij]st)\\b([+-][0-9]{1,2}\\b)?\\)?|"
      "[+-][0-9]{2}:?[0-9]{2}\\b|(eastern|pacific|local|moscow) (war |standard )?time)";
  static const std::vector<std::pair<std::regex, std::string>> changes = {
      {std::regex("[ _]+"), " "},
      {std::regex("\\b([0-9]{4}):([0-9]{2}):([0-9]{2}) "), "$1-$2-$3 "},
      {std::regex("\\b([0-9]{8})[t _-]?[0-9]{6}(z| ?[+-][0-9]{2}:?[0-9]{2})?"), "$1"},
      {std::regex("\\b([0-9]{2})[0-9]{4}z\\b(?= [a-z]{3,4} [0-9]{2})"), "$1"},
      {std::regex("\\b([0-9]{1,2})(st|nd|rd|th) mo(nth)?\\b"), " month$1 "},
      {std::regex("\\[[0-9]{1,3}\\]|\\([0-9]{1,3}\\)|\\b[0-9]+#[0-9]+|\\bv ?[0-9]+\\.[0-9]+"), " "},
      {std::regex("(\\b(no\\.|vol\\.|pp?\\.|pg\\.|page|posts:|aged?|lot|room|flight|at [abc])|\\$|#) "
                  "?[0-9]+([.,-][0-9]+| of [0-9]+)?"),
       " "},
      {std::regex("\\b[0-9]+(th)? (cents|pages|comments|votes|min|miles|years|regiment|edition)\\b"), " "},
  };
  static const std::string front = "(^|t|[^0-9a-z+-])";  // not within an offset from UTC
  static const std::regex times(
      front + "[0-9]{1,2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?(" + half + ")?(" + zone + ")?|" + front +
      "[0-9]{1,2}(\\.[0-9]{2})?( o'clock(" + half + ")?|" + half + ")|\\b[0-9]{1,2}\\.[0-9]{2}" + zone +
      "|\\b12 (noon|midnight)\\b|[a-z]+ (o'clock|minutes to|in the (morning|afternoon|evening))\\b");
  static const std::regex four_digits("\\b([0-9]{4})" + zone);
  for (const auto& [what, instead] : changes) text = std::regex_replace(text, what, instead);
  const std::string timeless = std::regex_replace(text, times, " ");
  if (timeless != text) return std::regex_replace(timeless, four_digits, "$1 ");
  return std::regex_replace(text, four_digits, " ", std::regex_constants::format_first_only);
}

// The parts of a text that can be of a date.
struct Parts {
  std::vector<std::string> numbers;  // in digits
  std::vector<int> year_words;
  int month = 0, day_word = 0, weekday = 0;
  bool contradicts = false;
};

inline void take_number_word(const std::string& word, Parts& parts) {
  if (!ordinal_words.contains(word)) return parts.year_words.push_back(cardinal_words.at(word));
  parts.contradicts |= parts.day_word != 0;
  parts.day_word = ordinal_words.at(word);
  if (parts.day_word < 10 && !parts.year_words.empty() && parts.year_words.back() % 10 == 0) {
    parts.day_word += parts.year_words.back();  // twenty-first
    parts.year_words.pop_back();
  }
}

// Letters behind digits: 3rd, or 3d as it used to be.
inline bool is_suffix_of(int n, const std::string& word) {
  const std::map<int, std::string> suffixes = {{1, "st"},  {21, "st"}, {31, "st"}, {2, "nd"},
                                               {22, "nd"}, {3, "rd"},  {23, "rd"}};
  const std::string usual = suffixes.contains(n) ? suffixes.at(n) : "th";
  return word == usual || (word == "d" && usual.back() == 'd');
}

inline Parts parts_of(const std::string& text) {
  static const std::regex piece("[0-9]+|month[0-9]+|[a-z]+");
  Parts parts;
  for (auto at = std::sregex_iterator(text.begin(), text.end(), piece); at != std::sregex_iterator(); ++at) {
    const std::string word = at->str();
    const auto begin = static_cast<std::size_t>(at->position());
    const bool after_digit = begin > 0 && is_digit(text[begin - 1]);
    const int month =
        word.rfind("month", 0) == 0 && is_digit(word.back()) ? number_of(word.substr(5)) : place(word, month_names);
    const int roman = place(word, roman_months);
    if (is_digit(word[0])) {
      parts.numbers.push_back(word);
    } else if (month != 0 || (roman != 0 && parts.numbers.size() == 1)) {
      parts.contradicts |= parts.month != 0;
      parts.month = month != 0 ? month : roman;
    } else if (const int weekday = place(word, weekday_names)) {
      parts.contradicts |= parts.weekday != 0 && parts.weekday != weekday;
      parts.weekday = weekday;
    } else if (ordinal_words.contains(word) || cardinal_words.contains(word)) {
      take_number_word(word, parts);
    } else if (after_digit && !is_suffix_of(number_of(parts.numbers.back()), word)) {
      parts.contradicts = true;
    }
  }
  return parts;
}

// Numbers alone: the year is the first if it has four digits, else the last; of the others one above 12 is the day.
inline bool read_numbers(std::vector<std::string> numbers, bool dots, Reading& reading) {
  if (numbers.size() == 1 && numbers[0].size() == 8) {
    numbers = {numbers[0].substr(0, 4), numbers[0].substr(4, 2), numbers[0].substr(6, 2)};
  }
  if (numbers.size() != 3) return false;
  const bool year_first = numbers[0].size() == 4;
  if (!year_first) std::rotate(numbers.begin(), numbers.begin() + 2, numbers.end());
  if (numbers[1].size() > 2 || numbers[2].size() > 2) return false;
  const int first = number_of(numbers[1]), second = number_of(numbers[2]);
  const bool day_first = !year_first && (first > 12 || (dots && second <= 12));
  reading.year = full_year(numbers[0], reading.short_year);
  reading.month = day_first ? second : first;
  reading.day = day_first ? first : second;
  return true;
}

// Nothing if the text breaks a rule.
inline std::optional<Reading> read_date(const std::string& written) {
  const std::string text = without_more(lower(written));
  Parts parts = parts_of(text);
  Reading reading;
  reading.month = parts.month;
  reading.weekday = parts.weekday;
  if (parts.contradicts) return std::nullopt;
  if (parts.month == 0) {
    static const std::regex dots("[0-9]\\. ?[0-9]");
    if (parts.day_word != 0 || !parts.year_words.empty()) return std::nullopt;
    return read_numbers(parts.numbers, std::regex_search(text, dots), reading) ? std::optional(reading) : std::nullopt;
  }
  std::vector<std::string> numbers = parts.numbers;
  if (parts.day_word != 0) numbers.insert(numbers.begin(), std::to_string(parts.day_word));
  if (!parts.year_words.empty()) numbers.push_back(std::to_string(year_of(parts.year_words)));
  if (numbers.size() == 3 && numbers[1].size() == 4 && numbers[2].size() == 4) numbers.pop_back();  // a time of day
  if (numbers.size() != 2) return std::nullopt;
  if (numbers[0].size() == 4) std::swap(numbers[0], numbers[1]);
  if (numbers[0].size() > 2) return std::nullopt;
  reading.day = number_of(numbers[0]);
  reading.year = full_year(numbers[1], reading.short_year);
  return reading;
}

}  // namespace fovea::dates_test
