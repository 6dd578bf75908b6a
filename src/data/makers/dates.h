// English dates the way people write them, with the ISO 8601 date as target.
//
// Every text has one right answer:
//   numbers alone   a leading year of four digits: year, month, day; slashes: month/day/year; dots: day.month.year
//   a month name    the year is the number of four digits, else the last number; the other number is the day
//   two digits      50..99 is 1950..1999, 00..49 is 2000..2049
// Formats are equally frequent, and days uniform over 1900-01-01..2100-12-31 (1950..2049 for years of two digits).
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

Example make_date(std::uint64_t seed, std::uint64_t index);

}  // namespace fovea
