// Checks the made dates with a reader that knows the rules of dates.h and nothing of the formats.
#include "data/makers/dates.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <regex>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "data/makers/date_reader.h"

namespace fovea::dates_test {
namespace {

// Zeller's congruence, 1 is Monday.
int weekday_of(int year, int month, int day) {
  if (month < 3) {
    month += 12;
    --year;
  }
  const int h = (day + 13 * (month + 1) / 5 + year + year / 4 - year / 100 + year / 400) % 7;  // 0 is Saturday
  return (h + 5) % 7 + 1;
}

std::string as_read(const std::string& text) {
  const auto r = read_date(text);
  return r ? fmt::format("{:04}-{:02}-{:02} {}", r->year, r->month, r->day, r->weekday) : "unreadable";
}

TEST(Dates, ReaderUnderstandsKnownTexts) {
  EXPECT_EQ(as_read("3rd of May 1999"), "1999-05-03 0");
  EXPECT_EQ(as_read("tuesday 5 march, 2024"), "2024-03-05 2");
  EXPECT_EQ(as_read("09.11.01"), "2001-11-09 0");
  EXPECT_EQ(as_read("Sept 7 '84"), "1984-09-07 0");
  EXPECT_EQ(as_read("the twenty-fifth of December, 2010"), "2010-12-25 0");
  EXPECT_EQ(as_read("3th of May 1999"), "unreadable");
  EXPECT_EQ(as_read("3 May April 1999"), "unreadable");
  EXPECT_EQ(as_read("Mon, 3 May 1999 (Tue)"), "unreadable");
  EXPECT_EQ(weekday_of(2024, 3, 5), 2);
  EXPECT_EQ(weekday_of(2000, 1, 1), 6);
}

TEST(Dates, ReaderUnderstandsTimesAndWordsThatSayNothing) {
  EXPECT_EQ(as_read("7:40 p.m. Nov. 3, 2011"), "2011-11-03 0");
  EXPECT_EQ(as_read("Tue, 14 Jun 2011 08:12:05 +0200"), "2011-06-14 2");
  EXPECT_EQ(as_read("Posted on 3.5.1066, 7 PM"), "1066-05-03 0");
  EXPECT_EQ(as_read("11.45 p.m., 3.5.1910"), "1910-05-03 0");
  EXPECT_EQ(as_read("Sat 9 May 2020 16.27 GMT"), "2020-05-09 6");
  EXPECT_EQ(as_read("26 Aug 76 1429 EDT"), "1976-08-26 0");
  EXPECT_EQ(as_read("Thu Apr 7 15:13:13 2005 -0700"), "2005-04-07 4");
  EXPECT_EQ(as_read("[10/Oct/2000:13:55:36 -0700]"), "2000-10-10 0");
  EXPECT_EQ(as_read("20070914T180000Z"), "2007-09-14 0");
  EXPECT_EQ(as_read("2004:07:14 18:22:05"), "2004-07-14 0");
  EXPECT_EQ(as_read("141530Z MAR 07"), "2007-03-14 0");
  EXPECT_EQ(as_read("14MAR2019 0715"), "2019-03-14 0");
  EXPECT_EQ(as_read("Gazette, Vol. 12, No. 323. 5/7/1844 - 15 cents"), "1844-05-07 0");
  EXPECT_EQ(as_read("[4] Martown, May 2, 2011 (aged 54)"), "2011-05-02 0");
}

TEST(Dates, ReaderUnderstandsRareForms) {
  EXPECT_EQ(as_read("5/7/1916"), "1916-05-07 0");
  EXPECT_EQ(as_read("30/6/1916"), "1916-06-30 0");
  EXPECT_EQ(as_read("5-7-07"), "2007-05-07 0");
  EXPECT_EQ(as_read("28-08-95"), "1995-08-28 0");
  EXPECT_EQ(as_read("8.28.1995"), "1995-08-28 0");
  EXPECT_EQ(as_read("12.XI.1907"), "1907-11-12 0");
  EXPECT_EQ(as_read("23rd of 4th mo. 1841"), "1841-04-23 0");
  EXPECT_EQ(as_read("Octobr ye 3d 1671"), "1671-10-03 0");
  EXPECT_EQ(as_read("22d Feby 1756"), "1756-02-22 0");
  EXPECT_EQ(as_read("4d Novr 1756"), "unreadable");
  EXPECT_EQ(as_read("the third day of May, in the year of our Lord one thousand eight hundred and three"),
            "1803-05-03 0");
  EXPECT_EQ(as_read("July Twenty First, nineteen seventy-six"), "1976-07-21 0");
  EXPECT_EQ(as_read("1 May nineteen hundred five"), "1905-05-01 0");
  EXPECT_EQ(as_read("1 May two thousand and nineteen"), "2019-05-01 0");
  EXPECT_EQ(as_read("1 May twenty twenty-four"), "2024-05-01 0");
}

TEST(Dates, EveryTextHasTheOneRightAnswer) {
  std::unordered_map<std::string, std::string> answers;
  std::set<std::string_view> with_weekday;
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

// Those of a list are equally frequent; the rare ones are a fifth of all.
TEST(Dates, FormatsAreManyDistinctAndSpread) {
  std::map<std::string_view, int> counts;
  const int made = 200000;
  for (int i = 0; i < made; ++i) ++counts[date_format_of(1, static_cast<std::uint64_t>(i))];
  EXPECT_GE(common_date_formats().size(), 80u);
  EXPECT_GE(rare_date_formats().size(), 40u);
  EXPECT_EQ(counts.size(), common_date_formats().size() + rare_date_formats().size());
  const auto expect_even = [&](std::span<const std::string_view> formats, double share) {
    const double expected = made * share / static_cast<double>(formats.size());
    for (const std::string_view format : formats)
      EXPECT_NEAR(counts[format], expected, 5 * std::sqrt(expected)) << format;
  };
  expect_even(common_date_formats(), 0.8);
  expect_even(rare_date_formats(), 0.2);
}

// Two formats that fill in alike would only make that look twice as frequent.
TEST(Dates, FormatsLookDifferent) {
  std::map<std::string_view, std::set<std::string>> shapes;
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
  EXPECT_GE(different.size(), 100u);
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
    if (date_format_of(5, static_cast<std::uint64_t>(i)).find("{month}") == std::string_view::npos) continue;
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
  EXPECT_NEAR(static_cast<double>(small) / lettered, 1.0 / 6, 0.02);
  EXPECT_NEAR(static_cast<double>(capital) / lettered, 1.0 / 6, 0.02);
}

// How often each kind of thing is there. A kind that nothing makes any more would leave the reader content.
TEST(Dates, EveryKindOfTextComes) {
  const std::vector<std::tuple<std::string, std::regex, double, double>> kinds = {
      {"a time", std::regex("[0-9][:.][0-9]{2}\\b|[0-9] ?[ap]\\.?m\\b"), 0.2, 0.4},
      {"a time with a dot", std::regex("\\b[0-9]{1,2}\\.[0-9]{2} ?[ap]\\.?m\\b"), 0.01, 0.03},
      {"four digits of a time", std::regex("\\b[0-9]{4} [ecmp][sd]?t\\b"), 0.001, 0.01},
      {"a fraction of a second", std::regex(":[0-9]{2}\\.[0-9]+"), 0.01, 0.06},
      {"a zone by name", std::regex("\\b(utc|gmt|[ecmp][sd]?t|[ce]es?t|[bij]st)\\b"), 0.02, 0.06},
      {"an offset from UTC", std::regex("[+-][0-9]{2}:?[0-9]{2}\\b"), 0.02, 0.15},
      {"a day in front of slashes", std::regex("\\b(1[3-9]|[23][0-9])/[0-9]{1,2}/"), 0.01, 0.04},
      {"a Roman month", std::regex("[0-9][./ -] ?(i{1,3}|iv|vi{0,3}|ix|xi{0,2})[./ -] ?[0-9]"), 0.02, 0.05},
      {"an old month", std::regex("\\b(jany|feby|augt|septr|octr|novr|decr)\\b"), 0.005, 0.03},
      {"an old ordinal", std::regex("\\b2?[23]d\\b"), 0.005, 0.03},
      {"a year in words", std::regex("\\b(thousand|hundred|teen|twenty) "), 0.015, 0.06},
      {"a month by number", std::regex("\\b[0-9]{1,2}(st|nd|rd|th) mo(nth)?\\b"), 0.003, 0.02},
      {"our Lord", std::regex("year of our lord|anno|a\\. ?d\\. "), 0.01, 0.05},
      {"a place or a newspaper", std::regex("(ton|land|ford|times|herald|gazette)\\b"), 0.03, 0.2},
      {"a deed", std::regex("\\b(posted|published|signed|written|born|died)\\b"), 0.01, 0.1},
      {"something counted", std::regex("(no\\.|vol\\.|page|aged|\\$|#) ?[0-9]|[0-9] (cents|votes|pages)"), 0.02, 0.1},
      {"brackets", std::regex("^\\[.*\\]$|^\\(.*\\)$"), 0.01, 0.05},
      {"two spaces", std::regex("  "), 0.02, 0.06},
  };
  std::vector<int> counts(kinds.size(), 0);
  const int made = 20000;
  for (int i = 0; i < made; ++i) {
    const std::string text = lower(make_date(6, static_cast<std::uint64_t>(i)).source);
    for (std::size_t k = 0; k < kinds.size(); ++k) counts[k] += std::regex_search(text, std::get<1>(kinds[k]));
  }
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    const auto& [name, pattern, least, most] = kinds[k];
    const double share = counts[k] / static_cast<double>(made);
    EXPECT_TRUE(share >= least && share <= most) << name << ": " << share;
  }
}

// The nearest month is the right one, so that there is still one answer; without the option nothing is misspelt.
TEST(Dates, BadTypingChangesMonthNamesOnly) {
  int misspelt = 0, named = 0;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const Example good = make_date(7, i), bad = make_date(7, i, true);
    ASSERT_EQ(bad.target, good.target);
    named += date_format_of(7, i).find("{month}") != std::string_view::npos;
    if (bad.source == good.source) continue;
    ++misspelt;
    ASSERT_LE(std::max(bad.source.size(), good.source.size()) - std::min(bad.source.size(), good.source.size()), 1u);
  }
  EXPECT_NEAR(misspelt / static_cast<double>(named), 0.31, 0.04);
}

}  // namespace
}  // namespace fovea::dates_test
