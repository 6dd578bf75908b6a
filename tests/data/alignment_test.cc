#include "data/alignment.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"

namespace fovea::alignment_test {
namespace {

using Links = std::vector<Link>;

std::string error_of(std::string_view text, int source_tokens = 3, int target_tokens = 2) {
  try {
    parse_links(text, source_tokens, target_tokens);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  return "no error";
}

TEST(ParseLinks, SureAndPossible) {
  EXPECT_EQ(parse_links("0-0 2p1", 3, 2), (Links{{0, 0, true}, {2, 1, false}}));
  EXPECT_EQ(parse_links("10-007", 11, 8), (Links{{10, 7, true}}));
}

TEST(ParseLinks, SpacesOnlySeparate) {
  EXPECT_EQ(parse_links("", 0, 0), Links{});
  EXPECT_EQ(parse_links("  ", 3, 2), Links{});
  EXPECT_EQ(parse_links(" 0-0   1-1 ", 3, 2), (Links{{0, 0, true}, {1, 1, true}}));
}

TEST(ParseLinks, InOrderAndOnceEach) {
  EXPECT_EQ(parse_links("2-1 0-1 2-0 0-0", 3, 2), (Links{{0, 0, true}, {0, 1, true}, {2, 0, true}, {2, 1, true}}));
  EXPECT_EQ(parse_links("1-1 1-1 0p0 0p0", 3, 2), (Links{{0, 0, false}, {1, 1, true}}));
  EXPECT_EQ(parse_links("1p1 1-1", 3, 2), (Links{{1, 1, true}}));
  EXPECT_EQ(parse_links("1-1 1p1", 3, 2), (Links{{1, 1, true}}));
}

TEST(ParseLinks, OutOfRangeNamesTheLinkAndTheLimits) {
  EXPECT_EQ(error_of("0-0 3-1"),
            "link \"3-1\" is out of range: the source has 3 tokens and the target 2, counted from 0");
  for (const std::string_view text : {"0-2", "0p2", "2147483647-0", "4294967296-0", "0-99999999999999999999999"}) {
    EXPECT_NE(error_of(text).find("\"" + std::string(text) + "\" is out of range"), std::string::npos) << text;
  }
  EXPECT_NE(error_of("0-0", 0, 0).find("out of range"), std::string::npos);
  EXPECT_EQ(parse_links("2-1", 3, 2).size(), 1u);
}

TEST(ParseLinks, MalformedNamesTheLinkAndTheLimits) {
  EXPECT_EQ(error_of("0-0 1:1"), "\"1:1\" is no link: i-j (sure) or ipj (possible) is needed, i below 3 and j below 2");
  for (const std::string_view text :
       {"-", "p", "1", "1-", "-1", "1-1-1", "-1-1", "1--1", "+1-1", "1-1x", "x1-1", "1-0x1", "1P1", "1 - 1", "1-1\t0-0",
        "1.0-1", "\xFF", "99999999999999999999999"}) {
    EXPECT_NE(error_of(text).find("is no link"), std::string::npos) << text;
  }
}

TEST(ParseLinks, ErrorsAreShortAndSafeToPrint) {
  EXPECT_LT(error_of(std::string(1 << 20, '7')).size(), 200u);
  EXPECT_LT(error_of(std::string(1 << 20, '7') + "-1").size(), 200u);
  EXPECT_EQ(error_of("\x1B[2J").find('\x1B'), std::string::npos);
  EXPECT_NE(error_of(std::string("0-0\0", 4)).find("is no link"), std::string::npos);
}

}  // namespace
}  // namespace fovea::alignment_test
