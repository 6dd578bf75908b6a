// Numbers and names of English dates as words.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace fovea {

inline constexpr std::array<std::string_view, 12> month_names = {"January",   "February", "March",    "April",
                                                                 "May",       "June",     "July",     "August",
                                                                 "September", "October",  "November", "December"};
inline constexpr std::array<std::string_view, 7> weekday_names = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                                  "Thursday", "Friday", "Saturday"};

// st, nd, rd, th.
std::string_view ordinal_suffix(unsigned number);

// Of one to 99: twenty-three, and twenty-third up to 31.
std::string cardinal(unsigned number);
std::string ordinal(unsigned number);

// I to XII.
std::string_view roman_month(unsigned month);

// one thousand eight hundred and three, eighteen hundred and three, eighteen thirty; a year that has no such form gets
// the next one to the left.
enum class YearWords { thousands, hundreds, pairs };
std::string year_in_words(unsigned year, YearWords form, bool with_and);

}  // namespace fovea
