// Whatever state the standard streams are in: no command aborts, none stops because it cannot be heard, nothing is
// written where it does not belong, and a result that did not arrive is an error that says why.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/process.h"
#include "training/tiny_run.h"

namespace fovea::streams_test {
namespace {

class StreamsTest : public testing::Test {
 protected:
  StreamsTest() {
    std::filesystem::create_directory(model_);
    make_tiny_model(model_);
    data_ = folder_.write("data.tsv", to_tsv(tiny_examples(1, 50)));
  }

  // In the folder, with what the shell makes of the line.
  Outcome shell(const std::string& line, std::string_view input = {}) const {
    Command command = {{"/bin/sh", "-c", line}};
    command.environment = {"FOVEA=" FOVEA_BINARY};
    command.folder = folder_.path();
    return run(command, input);
  }

  static std::string tiny_flags() {
    std::string flags;
    for (const std::string& setting : tiny_settings()) flags += " --set " + setting;
    return flags;
  }

  TemporaryFolder folder_;
  std::string model_ = folder_ / "model";
  std::string data_;
};

TEST_F(StreamsTest, ErrorsThatCannotBeWrittenChangeNoExitCode) {
  for (const std::string errors : {"2>&-", "2>/dev/full", "2>/dev/null"}) {
    EXPECT_EQ(shell("$FOVEA predict nomodel " + errors).code, 4) << errors;
    EXPECT_EQ(shell("$FOVEA predict " + errors).code, 2) << errors;
    EXPECT_EQ(shell("$FOVEA list socres " + errors).code, 2) << errors;
    EXPECT_EQ(shell("$FOVEA evaluate model data.tsv --min exact=1.1 " + errors).code, 5) << errors;
    const Outcome evaluated = shell("$FOVEA evaluate model data.tsv --json " + errors);
    EXPECT_EQ(evaluated.code, 0) << errors;
    EXPECT_TRUE(says(evaluated.out, "\"lines\":50"));
  }
}

TEST_F(StreamsTest, BothStreamsMayLoseTheirReader) {
  const Outcome outcome = shell("{ $FOVEA make copy --count 100000 2>&1; echo $? > code; } | head -1");
  EXPECT_TRUE(is_one_line(outcome.out));
  EXPECT_EQ(read_bytes(folder_ / "code"), "1\n");
}

TEST_F(StreamsTest, EveryRunOfAComparisonIsMadeThoughNobodyHearsOfIt) {
  const Outcome outcome = shell("$FOVEA compare data.tsv -o runs --vary decoder.size=7,8 --stop-after 2u --json" +
                                tiny_flags() + " 2>/dev/full");
  EXPECT_EQ(outcome.code, 0);
  const auto rows = nlohmann::json::parse(outcome.out).at("rows");
  EXPECT_EQ(rows.size(), 2u);
  for (const auto& row : rows) EXPECT_EQ(row.at("runs").size(), 1u) << row;
}

TEST_F(StreamsTest, WhatIsMeantForAClosedStreamGoesIntoNoFile) {
  for (const std::string closed : {"2>&-", "0<&- 1>&- 2>&-"}) {
    const std::string train =
        "rm -rf run; $FOVEA train data.tsv -o run --progress plain --stop-after 25u" + tiny_flags();
    ASSERT_EQ(shell(train).code, 0);
    const std::string settings = read_bytes(folder_ / "run" / "config.toml"), remained = remains(folder_ / "run");
    ASSERT_EQ(shell(train + " " + closed).code, 0) << closed;
    EXPECT_EQ(read_bytes(folder_ / "run" / ".lock"), "");
    EXPECT_EQ(read_bytes(folder_ / "run" / "config.toml"), settings);
    EXPECT_EQ(remains(folder_ / "run"), remained);
    Files files;
    read_journal(files, folder_ / "run" / journal_file_name);
  }
}

TEST_F(StreamsTest, AResultThatDoesNotArriveIsAFailureThatSaysWhy) {
  for (const std::string command :
       {"make dates", "list", "--help", "train --help", "inspect model", "show model abc", "predict model data.tsv"}) {
    const Outcome full = shell("$FOVEA " + command + " >/dev/full");
    EXPECT_EQ(full.code, 1) << command;
    EXPECT_TRUE(says(full.err, "standard output: No space left on device")) << command;
    EXPECT_TRUE(is_one_line(full.err));
    const Outcome closed = shell("$FOVEA " + command + " >&-");
    EXPECT_EQ(closed.code, 1) << command;
    EXPECT_TRUE(says(closed.err, "standard output was closed")) << command;
    EXPECT_TRUE(is_one_line(closed.err));
  }
}

TEST_F(StreamsTest, AClosedInputIsBadData) {
  const Outcome outcome = shell("$FOVEA predict model <&-");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_TRUE(says(outcome.err, "standard input: cannot read: Bad file descriptor"));
}

TEST_F(StreamsTest, NoLineIsLostIfTheStreamsAreSetNotToWait) {
  Command make = fovea({"make", "copy", "--count", "20000"});
  const std::string lines = run(make).out;
  make.streams_do_not_wait = true;
  EXPECT_TRUE(run(make).out == lines);

  std::string input;
  for (int i = 0; i < 20000; ++i) input += "abcdefgh\n";
  Command predict = fovea({"predict", model_, "--batch", "512"});
  predict.streams_do_not_wait = true;
  const Outcome outcome = run(predict, input);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(std::ranges::count(outcome.out, '\n'), 20000);
}

TEST_F(StreamsTest, ALineThatComesLateIsWaitedForIfTheStreamsAreSetNotToWait) {
  Command command = fovea({"predict", model_});
  command.streams_do_not_wait = true;
  Process process(command);
  for (int i = 0; i < 3; ++i) {
    process.write("abc\n");
    EXPECT_TRUE(process.read_line());
  }
  EXPECT_EQ(process.finish().code, 0);
}

}  // namespace
}  // namespace fovea::streams_test
