// English dates the way people write them, with the ISO 8601 date as target.
//
// Every text has one right answer:
//   numbers alone   a leading year of four digits: year, month, day; slashes: month/day/year; dots: day.month.year
//   a month name    the year is the number of four digits, else the last number; the other number is the day
//   two digits      50..99 is 1950..1999, 00..49 is 2000..2049
//   a time of day   has a colon or a.m. or p.m.; neither it nor its zone, behind it, changes the date
// Formats are equally frequent. Of years of four digits nine tenths are in 1750..2050, the rest in 1000..2199, those of
// two in 1950..2049; all are of the Gregorian calendar. A quarter of the texts has a time of day, before or behind, a
// sixth a word or two that say nothing, and in a twentieth a space is twice there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "data/pairs.h"

namespace fovea {

// Each is its own description, such as "{weekday}, {month} {d}, {yyyy}".
std::span<const std::string_view> date_formats();

// The place of its format in date_formats().
std::size_t date_format_of(std::uint64_t seed, std::uint64_t index);

// With bad typing a third of the month names that are written out have a letter that is wrong, missing, twice or in its
// neighbour's place, and are still nearer to their month than to any other.
Example make_date(std::uint64_t seed, std::uint64_t index, bool bad_typing = false);

}  // namespace fovea
