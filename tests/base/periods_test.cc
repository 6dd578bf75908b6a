#include "base/periods.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace fovea::periods_test {
namespace {

using Unit = Period::Unit;
using namespace std::string_literals;

// The usage_error's text; fails the test if there is none.
template <class Parse>
std::string refusal(Parse parse, const std::string& text) {
  try {
    parse(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  ADD_FAILURE() << "accepted: " << text;
  return "";
}

TEST(Periods, reads_every_unit) {
  EXPECT_EQ(parse_period("500u"), (Period{500, Unit::updates}));
  EXPECT_EQ(parse_period("3e"), (Period{3, Unit::epochs}));
  EXPECT_EQ(parse_period("90s"), (Period{90, Unit::seconds}));
  EXPECT_EQ(parse_period("10m"), (Period{600, Unit::seconds}));
  EXPECT_EQ(parse_period("2h"), (Period{7200, Unit::seconds}));
  EXPECT_EQ(parse_period("none"), Period{});
  EXPECT_EQ(parse_period("9223372036854775807u"), (Period{INT64_MAX, Unit::updates}));
}

TEST(Periods, print_back_and_read_as_the_same) {
  for (const char* text : {"500u", "3e", "90s", "10m", "2h", "none", "9223372036854775807u"}) {
    EXPECT_EQ(to_string(parse_period(text)), text);
  }
  EXPECT_EQ(to_string(parse_period("60m")), "1h");
  EXPECT_EQ(to_string(parse_period("120s")), "2m");
}

TEST(Periods, refuse_rubbish_and_show_the_forms) {
  for (const std::string& text :
       {""s, "u"s, "5"s, "0u"s, "-5u"s, "+5u"s, " 5u"s, "5u "s, "5 u"s, "5U"s, "5.5h"s, "1e3u"s, "0x5u"s, "5uu"s,
        "None"s, "9223372036854775808u"s, "9223372036854775807m"s, "2562047788015216h"s, "5u\0"s}) {
    EXPECT_NE(refusal(parse_period, text).find("is not a period; write 500u (updates), 3e"), std::string::npos);
  }
  EXPECT_EQ(refusal(parse_period, "5x\x1b[31m"),
            "\"5x\u241b[31m\" is not a period; write 500u (updates), 3e (epochs), 90s, 10m, 2h or none");
  EXPECT_LT(refusal(parse_period, std::string(100000, '7')).size(), 200u);
}

TEST(BatchSizes, read_and_print_rows_and_tokens) {
  EXPECT_EQ(parse_batch_size("64"), (BatchSize{64, false}));
  EXPECT_EQ(parse_batch_size("4000t"), (BatchSize{4000, true}));
  EXPECT_EQ(to_string(BatchSize{64, false}), "64");
  EXPECT_EQ(to_string(BatchSize{4000, true}), "4000t");
}

TEST(BatchSizes, refuse_rubbish_and_show_the_forms) {
  for (const std::string& text :
       {""s, "t"s, "0"s, "0t"s, "-1"s, "64r"s, "64 "s, "4k"s, "1.5t"s, "9223372036854775808"s, "64\0"s}) {
    EXPECT_NE(refusal(parse_batch_size, text).find("is not a batch size; write 64 (rows) or 4000t (tokens)"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace fovea::periods_test
