// Events of a run: in order, again for whoever comes late, and never more than there is room for.
#include "server/events.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/process.h"

namespace fovea::events_test {
namespace {

TEST(EventLog, ComesInOrderAndFromAnywhere) {
  EventLog log;
  log.add("started", R"({"event":"started"})");
  log.add("update", R"({"update":1})", true);
  std::int64_t next = 1;
  EXPECT_EQ(log.text_from(next),
            "event: started\nid: 1\ndata: {\"event\":\"started\"}\n\nevent: update\nid: 2\ndata: {\"update\":1}\n\n");
  EXPECT_EQ(next, 3);
  EXPECT_EQ(log.text_from(next), "");
  EXPECT_FALSE(log.ended_at(next));
  log.add("update", R"({"update":2})", true);
  log.end();
  EXPECT_FALSE(log.ended_at(next));
  EXPECT_EQ(log.text_from(next), "event: update\nid: 3\ndata: {\"update\":2}\n\n");
  EXPECT_TRUE(log.ended_at(next));
  next = 1000;  // of another run
  EXPECT_TRUE(says(log.text_from(next), "id: 1\n"));
  EXPECT_EQ(nlohmann::json::parse(log.list()).size(), 3u);
  EXPECT_EQ(EventLog().list(), "[]");
}

TEST(EventLog, IsThinnedAndKeepsItsEnds) {
  EventLog log({.bytes = 1 << 20, .events = 100});
  log.add("started", R"({"event":"started"})");
  for (int i = 1; i <= 10'000; ++i) log.add("update", fmt::format(R"({{"update":{}}})", i), true);
  const auto events = nlohmann::json::parse(log.list());
  EXPECT_LE(events.size(), 100u);
  EXPECT_GE(events.size(), 40u);
  EXPECT_EQ(events[0]["event"], "started");
  EXPECT_EQ(events.back()["update"], 10'000);
  EXPECT_EQ(events[1]["update"], 1) << "the beginning is still told";
  for (std::size_t i = 2; i < events.size(); ++i) {
    const int apart = events[i]["update"].get<int>() - events[i - 1]["update"].get<int>();
    EXPECT_GT(apart, 0);
    EXPECT_LE(apart, 300) << "evenly";
  }
}

TEST(EventLog, ManyUpdatesDoNotThinValidations) {
  EventLog log({.bytes = 1 << 20, .events = 100});
  for (int i = 1; i <= 1000; ++i) {
    log.add("update", fmt::format(R"({{"update":{}}})", i), true);
    if (i % 50 == 0) log.add("validation", R"({"event":"validation"})", true);
  }
  int validations = 0;
  for (const auto& event : nlohmann::json::parse(log.list())) validations += event.contains("event") ? 1 : 0;
  EXPECT_EQ(validations, 20);
}

TEST(EventLog, BytesHaveABound) {
  EventLog log({.bytes = 10'000, .events = 1000});
  for (int i = 0; i < 500; ++i) log.add("validation", "\"" + std::string(300, 'a') + "\"", true);
  EXPECT_LE(log.list().size(), 11'000u);
  EventLog kept({.bytes = 10'000, .events = 1000});
  for (int i = 0; i < 500; ++i) kept.add("notice", "\"" + std::string(300, 'a') + "\"");
  EXPECT_LE(kept.list().size(), 11'000u) << "also of those that are not thinned";
}

TEST(EventLog, LongTextComesInParts) {
  EventLog log;
  for (int i = 0; i < 10; ++i) log.add("validation", "\"" + std::string(100'000, 'a') + "\"", true);
  std::int64_t next = 1;
  int parts = 0;
  while (!log.text_from(next).empty()) ++parts;
  EXPECT_GT(parts, 2);
  EXPECT_EQ(next, 11);
}

}  // namespace
}  // namespace fovea::events_test
