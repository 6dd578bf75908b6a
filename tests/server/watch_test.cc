// Training that is watched is the same training; those who watch see it from its start.
#include "server/watch.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "support/process.h"
#include "training/tiny_run.h"

namespace fovea::watch_test {
namespace {

Config config() { return tiny_config({"training.validate_every=20u"}); }

TEST(WatchedTraining, LeavesTheSameBytesAndTellsAll) {
  TemporaryFolder folder;
  Files files;
  Observer nobody;
  const auto train = [&](const char* name, Observer& observer) {
    std::filesystem::create_directories(folder / name);
    Trainer(config(), tiny_data(), {.folder = folder / name, .stop_after = {60, Period::Unit::updates}}, files,
            observer)
        .run();
  };
  train("alone", nobody);
  const auto events = std::make_shared<EventLog>();
  WatchedTraining watched(nobody, events);
  watched.noticed("160 lines");
  watched.chose({{"size", {"encoder.size"}, "8", "few lines"}});
  train("watched", watched);
  watched.warned("a\nb");
  watched.filmed(R"({"update":60,"validation":3})");
  watched.ended();
  EXPECT_EQ(remains(folder / "alone"), remains(folder / "watched"));
  EXPECT_EQ(journal_without_times(folder / "alone"), journal_without_times(folder / "watched"));

  const Json told = Json::parse(events->list());
  std::map<std::string, int> count;
  for (const Json& event : told) ++count[event["event"]];
  EXPECT_EQ(count["film"], 1);
  EXPECT_EQ(count["started"], 1);
  EXPECT_EQ(count["validation"], 3);
  EXPECT_GE(count["update"], 1);
  EXPECT_EQ(count["notice"], 1);
  EXPECT_EQ(count["warning"], 1);
  EXPECT_EQ(told.back()["event"], "ended");
  for (const Json& event : told) {
    if (event["event"] == "started") {
      EXPECT_EQ(event["settings_chosen"][0]["reason"], "few lines");
      EXPECT_EQ(event["training_lines"], 160);
    }
    if (event["event"] != "validation") continue;
    const Json& explanation = event["samples"][0]["explanation"];
    EXPECT_EQ(explanation["schema"], "fovea.explanation/1");
    EXPECT_GT(explanation["steps"].size(), 0u);
    EXPECT_GT(explanation["steps"][0]["looks"].size(), 0u) << "the map";
    EXPECT_TRUE(event.contains("held_out_loss") && event.contains("exact") && event.contains("patience_left"));
  }
}

TEST(WatchedTraining, OfARunThatGoesOnThePastIsThere) {
  TemporaryFolder folder;
  Files files;
  Observer nobody;
  const auto train = [&](std::int64_t updates, Observer& observer) {
    Trainer(config(), tiny_data(), {.folder = folder.path(), .stop_after = {updates, Period::Unit::updates}}, files,
            observer)
        .run();
  };
  train(40, nobody);
  folder.write("film.jsonl", "{\"update\":20,\"validation\":1}\n");
  const auto events = std::make_shared<EventLog>();
  WatchedTraining watched(nobody, events, folder.path());
  train(60, watched);
  std::vector<int> validations;
  int frames = 0;
  for (const Json& event : Json::parse(events->list())) {
    if (event["event"] == "validation") validations.push_back(event["update"]);
    frames += event["event"] == "film";
  }
  EXPECT_EQ(validations, (std::vector<int>{20, 40, 60}));
  EXPECT_EQ(frames, 1);
}

}  // namespace
}  // namespace fovea::watch_test
