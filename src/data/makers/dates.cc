#include "data/makers/dates.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string>

#include "base/error.h"
#include "base/random.h"
#include "data/makers/maker.h"

namespace fovea {

namespace {

using std::chrono::sys_days;
using std::chrono::year_month_day;

// {d} 3, {dd} 03, {nth} 3rd, {ordinal} third, {m} 5, {mm} 05, {month} September, {mon} Sep or Sept, {mon.} Sept.,
// {yyyy} 1999, {yy} 99, {weekday} Tuesday, {wd} Tue or Tues.
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
enum Draw : std::uint64_t { draw_format, draw_day, draw_case, draw_short_name };

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

std::string fill(std::string_view field, sys_days date, bool longer) {
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
  if (field == "month") return std::string(months[month - 1]);
  if (field == "mon") return std::string(short_month(month, longer));
  if (field == "mon.") return fmt::format("{}{}", short_month(month, longer), month == 5 ? "" : ".");  // May is whole
  if (field == "yyyy") return fmt::format("{:04}", year);
  if (field == "yy") return fmt::format("{:02}", year % 100);
  if (field == "weekday") return std::string(weekdays[weekday]);
  if (field == "wd") return std::string(short_weekday(weekday, longer));
  throw Error(ErrorKind::failure, fmt::format("dates: unknown field {{{}}}", field));
}

std::string fill_all(std::string_view format, sys_days date, bool longer) {
  std::string text;
  while (!format.empty()) {
    const std::size_t open = std::min(format.find('{'), format.size());
    text += format.substr(0, open);
    format.remove_prefix(open);
    if (format.empty()) break;
    const std::size_t close = format.find('}');
    text += fill(format.substr(1, close - 1), date, longer);
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

}  // namespace

std::span<const std::string_view> date_formats() { return formats; }

std::size_t date_format_of(std::uint64_t seed, std::uint64_t index) {
  return stream(seed, index).below(std::size(formats), draw_format);
}

Example make_date(std::uint64_t seed, std::uint64_t index) {
  const Random random = stream(seed, index);
  const std::string_view format = formats[date_format_of(seed, index)];
  const bool two_digits = format.find("{yy}") != std::string_view::npos;
  const sys_days date = two_digits ? draw_date(1950, 2049, random) : draw_date(1900, 2100, random);

  Example example;
  example.source = fill_all(format, date, random.below(2, draw_short_name) == 1);
  change_case(example.source, random.below(6, draw_case));
  example.target = fill_all("{yyyy}-{mm}-{dd}", date, false);
  example.line = static_cast<std::int64_t>(index) + 1;
  return example;
}

extern const Maker Maker_dates = {"dates", "English dates as people write them; target: ISO 8601", make_date};

}  // namespace fovea
