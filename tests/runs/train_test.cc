// Training as the library has it; tests/cli/train_test.cc has it as the command does it.
#include <gtest/gtest.h>

#include "fovea.h"
#include "support/refusal.h"
#include "training/tiny_run.h"

namespace fovea::runs_train_test {
namespace {

class TrainTest : public testing::Test {
 protected:
  TrainRequest request(const std::string& run, std::int64_t updates) const {
    TrainRequest request;
    request.data.examples = tiny_examples(1, 200);
    request.config.settings = tiny_settings();
    request.folder = folder_ / run;
    request.threads = 1;
    request.stop_after = {updates, Period::Unit::updates};
    return request;
  }
  static std::string refused(const TrainRequest& request) {
    return refusal([&] { train(request); });
  }

  TemporaryFolder folder_;
};

TEST_F(TrainTest, LinesInMemoryAreTheLinesOfAFile) {
  TrainRequest of_file = request("file", 25);
  of_file.data.file = folder_.write("data.tsv", to_tsv(of_file.data.examples));
  of_file.data.examples.clear();
  const TrainResult a = train(request("memory", 25)), b = train(of_file);
  EXPECT_EQ(a.ending, Ending::stopped);
  EXPECT_EQ(a.updates, 25);
  ASSERT_TRUE(a.best);
  EXPECT_EQ(a.best->update, b.best->update);
  EXPECT_EQ(a.config.columns, (std::vector<std::string>{"source", "target"}));
  if (files_are_exact) {
    EXPECT_EQ(remains(folder_ / "memory"), remains(folder_ / "file"));
  }
  for (const char* name : {"model.safetensors", "config.toml", "report.html", "README.md"}) {
    EXPECT_TRUE(std::filesystem::exists(folder_ / "memory" / name)) << name;
  }
  EXPECT_FALSE(read_bytes(folder_ / "memory" / "README.md").find("```sh\n```") != std::string::npos);
}

TEST_F(TrainTest, FeaturesInMemoryAreAColumn) {
  TrainRequest tagged = request("run", 2);
  for (Example& example : tagged.data.examples) example.features = "V;SG";
  EXPECT_EQ(train(tagged).config.columns, (std::vector<std::string>{"source", "target", "features"}));
  Predictor predictor(folder_ / "run", 1);
  const std::vector<SourceText> sources = {{"abc", "V;SG"}};
  EXPECT_EQ(predictor.predict(sources, {})[0].unknown_feature, "");
}

TEST_F(TrainTest, WhoeverWatchesIsTold) {
  struct Watching : Observer {
    void noticed(const std::string& text) override { told += "noticed " + text + "\n"; }
    void chose(const std::vector<Choice>& all) override { told += all.empty() ? "" : "chose\n"; }
    void started(const RunStart&) override { told += "started\n"; }
    void ended() override { told += "ended\n"; }
    std::string told;
  } watching;
  TrainRequest watched = request("run", 2);
  watched.data.examples[3].target.clear();
  watched.data.on_bad_line = "skip";
  watched.observer = &watching;
  train(watched);
  EXPECT_EQ(watching.told,
            "noticed left out: 1 empty side (first: examples:4:1: the target is empty)\nchose\nstarted\nended\n");
  watching.told.clear();
  watched.stop_after.count = 3;
  EXPECT_EQ(train(watched).updates, 3) << "it goes on";
  EXPECT_EQ(watching.told.find("chose"), std::string::npos) << "the choice was made when the run began";
}

TEST_F(TrainTest, AStopIsHeededAndTheSameGoesOn) {
  std::atomic<int> stop = 0;
  struct Stopping : Observer {
    explicit Stopping(std::atomic<int>& flag) : flag(flag) {}
    void updated(const UpdateReport& report) override { flag = report.update >= 7; }
    std::atomic<int>& flag;
  } stopping(stop);
  TrainRequest stopped = request("stopped", 30);
  stopped.observer = &stopping;
  stopped.stop_signal = &stop;
  const TrainResult first = train(stopped);
  EXPECT_EQ(first.ending, Ending::interrupted);
  EXPECT_EQ(first.updates, 7);
  train(request("stopped", 30));
  train(request("whole", 30));
  if (files_are_exact) {
    EXPECT_EQ(remains(folder_ / "stopped"), remains(folder_ / "whole"));
  }
}

// A model begins near what guessing among all symbols has, which may be far above what their frequencies tell.
TEST_F(TrainTest, TooLargeUpdatesAreToldFromFewOnes) {
  TrainResult result;
  result.learned = false;
  result.ending = Ending::stopped;
  result.config.training.learning_rate = 0.002;
  result.best_loss = 1.76;
  result.loss_of_single_symbols = 0.85;
  result.loss_of_guessing = 1.79;
  EXPECT_TRUE(what_was_not_learned(result).ends_with("Train for longer")) << what_was_not_learned(result);
  result.best_loss = 2.5;
  EXPECT_TRUE(what_was_not_learned(result).find("The updates are too large") != std::string::npos);
}

TEST_F(TrainTest, RefusalsNameWhatWasGiven) {
  folder_.write("mine.txt", "");
  EXPECT_NE(refused(request("", 1)).find("holds no run; choose a new `folder`"), std::string::npos);
  TrainRequest wrong = request("run", 1);
  wrong.config.settings.push_back("decoder.size=big");
  EXPECT_TRUE(refused(wrong).starts_with("`settings` decoder.size=big: wants a whole number")) << refused(wrong);
  wrong = request("run", 1);
  wrong.data.file = "data.tsv";
  EXPECT_EQ(refused(wrong), "lines to train on come from files or from memory, not from both");
  wrong = request("run", 1);
  wrong.data.dev = "dev.tsv";
  wrong.data.held_out = tiny_examples(2, 5);
  EXPECT_EQ(refused(wrong), "held-out lines come from files or from memory, not from both");
  wrong = request("run", 1);
  wrong.data.examples[1].source = "a\xFF";
  EXPECT_TRUE(refused(wrong).starts_with("examples:2:2: byte 0xFF is not UTF-8")) << refused(wrong);
  EXPECT_TRUE(refused({}).find("`folder`") != std::string::npos) << refused({});
}

}  // namespace
}  // namespace fovea::runs_train_test
