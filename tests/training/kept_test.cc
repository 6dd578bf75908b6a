// The last validated models stay in the folder, and nothing else changes.
#include "training/kept.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "tasks/average.h"
#include "training/tiny_run.h"

namespace fovea::kept_test {
namespace {

class KeptTest : public testing::Test {
 protected:
  void train(const std::string& run, std::int64_t updates, int keep, bool fresh = false) {
    Observer nobody;
    files_.make_directories(folder_ / run);
    RunOptions options;
    options.folder = folder_ / run;
    options.stop_after = {updates, Period::Unit::updates};
    options.keep = keep;
    options.fresh = fresh;
    Trainer(tiny_config({"training.validate_every=10u"}), tiny_data(), options, files_, nobody).run();
  }
  std::string kept(const std::string& run) {
    std::vector<std::string> names;
    for (const std::string& name : files_.names_in(folder_ / run)) {
      if (name.starts_with("kept")) names.push_back(name);
    }
    std::ranges::sort(names);
    return fmt::format("{}", fmt::join(names, " "));
  }

  Files files_;
  TemporaryFolder folder_;
};

TEST_F(KeptTest, TheLastOnesStayAndNothingElseChanges) {
  train("plain", 45, 0);
  train("kept", 45, 2);
  EXPECT_EQ(kept("plain"), "");
  EXPECT_EQ(kept("kept"), "kept-30.model.safetensors kept-40.model.safetensors");
  EXPECT_EQ(remains(folder_ / "plain"), remains(folder_ / "kept"));
  EXPECT_EQ(journal_without_times(folder_ / "plain"), journal_without_times(folder_ / "kept"));
  EXPECT_EQ(load_model(files_, folder_ / "kept" / "kept-30.model.safetensors")->task().target().size(), 6);
}

TEST_F(KeptTest, AStopChangesNothing) {
  train("whole", 45, 2);
  for (const std::int64_t updates : {5, 33, 45}) train("stopped", updates, 2);
  EXPECT_EQ(kept("stopped"), kept("whole"));
  if (!files_are_exact) return;
  for (const char* name : {"kept-30.model.safetensors", "kept-40.model.safetensors"}) {
    EXPECT_TRUE(read_bytes(folder_ / "stopped" / name) == read_bytes(folder_ / "whole" / name)) << name;
  }
}

TEST_F(KeptTest, OtherNamesAreNotTheirs) {
  EXPECT_TRUE(is_kept_name("kept-5.model.safetensors"));
  for (const char* name : {"kept--5.model.safetensors", "kept-x.model.safetensors", "kept-.model.safetensors",
                           "kept-05.model.safetensors", "kept-5.model", "my-kept-5.model.safetensors"}) {
    EXPECT_FALSE(is_kept_name(name)) << name;
  }
}

TEST_F(KeptTest, EachIsWrittenOnce) {
  struct Taker : Observer {
    void saved(const std::string& checkpoint, std::int64_t update) override {
      if (update != 10) return;
      std::filesystem::remove(std::filesystem::path(checkpoint).parent_path() / "kept-10.model.safetensors");
    }
  } taker;
  Trainer(tiny_config({"training.validate_every=10u"}), tiny_data(),
          {.folder = folder_.path(), .stop_after = {35, Period::Unit::updates}, .keep = 3}, files_, taker)
      .run();
  EXPECT_EQ(kept("."), "kept-20.model.safetensors kept-30.model.safetensors") << "what was taken away stays away";
}

TEST_F(KeptTest, WhoeverGoesOnWithoutKeepingLeavesThem) {
  train("run", 45, 2);
  const std::string before = kept("run");
  train("run", 65, 0);
  EXPECT_EQ(kept("run"), before);
}

TEST_F(KeptTest, ThoseOfAnotherRunAreRemoved) {
  train("run", 45, 3);
  train("run", 15, 3, true);
  EXPECT_EQ(kept("run"), "kept-10.model.safetensors");
  folder_.write("run/kept-99.model.safetensors", "of updates that were lost");
  folder_.write("run/kept-08.model.safetensors", "mine");
  train("run", 20, 3);
  EXPECT_EQ(kept("run"), "kept-08.model.safetensors kept-10.model.safetensors kept-20.model.safetensors");
}

TEST_F(KeptTest, TheirMeanCanBeTaken) {
  train("run", 35, 3);
  const auto last = last_kept_models(files_, folder_ / "run", 2);
  ASSERT_EQ(last.size(), 2u);
  EXPECT_EQ(last[0].filename(), "kept-20.model.safetensors");
  EXPECT_EQ(average_models(files_, last)->task().target().size(), 6);
  try {
    last_kept_models(files_, folder_ / "run", 4);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::usage);
    EXPECT_NE(std::string(e.what()).find("has 3 kept models, not 4; train with `keep` 4"), std::string::npos);
  }
}

}  // namespace
}  // namespace fovea::kept_test
