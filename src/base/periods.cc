#include "base/periods.h"

#include <fmt/core.h>

#include <charconv>
#include <optional>

#include "base/as_size.h"
#include "base/error.h"
#include "base/utf8.h"

namespace fovea {
namespace {

struct Amount {
  std::int64_t count;
  std::string_view unit;
};

// A number of at least 1 and whatever follows it; nothing if there is none or it does not fit.
std::optional<Amount> read_amount(std::string_view text) {
  Amount amount{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), amount.count);
  if (error != std::errc() || amount.count < 1) return std::nullopt;
  amount.unit = text.substr(as_size(end - text.data()));
  return amount;
}

std::optional<Period> timed(std::int64_t count, std::int64_t seconds_each) {
  std::int64_t seconds = 0;
  if (__builtin_mul_overflow(count, seconds_each, &seconds)) return std::nullopt;
  return Period{seconds, Period::Unit::seconds};
}

std::optional<Period> read_period(std::string_view text) {
  if (text == "none") return Period{};
  const std::optional<Amount> amount = read_amount(text);
  if (!amount) return std::nullopt;
  if (amount->unit == "u") return Period{amount->count, Period::Unit::updates};
  if (amount->unit == "e") return Period{amount->count, Period::Unit::epochs};
  if (amount->unit == "s") return timed(amount->count, 1);
  if (amount->unit == "m") return timed(amount->count, 60);
  if (amount->unit == "h") return timed(amount->count, 3600);
  return std::nullopt;
}

}  // namespace

Period parse_period(std::string_view text) {
  const std::optional<Period> period = read_period(text);
  if (!period) throw usage_error("\"{}\" is not a period; write {}", beginning(text), period_forms);
  return *period;
}

std::string to_string(Period period) {
  switch (period.unit) {
    case Period::Unit::none:
      return "none";
    case Period::Unit::updates:
      return fmt::format("{}u", period.count);
    case Period::Unit::epochs:
      return fmt::format("{}e", period.count);
    case Period::Unit::seconds:
      break;
  }
  if (period.count % 3600 == 0) return fmt::format("{}h", period.count / 3600);
  if (period.count % 60 == 0) return fmt::format("{}m", period.count / 60);
  return fmt::format("{}s", period.count);
}

BatchSize parse_batch_size(std::string_view text) {
  const std::optional<Amount> amount = read_amount(text);
  if (!amount || !(amount->unit.empty() || amount->unit == "t")) {
    throw usage_error("\"{}\" is not a batch size; write {}", beginning(text), batch_size_forms);
  }
  return {amount->count, amount->unit == "t"};
}

std::string to_string(BatchSize size) { return fmt::format("{}{}", size.count, size.tokens ? "t" : ""); }

}  // namespace fovea
