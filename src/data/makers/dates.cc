#include "data/makers/dates.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "data/makers/date_forms.h"
#include "data/makers/date_words.h"
#include "data/makers/maker.h"

namespace fovea {

namespace {

using std::chrono::sys_days;
using std::chrono::year_month_day;

// What is drawn for one text, one after the other.
class Draws {
 public:
  explicit Draws(const Random& random) : random_(random) {}
  std::uint64_t below(std::uint64_t bound) { return random_.below(bound, next_++); }
  bool one_in(std::uint64_t count) { return below(count) == 0; }
  std::string_view any_of(std::span<const std::string_view> list) { return list[below(list.size())]; }

 private:
  Random random_;
  std::uint64_t next_ = 0;
};

Random stream(std::uint64_t seed, std::uint64_t index) { return Random(seed, Purpose::data).at(index); }

bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

sys_days draw_day(int first_year, int last_year, Draws& draws) {
  using std::chrono::year;
  const sys_days first = year(first_year) / 1 / 1;
  const sys_days past = year(last_year + 1) / 1 / 1;
  const auto days = static_cast<std::uint64_t>((past - first).count());
  return first + std::chrono::days(draws.below(days));
}

year_month_day draw_date(std::string_view format, Draws& draws) {
  sys_days date;
  if (has(format, "{yy}")) {
    date = draw_day(1950, 2049, draws);
  } else {
    date = draws.one_in(10) ? draw_day(1000, 2199, draws) : draw_day(1750, 2050, draws);
  }
  const year_month_day calendar(date);
  const bool too_early = has(format, "{dd>12}") && static_cast<unsigned>(calendar.day()) <= 12;
  return too_early ? draw_date(format, draws) : calendar;
}

// A text that is being written: the date and the time of day, what there is so far, and the draws of all that is free.
struct Writing {
  Draws draws;
  unsigned year, month, day, weekday;  // Sunday is 0
  std::string misspelt = {};           // the month, if it is
  unsigned second = 0;                 // of the day
  std::string text = {};

  Writing(const Draws& drawn, const year_month_day& date)
      : draws(drawn),
        year(static_cast<unsigned>(static_cast<int>(date.year()))),
        month(static_cast<unsigned>(date.month())),
        day(static_cast<unsigned>(date.day())),
        weekday(std::chrono::weekday(sys_days(date)).c_encoding()),
        second(static_cast<unsigned>(draws.below(86400))) {}

  std::string fill(std::string_view form);
};

std::string with_suffix(unsigned number) { return fmt::format("{}{}", number, ordinal_suffix(number)); }

// 2d, 3d, 22d and 23d are how it was often written until about 1900.
std::string ordinal_digits(Writing& w) {
  const std::string usual = with_suffix(w.day);
  const bool old = w.draws.one_in(4) && (usual.back() == 'd');
  return old ? fmt::format("{}d", w.day) : usual;
}

// Some short names have a longer form that is as common.
std::string short_month(Writing& w) {
  const bool longer = w.draws.one_in(2) && w.month == 9;
  return std::string(month_names[w.month - 1].substr(0, longer ? 4 : 3));
}
std::string short_weekday(Writing& w) {
  constexpr std::array<std::string_view, 7> forms = {"Sun", "Mon", "{Tue|Tues}", "{Wed|Wed|Weds}", "{Thu|Thur|Thurs}",
                                                     "Fri", "Sat"};
  return w.fill(forms[w.weekday]);
}
std::string old_month(Writing& w) {
  constexpr std::array<std::string_view, 12> forms = {
      "{Jany|Janry|Jan}", "{Feby|Febry|Febr}", "{Mar|Mch}",       "{Apl|Aprl|Apr}",   "May",           "{June|Jun}",
      "{July|Jul}",       "{Augt|Aug}",        "{Septr|Septemb}", "{Octr|Octob{|r}}", "{Novr|Novemb}", "{Decr|Decemb}"};
  return w.fill(forms[w.month - 1]);
}

// Two thirds as dictionaries have them; the others with great letters, or without hyphens.
std::string as_written(std::string words, Draws& draws) {
  const std::uint64_t form = draws.below(6);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool begins = i == 0 || words[i - 1] == ' ' || words[i - 1] == '-';
    if (form == 0 && begins && words.substr(i, 4) != "and ") words[i] = static_cast<char>(words[i] - 'a' + 'A');
  }
  if (form == 1) std::ranges::replace(words, '-', ' ');
  return words;
}

std::string spelled_year(Writing& w) {
  const auto form = static_cast<YearWords>(w.draws.below(3));
  return as_written(year_in_words(w.year, form, !w.draws.one_in(3)), w.draws);
}

std::string short_month_with_dot(Writing& w) { return w.month == 5 ? "May" : short_month(w) + "."; }  // May is whole

std::string half_of_day(Writing& w) { return w.fill(w.second < 43200 ? "{am|AM|a.m.|A.M.}" : "{pm|PM|p.m.|P.M.}"); }

// Of one to three digits.
std::string small_number(Writing& w) {
  constexpr std::array<std::uint64_t, 4> bounds = {9, 99, 99, 999};
  return fmt::format("{}", 1 + w.draws.below(bounds[w.draws.below(bounds.size())]));
}

struct Field {
  std::string_view name;
  std::string (*value)(Writing&);
};

constexpr Field fields[] = {
    {"text", [](Writing& w) { return w.text; }},
    {"d", [](Writing& w) { return fmt::format("{}", w.day); }},
    {"dd", [](Writing& w) { return fmt::format("{:02}", w.day); }},
    {"dd>12", [](Writing& w) { return fmt::format("{}", w.day); }},
    {"nth", ordinal_digits},
    {"ordinal", [](Writing& w) { return as_written(ordinal(w.day), w.draws); }},
    {"m", [](Writing& w) { return fmt::format("{}", w.month); }},
    {"mm", [](Writing& w) { return fmt::format("{:02}", w.month); }},
    {"mth", [](Writing& w) { return with_suffix(w.month); }},
    {"roman", [](Writing& w) { return std::string(roman_month(w.month)); }},
    {"month", [](Writing& w) { return w.misspelt.empty() ? std::string(month_names[w.month - 1]) : w.misspelt; }},
    {"mon", short_month},
    {"mon.", short_month_with_dot},
    {"old month", old_month},
    {"yyyy", [](Writing& w) { return fmt::format("{:04}", w.year); }},
    {"yy", [](Writing& w) { return fmt::format("{:02}", w.year % 100); }},
    {"year", spelled_year},
    {"weekday", [](Writing& w) { return std::string(weekday_names[w.weekday]); }},
    {"wd", short_weekday},
    {"h", [](Writing& w) { return fmt::format("{}", w.second / 3600); }},
    {"hh", [](Writing& w) { return fmt::format("{:02}", w.second / 3600); }},
    {"h12", [](Writing& w) { return fmt::format("{}", (w.second / 3600 + 11) % 12 + 1); }},
    {"hour", [](Writing& w) { return cardinal((w.second / 3600 + 11) % 12 + 1); }},
    {"min", [](Writing& w) { return fmt::format("{:02}", w.second / 60 % 60); }},
    {"sec", [](Writing& w) { return fmt::format("{:02}", w.second % 60); }},
    {"fraction",
     [](Writing& w) {
       return fmt::format("{:06}", w.draws.below(1000000)).substr(w.draws.one_in(3) ? 0 : 3 + w.draws.below(2));
     }},
    {"am", half_of_day},
    {"offset", [](Writing& w) { return w.fill("{| }{+|-}{0{0|1|2|5|8}|1{0|1}}{|:}{00|00|30}"); }},
    {"n", small_number},
};

// What stands in braces: one of the parts between bars, or a field, or one form of a list.
std::string fill_one(std::string_view inside, Writing& w) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= inside.size(); ++i) {
    if (i == inside.size() || (inside[i] == '|' && depth == 0)) {
      parts.push_back(inside.substr(begin, i - begin));
      begin = i + 1;
    } else {
      depth += inside[i] == '{' ? 1 : inside[i] == '}' ? -1 : 0;
    }
  }
  if (parts.size() > 1) return w.fill(w.draws.any_of(parts));
  for (const Field& field : fields) {
    if (field.name == inside) return field.value(w);
  }
  const auto forms = date_forms(inside);
  if (forms.empty()) throw Error(ErrorKind::failure, fmt::format("dates: unknown field {{{}}}", inside));
  return w.fill(w.draws.any_of(forms));
}

std::string Writing::fill(std::string_view form) {
  std::string filled;
  int depth = 0;
  std::size_t open = 0;
  for (std::size_t i = 0; i < form.size(); ++i) {
    if (form[i] == '{' && depth++ == 0) {
      open = i + 1;
    } else if (form[i] == '}' && --depth == 0) {
      filled += fill_one(form.substr(open, i - open), *this);
    } else if (depth == 0) {
      filled += form[i];
    }
  }
  return filled;
}

// Two thirds as a careful writer would have them, a sixth in small letters, a sixth in capitals.
void change_case(std::string& text, std::uint64_t draw) {
  if (draw < 4) return;
  for (char& c : text) {
    if (draw == 4 && c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (draw == 5 && c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
}

// In a twentieth, and in the same place however the month is spelt.
void double_a_space(std::string& text, Draws& draws) {
  const auto spaces = static_cast<std::uint64_t>(std::ranges::count(text, ' '));
  if (spaces == 0 || !draws.one_in(20)) return;
  std::size_t at = text.find(' ');
  for (std::uint64_t before = draws.below(spaces); before > 0; --before) at = text.find(' ', at + 1);
  text.insert(at, " ");
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

std::string misspell(std::string_view month, Draws draws) {
  if (!draws.one_in(3)) return {};
  std::string typed(month);
  const std::size_t at = 1 + draws.below(month.size() - 1);  // the first letter is mostly right
  const auto letter = static_cast<char>('a' + draws.below(26));
  switch (draws.below(4)) {
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
  for (const std::string_view other : month_names) {
    if (other != month && letters_apart(typed, other) <= letters_apart(typed, month)) return {};
    if (typed == other || typed == other.substr(0, 3)) return {};
  }
  return typed;
}

std::string_view draw_format(Draws& draws) {
  return draws.any_of(draws.one_in(5) ? rare_date_formats() : common_date_formats());
}

}  // namespace

std::span<const std::string_view> common_date_formats() { return date_forms("common format"); }
std::span<const std::string_view> rare_date_formats() { return date_forms("rare format"); }

std::string_view date_format_of(std::uint64_t seed, std::uint64_t index) {
  Draws draws(stream(seed, index));
  return draw_format(draws);
}

Example make_date(std::uint64_t seed, std::uint64_t index, bool bad_typing) {
  const Random random = stream(seed, index);
  Draws draws(random);
  const std::string_view format = draw_format(draws);
  const year_month_day date = draw_date(format, draws);
  Writing w(draws, date);
  if (bad_typing) w.misspelt = misspell(month_names[w.month - 1], Draws(random.at(1)));

  w.text = w.fill(format);
  if (!has(format, "{h") && w.draws.one_in(4)) w.text = w.fill("{with clock}");
  for (std::uint64_t layer = 0; layer < 2 && w.draws.one_in(3 + layer); ++layer) w.text = w.fill("{around}");
  double_a_space(w.text, w.draws);
  change_case(w.text, w.draws.below(6));
  Example example;
  example.source = w.text;
  example.target = w.fill("{yyyy}-{mm}-{dd}");
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
