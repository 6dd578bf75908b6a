// What a stranger does first: `fovea train FILE -o RUN`, without a setting. The long tests run with FOVEA_SLOW=1
// (./check --slow), those on real data where FOVEA_DATA, or ../shared/data, has it.
#include <gtest/gtest.h>

#include <cstdlib>

#include <fmt/core.h>

#include "data/lines.h"
#include "support/process.h"
#include "support/temporary_folder.h"
#include "training/journal.h"

namespace fovea::defaults_test {
namespace {

class DefaultsTest : public testing::Test {
 protected:
  std::string make(const std::string& maker, int count, int seed) {
    const Outcome made = run(fovea({"make", maker, "--count", std::to_string(count), "--seed", std::to_string(seed)}));
    EXPECT_EQ(made.code, 0) << made.err;
    return folder_.write(maker + std::to_string(seed) + ".tsv", made.out);
  }

  // The best validation of a run.
  ValidationReport best(const std::vector<std::string>& words) {
    std::vector<std::string> all = {"train", "-o", folder_ / "run", "--progress", "plain"};
    all.insert(all.end(), words.begin(), words.end());
    Command command = fovea(all);
    command.seconds = 1800;  // the long ones train to their end
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    said_ = outcome.err;
    Files files;
    ValidationReport found;
    for (const ValidationReport& report : read_journal(files, folder_ / "run" / journal_file_name).validations) {
      if (report.best) found = report;
    }
    return found;
  }

  TemporaryFolder folder_;
  std::string said_;
};

TEST_F(DefaultsTest, AreSaidWithTheirReasonsAndWrittenDown) {
  best({make("copy", 200, 1), "--stop-after", "3u", "--set", "decoder.size=16"});
  EXPECT_NE(said_.find("settings that suit the data"), said_.npos) << said_;
  EXPECT_NE(said_.find("training.batch = "), said_.npos);
  EXPECT_NE(said_.find("updates an epoch"), said_.npos);
  EXPECT_EQ(said_.find("an epoch"), said_.rfind("an epoch")) << "two figures, of which one leaves padding out";
  EXPECT_EQ(said_.find("decoder.size = "), said_.npos) << "it was given";
  const std::string toml = read_bytes(folder_ / "run" / "config.toml");
  EXPECT_NE(toml.find("label_smoothing = 0.1"), toml.npos) << toml;
  EXPECT_NE(toml.find("size = 16"), toml.npos);
}

TEST_F(DefaultsTest, PrintConfigShowsWhatSuitsTheData) {
  const std::string data = make("copy", 200, 1);
  const Outcome printed = run(fovea({"train", data, "-o", folder_ / "run", "--print-config"}));
  ASSERT_EQ(printed.code, 0) << printed.err;
  EXPECT_NE(printed.err.find("settings that suit the data"), printed.err.npos) << "with their reasons";
  best({data, "--stop-after", "1u"});
  EXPECT_EQ(printed.out, read_bytes(folder_ / "run" / "config.toml"));
}

// Each date beside the source of the line before: what a date looks like can be learned.
TEST_F(DefaultsTest, ARunThatDoesNotHeedItsSourcesSaysSo) {
  const std::string together = make("dates", 300, 1);
  std::vector<std::string> sources, targets;
  LineReader reader(together);
  for (std::string line; reader.next(line);) {
    const std::size_t tab = line.find('\t');
    sources.push_back(line.substr(0, tab));
    targets.push_back(line.substr(tab + 1));
  }
  std::string apart;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    apart += fmt::format("{}\t{}\n", sources[i], targets[(i + 1) % targets.size()]);
  }
  const std::vector<std::string> settings = {"--set", "encoder.size=32", "--set", "decoder.size=32", "--fresh"};
  const auto train = [&](const std::string& data, const std::string& until) {
    std::vector<std::string> words = settings;
    words.insert(words.begin(), data);
    words.insert(words.end(), {"--stop-after", until});
    best(words);
    return said_;
  };
  const std::string doubt = "answers do not depend on the source";
  EXPECT_NE(train(folder_.write("apart.tsv", apart), "200u").find(doubt + " yet"), std::string::npos) << said_;
  EXPECT_EQ(train(make("copy", 300, 1), "400u").find(doubt), std::string::npos) << said_;
}

TEST_F(DefaultsTest, ARunWhoseUpdatesAreTooLargeSaysSo) {
  best({make("copy", 300, 1), "--set", "training.learning_rate=1000", "--set", "training.optimizer=sgd", "--stop-after",
        "20u"});
  EXPECT_NE(said_.find("The updates are too large: try --set training.learning_rate=0.002"), said_.npos) << said_;
}

TEST_F(DefaultsTest, ARunThatLearnsNothingSaysSo) {
  best({make("copy", 300, 1), "--set", "training.learning_rate=1e-9", "--set", "training.patience=2", "--set",
        "training.patience_updates=1", "--set", "training.validate_every=2u"});
  EXPECT_NE(said_.find("nothing was learned"), said_.npos) << said_;
  EXPECT_NE(said_.find("training.learning_rate=0.002"), said_.npos) << "what suits the size, if less was tried";
}

class SlowDefaultsTest : public DefaultsTest {
 protected:
  void SetUp() override {
    if (!std::getenv("FOVEA_SLOW")) GTEST_SKIP() << "needs FOVEA_SLOW=1";
  }

  // Of the real data; empty if it is not there.
  static std::filesystem::path data(const std::string& name) {
    const char* folder = std::getenv("FOVEA_DATA");
    const std::filesystem::path path =
        (folder ? std::filesystem::path(folder) : std::filesystem::path(FOVEA_SOURCE_DIR) / "../shared/data") / name;
    return std::filesystem::exists(path) ? path : std::filesystem::path();
  }

  // A file with that many lines of another, which is in the order of its words.
  std::string spread(const std::filesystem::path& path, std::size_t count) {
    std::vector<std::string> lines;
    std::string line, text;
    for (LineReader reader(path); reader.next(line);) lines.push_back(line);
    for (std::size_t i = 0; i < count; ++i) text += lines.at(i * lines.size() / count) + "\n";
    return folder_.write("spread.tsv", text);
  }
};

TEST_F(SlowDefaultsTest, MadeDataIsLearned) {
  for (const char* maker : {"copy", "reverse", "dates"}) {
    EXPECT_GE(best({make(maker, 10000, 1), "--fresh"}).metrics.find("exact").value(), 0.99) << maker << "\n" << said_;
  }
}

TEST_F(SlowDefaultsTest, EightHundredLinesOfIcelandic) {
  const auto lines = data("yoyodyne/icelandic-g2p.train.tsv"), held_out = data("yoyodyne/icelandic-g2p.dev.tsv");
  if (lines.empty()) GTEST_SKIP() << "no data";
  EXPECT_GE(best({lines, "--dev", held_out}).metrics.find("exact").value(), 0.8) << said_;
}

TEST_F(SlowDefaultsTest, ThreeThousandLinesOfEnglishPronunciation) {
  const auto lines = data("g2p-cmudict/train.tsv.xz"), held_out = data("g2p-cmudict/valid.tsv.xz");
  if (lines.empty()) GTEST_SKIP() << "no data";
  EXPECT_GE(best({spread(lines, 3000), "--dev", held_out}).metrics.find("exact").value(), 0.35) << said_;
}

}  // namespace
}  // namespace fovea::defaults_test
