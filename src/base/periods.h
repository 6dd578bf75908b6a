// Amounts with a unit as people write them: how long to train ("500u", "3e", "10m") and how much goes into a batch
// ("64", "4000t").
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fovea {

struct Period {
  enum class Unit { none, updates, epochs, seconds };

  std::int64_t count = 0;  // at least 1, and 0 only without a unit
  Unit unit = Unit::none;

  bool operator==(const Period&) const = default;
};

// For help and error messages.
inline constexpr std::string_view period_forms = "500u (updates), 3e (epochs), 90s, 10m, 2h or none";

// Throws a usage_error that shows the accepted forms.
Period parse_period(std::string_view text);

// Time is printed in the largest unit that divides it: 90s, 10m, 2h.
std::string to_string(Period period);

struct BatchSize {
  std::int64_t count = 64;  // at least 1
  bool tokens = false;      // else rows

  bool operator==(const BatchSize&) const = default;
};

inline constexpr std::string_view batch_size_forms = "64 (rows) or 4000t (tokens)";

BatchSize parse_batch_size(std::string_view text);
std::string to_string(BatchSize size);

}  // namespace fovea
