// No command replaces what it has not written itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "support/process.h"
#include "training/tiny_run.h"

namespace fovea::overwriting_test {
namespace {

class OverwritingTest : public testing::Test {
 protected:
  OverwritingTest() { data_ = folder_.write("data.tsv", to_tsv(tiny_examples(1, 50))); }

  // In the folder.
  Outcome command(std::vector<std::string> words) const {
    if (words[0] == "train" || words[0] == "compare") {
      words.insert(words.end(), {"--progress", "none", "--stop-after", "2u"});
      for (const std::string& setting : tiny_settings()) words.insert(words.end(), {"--set", setting});
    }
    Command command = fovea(std::move(words));
    command.folder = folder_.path();
    return run(command);
  }

  void expect_refused(const std::vector<std::string>& words, const std::string& reason) const {
    const auto before = everything();
    const Outcome outcome = command(words);
    EXPECT_EQ(outcome.code, 2) << words.back() << ": " << outcome.err;
    EXPECT_TRUE(says(outcome.err, reason));
    EXPECT_TRUE(is_one_line(outcome.err));
    EXPECT_TRUE(everything() == before) << words.back() << ": something changed";
  }
  void expect_done(const std::vector<std::string>& words) const {
    const Outcome outcome = command(words);
    EXPECT_EQ(outcome.code, 0) << words.back() << ": " << outcome.err;
  }

  std::map<std::string, std::string> everything() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path())) {
      files[entry.path()] = entry.is_regular_file() ? read_bytes(entry.path()) : "";
    }
    return files;
  }

  TemporaryFolder folder_;
  std::string data_;
};

TEST_F(OverwritingTest, ARunWantsAFolderOfItsOwn) {
  for (const char* name : {"README.md", "config.toml", "report.html"}) folder_.write(name, "mine\n");
  expect_refused({"train", data_, "-o", "."}, ". is not empty and holds no run; choose a new folder with -o");
  expect_refused({"train", data_, "-o", folder_.path()}, "is not empty and holds no run");
  expect_refused({"train", data_, "-o", ".", "--fresh"}, "is not empty and holds no run");
  expect_refused({"train", data_, "-o", ""}, "is no folder");
  expect_refused({"compare", data_, "--vary", "decoder.size=8", "-o", ""}, "is no folder");
  std::filesystem::create_directory(folder_ / "made");
  expect_done({"train", data_, "-o", "made"});
  expect_done({"train", data_, "-o", "made"});
  expect_done({"train", data_, "-o", "made", "--fresh"});
  folder_.write("made/notes.txt", "mine\n");
  expect_done({"train", data_, "-o", "made"});
}

TEST_F(OverwritingTest, ARunThatEndedBeforeItsFirstCheckpointIsOne) {
  expect_done({"train", data_, "-o", "run"});
  std::filesystem::remove(folder_ / "run" / checkpoint_file_name);
  folder_.write("run/.checkpoint.safetensors.123-0.tmp", "half");
  expect_done({"train", data_, "-o", "run"});
  std::filesystem::remove(folder_ / "run" / checkpoint_file_name);
  std::filesystem::remove(folder_ / "run" / ".lock");
  expect_refused({"train", data_, "-o", "run"}, "is not empty and holds no run");
}

TEST_F(OverwritingTest, BenchSavesNoModelOverATrainedOne) {
  make_tiny_model(folder_.path());
  const std::vector<std::string> bench = {"bench", "--seconds", "1", "--batch",   "1", "--size", "8", "--source",
                                          "3",     "--target",  "3", "--symbols", "9", "--save"};
  const auto to = [&](const std::string& folder) {
    std::vector<std::string> words = bench;
    words.push_back(folder);
    return words;
  };
  expect_refused(to("."), ". is not empty and not of an earlier bench --save");
  folder_.write("batch.json", "{}");
  expect_refused(to("."), "is not empty");
  std::filesystem::create_directory(folder_ / "saved");
  for (const char* name : {"saved/batch.json", "saved/model.safetensors"}) folder_.write(name, "of an earlier one");
  expect_done(to("saved"));
  expect_refused({"train", data_, "-o", "saved"}, "holds no run");
}

TEST_F(OverwritingTest, APictureReplacesAPictureAlone) {
  std::filesystem::create_directory(folder_ / "run");
  expect_done({"train", data_, "-o", "run"});
  const std::string text = "abc";
  for (const char* file : {"run/model.safetensors", "run/report.html", "run/config.toml", "data.tsv"}) {
    expect_refused({"show", "run", text, "--svg", file}, "is no picture of fovea show; choose another name");
    expect_refused({"show", "run", text, "--html", file}, "is no page of fovea show; choose another name");
  }
  folder_.write("empty.svg", "");
  expect_done({"show", "run", text, "--svg", "empty.svg"});
  for (int times = 0; times < 2; ++times) {
    expect_done({"show", "run", text, "--svg", "map.svg", "--html", "map.html"});
  }
  expect_refused({"show", "run", text, "--svg", "map.html"}, "is no picture");
  expect_refused({"show", "run", text, "--html", "map.svg"}, "is no page");
}

TEST_F(OverwritingTest, AReportReplacesAReportAlone) {
  expect_done({"train", data_, "-o", "a/run"});
  expect_done({"train", data_, "-o", "b/run"});
  const std::string events = "events/run/events.out.tfevents.fovea";
  for (int times = 0; times < 2; ++times) {
    expect_done({"report", "a/run", "-o", "page.html", "--tensorboard", "events"});
    EXPECT_NE(read_bytes(folder_ / events).find("loss/held_out"), std::string::npos);
    EXPECT_NE(read_bytes(folder_ / "page.html").find("– report</title>"), std::string::npos);
  }
  expect_refused({"report", "a/run", "-o", "data.tsv"}, "data.tsv is there already and is no report of a run");
  expect_refused({"report", "a/run", "b/run", "--tensorboard", "events"}, "two of the runs are called run");
  folder_.write(events, "mine");
  expect_refused({"report", "a/run", "--tensorboard", "events"}, "is no event file of TensorBoard");
  expect_refused({"report", "a"}, "a holds no run; give the folder of one");
}

TEST_F(OverwritingTest, AComparisonReplacesItsOwnFilesAlone) {
  const std::vector<std::string> compare = {"compare", data_, "--vary", "decoder.size=8", "-o", "runs"};
  const auto to = [&](const std::string& flag, const std::string& file) {
    std::vector<std::string> words = compare;
    words.insert(words.end(), {flag, file});
    return words;
  };
  expect_refused(to("--tsv", "data.tsv"), "data.tsv is there already and is no table of fovea compare");
  expect_refused(to("--html", "data.tsv"), "data.tsv is there already and is no page of fovea compare");
  for (int times = 0; times < 2; ++times) {
    expect_done(to("--tsv", "table.tsv"));
    expect_done(to("--html", "page.html"));
  }
  expect_refused(to("--html", "table.tsv"), "is no page");
}

}  // namespace
}  // namespace fovea::overwriting_test
