#include "data/makers/dates.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "data/makers/maker.h"

namespace fovea {

namespace {

using std::chrono::sys_days;
using std::chrono::year_month_day;

// {d} 3, {dd} 03, {nth} 3rd, {ordinal} third, {m} 5, {mm} 05, {month} September, {mon} Sep or Sept, {mon.} Sept.,
// {yyyy} 1999, {yy} 99, {weekday} Tuesday, {wd} Tue or Tues, {time} 08:12:05.
constexpr std::string_view formats[] = {
    // numbers alone
    "{yyyy}-{mm}-{dd}",
    "{yyyy}-{m}-{d}",
    "{yyyy}/{mm}/{dd}",
    "{yyyy}/{m}/{d}",
    "{yyyy}.{mm}.{dd}",
    "{yyyy} {mm} {dd}",
    "{yyyy}{mm}{dd}",
    "{m}/{d}/{yyyy}",
    "{mm}/{dd}/{yyyy}",
    "{m}/{d}/{yy}",
    "{mm}/{dd}/{yy}",
    "{m}/{d}/'{yy}",
    "{d}.{m}.{yyyy}",
    "{dd}.{mm}.{yyyy}",
    "{d}.{m}.{yy}",
    "{dd}.{mm}.{yy}",
    "{d}. {m}. {yyyy}",
    "{wd} {m}/{d}/{yyyy}",
    "{wd}, {mm}/{dd}/{yy}",
    "{weekday} {d}.{m}.{yyyy}",
    "{wd} {yyyy}-{mm}-{dd}",
    "{yyyy}-{mm}-{dd} ({wd})",
    // the day first
    "{d} {month} {yyyy}",
    "{dd} {month} {yyyy}",
    "{d} {month}, {yyyy}",
    "{d} {mon} {yyyy}",
    "{d} {mon.} {yyyy}",
    "{d} {mon} {yy}",
    "{d} {month} '{yy}",
    "{d}. {month} {yyyy}",
    "{dd}-{mon}-{yyyy}",
    "{d}-{mon}-{yy}",
    "{d}-{month}-{yyyy}",
    "{dd}/{mon}/{yyyy}",
    "{dd}{mon}{yyyy}",
    "{nth} {month} {yyyy}",
    "{nth} {mon} {yyyy}",
    "{nth} {mon.} '{yy}",
    "{nth} of {month} {yyyy}",
    "{nth} of {month}, {yyyy}",
    "{nth} of {mon} {yyyy}",
    "the {nth} of {month}, {yyyy}",
    "the {nth} of {month} '{yy}",
    "on the {nth} of {month} {yyyy}",
    "the {nth} day of {month}, {yyyy}",
    "{ordinal} of {month} {yyyy}",
    "the {ordinal} of {month}, {yyyy}",
    "{wd} {d} {mon} {yyyy}",
    "{wd}, {dd} {mon} {yyyy}",
    "{wd}. {d} {mon.} {yyyy}",
    "{weekday} {d} {month}, {yyyy}",
    "{weekday}, {d} {month} {yyyy}",
    "{weekday} {nth} {month} {yyyy}",
    "{weekday}, the {nth} of {month}, {yyyy}",
    "{d} {month} {yyyy} ({weekday})",
    // the month first
    "{month} {d} {yyyy}",
    "{month} {d}, {yyyy}",
    "{month} {dd}, {yyyy}",
    "{month} {d}, '{yy}",
    "{mon} {d} {yyyy}",
    "{mon} {d}, {yyyy}",
    "{mon} {d} '{yy}",
    "{mon.} {d}, {yyyy}",
    "{mon.} {nth} {yyyy}",
    "{mon}-{dd}-{yyyy}",
    "{month} {nth}, {yyyy}",
    "{month} {nth} {yyyy}",
    "{month} the {nth}, {yyyy}",
    "{month} the {ordinal}, {yyyy}",
    "{month} {ordinal} {yyyy}",
    "{wd} {mon} {d} {yyyy}",
    "{wd}, {mon.} {d}, {yyyy}",
    "{weekday}, {month} {d}, {yyyy}",
    "{weekday} {month} {d} {yyyy}",
    "{weekday}, {month} the {nth}, {yyyy}",
    // the year first
    "{yyyy} {month} {d}",
    "{yyyy} {mon} {dd}",
    "{yyyy}, {month} {d}",
    "{yyyy}-{mon}-{dd}",
    // a time of day in the middle
    "{yyyy}-{mm}-{dd}T{time}",
    "{wd} {mon} {d} {time} {yyyy}",
};

constexpr std::array<std::string_view, 12> months = {"January",   "February", "March",    "April",
                                                     "May",       "June",     "July",     "August",
                                                     "September", "October",  "November", "December"};
constexpr std::array<std::string_view, 7> weekdays = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                      "Thursday", "Friday", "Saturday"};
constexpr std::array<std::string_view, 20> ordinals = {
    "",           "first",     "second",    "third",       "fourth",     "fifth",     "sixth",
    "seventh",    "eighth",    "ninth",     "tenth",       "eleventh",   "twelfth",   "thirteenth",
    "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth"};

// What is drawn for one example; the values are the counters of its random stream.
enum Draw : std::uint64_t {
  draw_format,
  draw_day,
  draw_case,
  draw_short_name,
  draw_era,
  draw_with_time,
  draw_time,
  draw_time_form,
  draw_zone,
  draw_stray,
  draw_stray_word,
  draw_space,
  draw_space_place,
  draw_typo,
  draw_typo_place,
  draw_typo_kind,
  draw_typo_letter
};

Random stream(std::uint64_t seed, std::uint64_t index) { return Random(seed, Purpose::data).at(index); }

std::string_view suffix(unsigned day) {
  if (day / 10 == 1) return "th";
  return day % 10 == 1 ? "st" : day % 10 == 2 ? "nd" : day % 10 == 3 ? "rd" : "th";
}

std::string ordinal(unsigned day) {
  if (day < 20) return std::string(ordinals[day]);
  if (day % 10 == 0) return day == 20 ? "twentieth" : "thirtieth";
  return fmt::format("{}-{}", day < 30 ? "twenty" : "thirty", ordinals[day % 10]);
}

// Some short names have a longer form that is as common.
std::string_view short_month(unsigned month, bool longer) {
  return months[month - 1].substr(0, longer && month == 9 ? 4 : 3);
}
std::string_view short_weekday(unsigned weekday, bool longer) {
  const bool has_longer = weekday == 2 || weekday == 4;  // Tues, Thurs
  return weekdays[weekday].substr(0, longer && has_longer ? weekday == 2 ? 4 : 5 : 3);
}

// A day, and what is drawn about how it is written.
struct WrittenDay {
  sys_days date;
  bool longer = false;     // of some short names, the longer one
  std::string month = {};  // as it is misspelt; empty: as it should be
  std::string time = {};   // hours, minutes and seconds
};

std::string fill(std::string_view field, const WrittenDay& written) {
  const sys_days date = written.date;
  const bool longer = written.longer;
  const year_month_day calendar(date);
  const auto day = static_cast<unsigned>(calendar.day());
  const auto month = static_cast<unsigned>(calendar.month());
  const auto year = static_cast<int>(calendar.year());
  const unsigned weekday = std::chrono::weekday(date).c_encoding();
  if (field == "d") return fmt::format("{}", day);
  if (field == "dd") return fmt::format("{:02}", day);
  if (field == "nth") return fmt::format("{}{}", day, suffix(day));
  if (field == "ordinal") return ordinal(day);
  if (field == "m") return fmt::format("{}", month);
  if (field == "mm") return fmt::format("{:02}", month);
  if (field == "month") return written.month.empty() ? std::string(months[month - 1]) : written.month;
  if (field == "time") return written.time;
  if (field == "mon") return std::string(short_month(month, longer));
  if (field == "mon.") return fmt::format("{}{}", short_month(month, longer), month == 5 ? "" : ".");  // May is whole
  if (field == "yyyy") return fmt::format("{:04}", year);
  if (field == "yy") return fmt::format("{:02}", year % 100);
  if (field == "weekday") return std::string(weekdays[weekday]);
  if (field == "wd") return std::string(short_weekday(weekday, longer));
  throw Error(ErrorKind::failure, fmt::format("dates: unknown field {{{}}}", field));
}

std::string fill_all(std::string_view format, const WrittenDay& written) {
  std::string text;
  while (!format.empty()) {
    const std::size_t open = std::min(format.find('{'), format.size());
    text += format.substr(0, open);
    format.remove_prefix(open);
    if (format.empty()) break;
    const std::size_t close = format.find('}');
    text += fill(format.substr(1, close - 1), written);
    format.remove_prefix(close + 1);
  }
  return text;
}

// Half the texts as a careful writer would have them, a third in small letters, a sixth in capitals.
void change_case(std::string& text, std::uint64_t draw) {
  if (draw < 3) return;
  for (char& c : text) {
    if (draw < 5 && c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (draw == 5 && c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
}

sys_days draw_date(int first_year, int last_year, const Random& random) {
  using std::chrono::year;
  const sys_days first = year(first_year) / 1 / 1;
  const sys_days past = year(last_year + 1) / 1 / 1;
  const auto days = static_cast<std::uint64_t>((past - first).count());
  return first + std::chrono::days(random.below(days, draw_day));
}

sys_days draw_date(bool two_digits, const Random& random) {
  if (two_digits) return draw_date(1950, 2049, random);
  return random.below(10, draw_era) == 0 ? draw_date(1000, 2199, random) : draw_date(1750, 2050, random);
}

// 7:40 p.m., 19:40, 08:12:05, 7pm, and of some the zone.
std::string draw_clock(const Random& random, bool seconds) {
  constexpr std::array<std::string_view, 8> zones = {" UTC",   " GMT",    " EST",    " CET",
                                                     " +0200", " -05:00", " +01:00", "Z"};
  const std::uint64_t second = random.below(86400, draw_time), hour = second / 3600, minute = second / 60 % 60;
  const std::uint64_t twelve = (hour + 11) % 12 + 1;
  const std::string whole = fmt::format("{:02}:{:02}:{:02}", hour, minute, second % 60);
  if (seconds) return whole;
  std::string text;
  switch (random.below(6, draw_time_form)) {
    case 0:
      return fmt::format("{}:{:02} {}", twelve, minute, hour < 12 ? "a.m." : "p.m.");
    case 1:
      return fmt::format("{}:{:02}{}", twelve, minute, hour < 12 ? "am" : "pm");
    case 2:
      return fmt::format("{} {}", twelve, hour < 12 ? "AM" : "PM");
    case 3:
      text = fmt::format("{}:{:02}", hour, minute);
      break;
    default:
      text = whole;
  }
  const std::uint64_t zone = random.below(2 * zones.size(), draw_zone);
  return zone < zones.size() ? text + std::string(zones[zone]) : text;
}

void add_time(std::string& text, const Random& random) {
  const std::uint64_t place = random.below(12, draw_with_time);  // of these, three have a time
  if (place == 0) text = fmt::format("{} {}", draw_clock(random, false), text);
  if (place == 1) text = fmt::format("{} {}", text, draw_clock(random, false));
  if (place == 2) text = fmt::format("{}, {}", text, draw_clock(random, false));
}

// Words that say nothing about the day.
void add_stray_word(std::string& text, const Random& random) {
  constexpr std::array<std::string_view, 14> before = {"Date: ",    "dated ",   "Posted on ", "Published ", "due ",
                                                       "since ",    "until ",   "born ",      "signed ",    "as of ",
                                                       "updated: ", "written ", "on ",        "c. "};
  constexpr std::array<std::string_view, 6> behind = {" (revised)", " in London", " edition", " at noon", ".", " AD"};
  const std::uint64_t word = random.below(before.size() + behind.size(), draw_stray_word);
  if (random.below(6, draw_stray) != 0) return;
  text = word < before.size() ? std::string(before[word]) + text : text + std::string(behind[word - before.size()]);
}

void double_a_space(std::string& text, const Random& random) {
  if (random.below(20, draw_space) != 0) return;
  const std::size_t space = text.find(' ', random.below(text.size(), draw_space_place));
  if (space != text.npos) text.insert(space, " ");
}

// How many letters have to be changed, added or taken away, or swapped with their neighbour.
std::size_t letters_apart(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

std::string misspell(std::string_view month, const Random& random) {
  if (random.below(3, draw_typo) != 0) return {};
  std::string typed(month);
  const std::size_t at = 1 + random.below(month.size() - 1, draw_typo_place);  // the first letter is mostly right
  const auto letter = static_cast<char>('a' + random.below(26, draw_typo_letter));
  switch (random.below(4, draw_typo_kind)) {
    case 0:
      typed[at] = letter;
      break;
    case 1:
      typed.erase(at, 1);
      break;
    case 2:
      typed.insert(at, 1, typed[at]);
      break;
    default:
      std::swap(typed[at], typed[at == 1 ? 2 : at - 1]);
  }
  for (const std::string_view other : months) {
    if (other != month && letters_apart(typed, other) <= letters_apart(typed, month)) return {};
    if (typed == other || typed == other.substr(0, 3)) return {};
  }
  return typed;
}

}  // namespace

std::span<const std::string_view> date_formats() { return formats; }

std::size_t date_format_of(std::uint64_t seed, std::uint64_t index) {
  return stream(seed, index).below(std::size(formats), draw_format);
}

Example make_date(std::uint64_t seed, std::uint64_t index, bool bad_typing) {
  const Random random = stream(seed, index);
  const std::string_view format = formats[date_format_of(seed, index)];
  WrittenDay written = {draw_date(format.find("{yy}") != std::string_view::npos, random)};
  const auto month = static_cast<unsigned>(year_month_day(written.date).month());
  written.longer = random.below(2, draw_short_name) == 1;
  written.time = draw_clock(random, true);
  if (bad_typing) written.month = misspell(months[month - 1], random);

  Example example;
  example.source = fill_all(format, written);
  if (format.find("{time}") == std::string_view::npos) add_time(example.source, random);
  add_stray_word(example.source, random);
  double_a_space(example.source, random);
  change_case(example.source, random.below(6, draw_case));
  example.target = fill_all("{yyyy}-{mm}-{dd}", written);
  example.line = static_cast<std::int64_t>(index) + 1;
  return example;
}

namespace {

MakeLine begin_dates(const MakerOptions& options, std::uint64_t seed) {
  return [seed, bad_typing = options.bad_typing](std::uint64_t index) { return make_date(seed, index, bad_typing); };
}

}  // namespace

extern const Maker Maker_dates = {
    "dates", "English dates as people write them; target: ISO 8601", begin_dates, {"bad_typing"}};

}  // namespace fovea
