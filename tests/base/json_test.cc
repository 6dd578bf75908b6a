// JSON in and out: what is no JSON or lies too deep is refused, and what goes out is always UTF-8.
#include "base/json.h"

#include <gtest/gtest.h>

#include "base/utf8.h"

namespace fovea::json_test {
namespace {

TEST(JsonValue, ReadsWhatItWrote) {
  const Json value = {{"b", {1, 2.5, "x\n"}}, {"a", nullptr}};
  EXPECT_EQ(json_text(value), R"({"a":null,"b":[1,2.5,"x\n"]})");
  EXPECT_EQ(parse_json(json_text(value)), value);
  EXPECT_EQ(parse_json(json_text(value, 1)), value);
  EXPECT_EQ(json_text(OrderedJson{{"b", 1}, {"a", 2}}), R"({"b":1,"a":2})");
}

TEST(JsonValue, WhatIsNotJsonIsDiscarded) {
  for (const char* text : {"", "{", "[1,]", "nul", "[1] 2", "\xff"}) {
    EXPECT_TRUE(parse_json(text).is_discarded()) << text;
  }
}

TEST(JsonValue, DepthIsBounded) {
  EXPECT_EQ(parse_json("[1,2]", 1).size(), 2u);
  EXPECT_TRUE(parse_json("[[1],2]", 1).is_discarded());
  EXPECT_TRUE(parse_json(std::string(1'000'000, '[')).is_discarded());
}

TEST(JsonValue, WritesUtf8Alone) {
  EXPECT_FALSE(
      find_invalid_utf8(json_text(Json("a\xff"
                                       "b"))));
  EXPECT_FALSE(find_invalid_utf8(json_text(OrderedJson("\xc3"))));
}

}  // namespace
}  // namespace fovea::json_test
