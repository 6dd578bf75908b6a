// Checks the made dates with a reader that knows the rules of dates.h and nothing of the formats.
#include "data/makers/dates.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace fovea::dates_test {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

std::string lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  }
  return text;
}

int number_of(const std::string& digits) { return std::stoi(digits); }

// Place of the word in the list, from 1, for the whole name or an allowed short form; 0 if it is none.
int place(const std::string& word, const std::vector<std::vector<std::string>>& names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::count(names[i].begin(), names[i].end(), word) > 0) return static_cast<int>(i) + 1;
  }
  return 0;
}

const std::vector<std::vector<std::string>> month_names = {{"january", "jan"},
                                                           {"february", "feb"},
                                                           {"march", "mar"},
                                                           {"april", "apr"},
                                                           {"may"},
                                                           {"june", "jun"},
                                                           {"july", "jul"},
                                                           {"august", "aug"},
                                                           {"september", "sep", "sept"},
                                                           {"october", "oct"},
                                                           {"november", "nov"},
                                                           {"december", "dec"}};
const std::vector<std::vector<std::string>> weekday_names = {
    {"monday", "mon"}, {"tuesday", "tue", "tues"}, {"wednesday", "wed"}, {"thursday", "thu", "thurs"},
    {"friday", "fri"}, {"saturday", "sat"},        {"sunday", "sun"}};
const std::map<std::string, int> number_words = {
    {"first", 1},      {"second", 2},       {"third", 3},       {"fourth", 4},      {"fifth", 5},
    {"sixth", 6},      {"seventh", 7},      {"eighth", 8},      {"ninth", 9},       {"tenth", 10},
    {"eleventh", 11},  {"twelfth", 12},     {"thirteenth", 13}, {"fourteenth", 14}, {"fifteenth", 15},
    {"sixteenth", 16}, {"seventeenth", 17}, {"eighteenth", 18}, {"nineteenth", 19}, {"twentieth", 20},
    {"thirtieth", 30}, {"twenty", 20},      {"thirty", 30}};

struct Reading {
  int year = 0;
  int month = 0;
  int day = 0;
  int weekday = 0;  // 1 is Monday; 0 if none is named
  bool short_year = false;
};

int full_year(const std::string& digits, bool& is_short) {
  is_short = digits.size() == 2;
  const int year = number_of(digits);
  return !is_short ? year : year < 50 ? 2000 + year : 1900 + year;
}

// What is neither a time of day with its zone nor one of the words that say nothing. A zone stands only behind a time.
std::string without_more(const std::string& text) {
  static const std::regex time(
      "t?[0-9]{1,2}:[0-9]{2}(:[0-9]{2})?( ?[ap]\\.?m\\.?)?(z| (utc|gmt|est|cet|[+-][0-9]{2}:?[0-9]{2}))?"
      "|[0-9]{1,2} ?[ap]\\.?m\\b\\.?");
  static const std::regex words(
      "^ *(date:|dated|posted on|published|due|since|until|born|signed|as of|updated:|written|on|c\\.) "
      "| (\\(revised\\)|in london|edition|at noon|ad) *$|\\.$");
  static const std::regex spaces(" +");
  return std::regex_replace(std::regex_replace(std::regex_replace(text, spaces, " "), time, " "), words, " ");
}

// Nothing if the text breaks a rule.
std::optional<Reading> read_date(const std::string& written) {
  const std::string text = without_more(lower(written));
  Reading reading;
  std::vector<std::string> numbers;
  int spelled_day = 0;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t begin = i;
    if (is_digit(text[i])) {
      while (i < text.size() && is_digit(text[i])) ++i;
      numbers.push_back(text.substr(begin, i - begin));
      continue;
    }
    if (!is_letter(text[i])) {
      ++i;
      continue;
    }
    while (i < text.size() && is_letter(text[i])) ++i;
    const std::string word = text.substr(begin, i - begin);
    const bool after_digit = begin > 0 && is_digit(text[begin - 1]);
    if (const int month = place(word, month_names)) {
      if (reading.month != 0) return std::nullopt;
      reading.month = month;
    } else if (const int weekday = place(word, weekday_names)) {
      reading.weekday = weekday;
    } else if (number_words.contains(word)) {
      spelled_day += number_words.at(word);
    } else if (after_digit) {
      const int n = number_of(numbers.back());
      const std::map<int, std::string> suffixes = {{1, "st"},  {21, "st"}, {31, "st"}, {2, "nd"},
                                                   {22, "nd"}, {3, "rd"},  {23, "rd"}};
      if (word != (suffixes.contains(n) ? suffixes.at(n) : "th")) return std::nullopt;
    } else if (word != "the" && word != "of" && word != "on" && word != "day") {
      return std::nullopt;
    }
  }
  if (spelled_day > 0) numbers.insert(numbers.begin(), std::to_string(spelled_day));

  if (reading.month != 0) {
    if (numbers.size() != 2) return std::nullopt;
    if (numbers[0].size() == 4) std::swap(numbers[0], numbers[1]);
    if (numbers[0].size() > 2) return std::nullopt;
    reading.day = number_of(numbers[0]);
    reading.year = full_year(numbers[1], reading.short_year);
    return reading;
  }
  if (numbers.size() == 1 && numbers[0].size() == 8) {
    numbers = {numbers[0].substr(0, 4), numbers[0].substr(4, 2), numbers[0].substr(6, 2)};
  }
  if (numbers.size() != 3) return std::nullopt;
  const bool slashes = text.find('/') != std::string::npos;
  const bool dots = text.find('.') != std::string::npos;
  if (numbers[0].size() == 4) {
    reading.year = number_of(numbers[0]);
    reading.month = number_of(numbers[1]);
    reading.day = number_of(numbers[2]);
  } else if (slashes != dots) {
    reading.month = number_of(numbers[slashes ? 0 : 1]);
    reading.day = number_of(numbers[slashes ? 1 : 0]);
    reading.year = full_year(numbers[2], reading.short_year);
  } else {
    return std::nullopt;
  }
  return reading;
}

// Zeller's congruence, 1 is Monday.
int weekday_of(int year, int month, int day) {
  if (month < 3) {
    month += 12;
    --year;
  }
  const int h = (day + 13 * (month + 1) / 5 + year + year / 4 - year / 100 + year / 400) % 7;  // 0 is Saturday
  return (h + 5) % 7 + 1;
}

TEST(Dates, ReaderUnderstandsKnownTexts) {
  const auto iso = [](const std::string& text) {
    const auto r = read_date(text);
    return r ? fmt::format("{:04}-{:02}-{:02} {}", r->year, r->month, r->day, r->weekday) : "unreadable";
  };
  EXPECT_EQ(iso("3rd of May 1999"), "1999-05-03 0");
  EXPECT_EQ(iso("tuesday 5 march, 2024"), "2024-03-05 2");
  EXPECT_EQ(iso("09.11.01"), "2001-11-09 0");
  EXPECT_EQ(iso("Sept 7 '84"), "1984-09-07 0");
  EXPECT_EQ(iso("the twenty-fifth of December, 2010"), "2010-12-25 0");
  EXPECT_EQ(iso("3th of May 1999"), "unreadable");
  EXPECT_EQ(iso("7:40 p.m. Nov. 3, 2011"), "2011-11-03 0");
  EXPECT_EQ(iso("Tue, 14 Jun 2011 08:12:05 +0200"), "2011-06-14 2");
  EXPECT_EQ(iso("Posted on 3.5.1066, 7 PM"), "1066-05-03 0");
  EXPECT_EQ(weekday_of(2024, 3, 5), 2);
  EXPECT_EQ(weekday_of(2000, 1, 1), 6);
}

TEST(Dates, EveryTextHasTheOneRightAnswer) {
  std::unordered_map<std::string, std::string> answers;
  std::set<std::size_t> with_weekday;
  for (std::uint64_t i = 0; i < 60000; ++i) {
    const Example example = make_date(i % 3, i);
    const auto reading = read_date(example.source);
    ASSERT_TRUE(reading) << example.source;
    ASSERT_EQ(fmt::format("{:04}-{:02}-{:02}", reading->year, reading->month, reading->day), example.target)
        << example.source;
    using namespace std::chrono;
    const auto date = year(reading->year) / reading->month / reading->day;
    ASSERT_TRUE(date.ok()) << example.target;
    ASSERT_GE(reading->year, reading->short_year ? 1950 : 1000);
    ASSERT_LE(reading->year, reading->short_year ? 2049 : 2199);
    if (reading->weekday != 0) {
      with_weekday.insert(date_format_of(i % 3, i));
      ASSERT_EQ(reading->weekday, weekday_of(reading->year, reading->month, reading->day)) << example.source;
    }
    const auto [known, fresh] = answers.emplace(lower(example.source), example.target);
    ASSERT_EQ(known->second, example.target) << example.source;
  }
  EXPECT_GE(with_weekday.size(), 10u);
}

TEST(Dates, FormatsAreManyDistinctAndEquallyFrequent) {
  const auto formats = date_formats();
  EXPECT_GE(formats.size(), 60u);
  EXPECT_EQ(std::set(formats.begin(), formats.end()).size(), formats.size());
  std::vector<int> counts(formats.size(), 0);
  const int made = 1000 * static_cast<int>(formats.size());
  for (int i = 0; i < made; ++i) ++counts.at(date_format_of(1, static_cast<std::uint64_t>(i)));
  for (std::size_t f = 0; f < formats.size(); ++f) EXPECT_NEAR(counts[f], 1000, 160) << formats[f];  // 5 sigma
}

// Two formats that fill in alike would only make that look twice as frequent.
TEST(Dates, FormatsLookDifferent) {
  std::map<std::size_t, std::set<std::string>> shapes;
  for (std::uint64_t i = 0; i < 100000; ++i) {
    std::string shape;
    for (const char c : lower(make_date(1, i).source)) {
      const char kind = is_digit(c) ? '0' : is_letter(c) ? 'a' : c;
      shape += kind;
    }
    shapes[date_format_of(1, i)].insert(shape);
  }
  std::set<std::set<std::string>> different;
  for (const auto& [format, set] : shapes) different.insert(set);
  EXPECT_GE(different.size(), 60u);
}

TEST(Dates, DaysAndCasesAreSpread) {
  std::map<std::string, int> months;
  std::map<std::string, int> centuries;
  int small = 0;
  int capital = 0;
  int lettered = 0;
  const int made = 50000;
  for (int i = 0; i < made; ++i) {
    const Example example = make_date(5, static_cast<std::uint64_t>(i));
    ++months[example.target.substr(5, 2)];
    ++centuries[example.target.substr(0, 2)];
    if (date_formats()[date_format_of(5, static_cast<std::uint64_t>(i))].find("{month}") == std::string_view::npos)
      continue;
    const bool has_small = example.source.find_first_of("abcdefghijklmnopqrstuvwxyz") != std::string::npos;
    const bool has_capital = example.source.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") != std::string::npos;
    lettered += has_small || has_capital ? 1 : 0;
    small += has_small && !has_capital ? 1 : 0;
    capital += has_capital && !has_small ? 1 : 0;
  }
  ASSERT_EQ(months.size(), 12u);
  for (const auto& [month, count] : months) EXPECT_NEAR(count, made / 12.0, made / 100.0) << month;
  EXPECT_EQ(centuries.size(), 12u);  // 10 to 21
  EXPECT_NEAR(centuries["18"] / static_cast<double>(made), 0.25, 0.05);
  EXPECT_NEAR(static_cast<double>(small) / lettered, 1.0 / 3, 0.02);
  EXPECT_NEAR(static_cast<double>(capital) / lettered, 1.0 / 6, 0.02);
}

TEST(Dates, ATimeOfDayAndOtherWordsComeOften) {
  int times = 0, strays = 0, doubled = 0;
  const int made = 20000;
  for (int i = 0; i < made; ++i) {
    const std::string text = lower(make_date(6, static_cast<std::uint64_t>(i)).source);
    static const std::regex time("[0-9]:[0-9]{2}|[0-9] ?[ap]\\.?m\\b");
    static const std::regex word(
        "date|posted|published|due|since|until|born|signed|as of|written|revised|london|edition");
    times += std::regex_search(text, time);
    strays += std::regex_search(text, word);
    doubled += text.find("  ") != std::string::npos;
  }
  EXPECT_NEAR(times / static_cast<double>(made), 0.26, 0.03);
  EXPECT_NEAR(strays / static_cast<double>(made), 14.0 / 20 / 6, 0.03);
  EXPECT_GT(doubled, made / 50);
}

// The nearest month is the right one, so that there is still one answer; without the option nothing is misspelt.
TEST(Dates, BadTypingChangesMonthNamesOnly) {
  int misspelt = 0, named = 0;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const Example good = make_date(7, i), bad = make_date(7, i, true);
    ASSERT_EQ(bad.target, good.target);
    named += date_formats()[date_format_of(7, i)].find("{month}") != std::string_view::npos;
    if (bad.source == good.source) continue;
    ++misspelt;
    ASSERT_LE(std::max(bad.source.size(), good.source.size()) - std::min(bad.source.size(), good.source.size()), 1u);
  }
  EXPECT_NEAR(misspelt / static_cast<double>(named), 0.27, 0.06);
}

}  // namespace
}  // namespace fovea::dates_test
