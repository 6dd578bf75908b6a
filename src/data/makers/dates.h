// English dates the way people write them, with the ISO 8601 date as target.
//
// Every text has one right answer:
//   numbers alone   year, month, day if four digits are first or all eight are in one; else the year is last, behind
//                   day.month with dots and month/day with anything else, but a number above 12 is the day
//   a month name    the year is written out, or the first number of four digits, else the last number; the other
//                   number is the day. 12.XI.1907 and 4th mo. name months as well
//   two digits      50..99 is 1950..1999, 00..49 is 2000..2049
//   a time of day   has a colon, a.m., p.m. or o'clock, or is a number with a dot or of four digits before a zone; four
//                   digits there are the year all the same where there is another time. Neither it nor its zone changes
//                   the date, nor does what follows the day or the year in 141530Z MAR 07 and 14MAR2019 0715
//   all else        says nothing: words that are neither months nor numbers, and numbers that count something (No. 323,
//                   aged 54, 15 cents) or of up to three digits in brackets
// Four fifths are of common formats, which are equally frequent, a fifth of rare ones, which are so as well. Of years
// of four digits nine tenths are in 1750..2050, the rest in 1000..2199, those of two in 1950..2049; all are of the
// Gregorian calendar. A quarter of the texts without a time of day get one, before or behind. A third of all stands
// among words, names, marks or numbers that say nothing, a quarter of these among more of them; and in a twentieth a
// space is twice there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "data/pairs.h"

namespace fovea {

// Each is its own description, such as "{weekday}, {month} {d}, {yyyy}".
std::span<const std::string_view> common_date_formats();
std::span<const std::string_view> rare_date_formats();

std::string_view date_format_of(std::uint64_t seed, std::uint64_t index);

// With bad typing a third of the month names that are written out have a letter that is wrong, missing, twice or in its
// neighbour's place, and are still nearer to their month than to any other.
Example make_date(std::uint64_t seed, std::uint64_t index, bool bad_typing = false);

}  // namespace fovea
