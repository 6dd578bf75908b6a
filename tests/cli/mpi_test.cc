// Training with mpirun: any number of ranks gives the bytes of one, and what happens to one of them happens to all.
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>

#include "support/process.h"
#include "training/tiny_run.h"

namespace fovea::mpi_test {
namespace {

using Words = std::vector<std::string>;

class SlowMpiTest : public testing::Test {
 protected:
  void SetUp() override {
    if (run({{"/usr/bin/env", "mpirun", "--version"}}).code != 0) GTEST_SKIP() << "no mpirun; install openmpi-bin";
    const Outcome outcome = run(mpirun(2, fovea({"train", "--print-config", "-o", "x"}).words));
    if (outcome.code == 2 && says(outcome.err, "came without MPI")) GTEST_SKIP() << "this fovea was built without MPI";
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    data_ = folder_.write("data.tsv", to_tsv(tiny_examples(1, 200)));
  }

  // Where ranks share cores, one that waits should not keep the others from working.
  static Command mpirun(int ranks, const Words& words) {
    Command command = {{"/usr/bin/env", "mpirun", "--oversubscribe", "--allow-run-as-root", "--mca",
                        "mpi_yield_when_idle", "1", "--mca", "btl_vader_single_copy_mechanism", "none", "-n",
                        std::to_string(ranks)}};
    command.words.insert(command.words.end(), words.begin(), words.end());
    return command;
  }

  Words train(const std::string& run, const std::string& stop_after, const Words& more = {}) const {
    Words words = {FOVEA_BINARY, "train",        data_,      "-o",           folder_ / run, "--progress",
                   "plain",      "--stop-after", stop_after, "--save-every", "5u"};
    for (const std::string& setting : tiny_settings()) words.insert(words.end(), {"--set", setting});
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  std::string expected(const std::string& stop_after, const Words& more = {}) const {
    const Outcome outcome = run({train("whole", stop_after, more)});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return remains(folder_ / "whole");
  }

  static void wait_for_checkpoint(Process& process) {
    while (const auto line = process.read_error_line()) {
      if (line->find("checkpoint.safetensors") != line->npos) return;
    }
    FAIL() << "it ended without a checkpoint";
  }

  // The process that works as a rank on this run.
  pid_t pid_of(const std::string& run, int rank) const {
    const std::string variable = fmt::format("OMPI_COMM_WORLD_RANK={}", rank) + '\0';
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      std::ifstream words(entry.path() / "cmdline"), environment(entry.path() / "environ");
      const std::string word{std::istreambuf_iterator<char>(words), {}};
      const std::string variables{std::istreambuf_iterator<char>(environment), {}};
      if (word.find(folder_ / run) != word.npos && variables.find(variable) != variables.npos) {
        return std::stoi(entry.path().filename());
      }
    }
    return 0;
  }

  static int count_errors(const std::string& text) {
    int count = 0;
    for (std::size_t at = text.find("error: "); at != text.npos; at = text.find("error: ", at + 1)) ++count;
    return count;
  }

  const Words slow_ = {"--set", "training.learning_rate=0.0001"};  // does not learn it all before it is stopped
  TemporaryFolder folder_;
  std::string data_;
};

TEST_F(SlowMpiTest, RanksChangeNoByte) {
  const std::string whole = expected("45u");
  for (const int ranks : {1, 2, 3, 4}) {
    const std::string name = std::to_string(ranks);
    const Outcome outcome = run(mpirun(ranks, train(name, "45u", {"--threads", ranks == 2 ? "3" : "1"})));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(remains(folder_ / name), whole) << ranks << " ranks";
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_ / name), {}), 9)
        << "files, the best model of before the stop among them";
    EXPECT_TRUE(says(outcome.err, "stopped, as asked"));
    EXPECT_EQ(outcome.err.find("stopped, as asked"), outcome.err.rfind("stopped, as asked")) << "rank 0 alone speaks";
  }
}

TEST_F(SlowMpiTest, GoesOnWithAnotherNumberOfRanks) {
  const std::string whole = expected("40u");
  ASSERT_EQ(run(mpirun(2, train("parts", "13u"))).code, 0);
  ASSERT_EQ(run({train("parts", "27u")}).code, 0);
  ASSERT_EQ(run(mpirun(3, train("parts", "40u"))).code, 0);
  EXPECT_EQ(remains(folder_ / "parts"), whole);
}

TEST_F(SlowMpiTest, AKilledRankEndsAllAndTheSameCommandGoesOn) {
  const std::string whole = expected("400u", slow_);
  for (const int rank : {0, 2}) {
    const std::string name = "killed" + std::to_string(rank);
    Process process(mpirun(3, train(name, "400u", slow_)));
    wait_for_checkpoint(process);
    const pid_t pid = pid_of(name, rank);
    ASSERT_GT(pid, 0) << "it ended before it could be killed";
    kill(pid, SIGKILL);
    const auto killed_at = std::chrono::steady_clock::now();
    EXPECT_NE(process.finish().code, 0);
    EXPECT_LT(std::chrono::steady_clock::now() - killed_at, std::chrono::seconds(10));
    for (int r = 0; r < 3; ++r) EXPECT_EQ(pid_of(name, r), 0) << "rank " << r << " lives on";
    const Outcome rest = run(mpirun(2, train(name, "400u", slow_)));
    EXPECT_EQ(rest.code, 0) << rest.err;
    EXPECT_EQ(remains(folder_ / name), whole);
  }
}

TEST_F(SlowMpiTest, AStoppedRankIsNamedAndEndsAll) {
  for (const int rank : {0, 2}) {
    const std::string name = "stopped" + std::to_string(rank);
    Process process(mpirun(3, train(name, "10m", {"--set", "training.learning_rate=0.0001", "--rank-timeout", "2"})));
    wait_for_checkpoint(process);
    const pid_t pid = pid_of(name, rank);
    ASSERT_GT(pid, 0) << "it ended before it could be stopped";
    kill(pid, SIGSTOP);
    const Outcome outcome = process.finish();
    EXPECT_EQ(outcome.code, 1) << outcome.err;
    EXPECT_TRUE(says(outcome.err, fmt::format("error: rank {} has given no sign of life for 2 s", rank)));
    EXPECT_EQ(count_errors(outcome.err), 1) << outcome.err;
    for (int r = 0; r < 3; ++r) EXPECT_EQ(pid_of(name, r), 0) << "rank " << r << " lives on";
  }
}

TEST_F(SlowMpiTest, AnInterruptedMpirunSavesFirst) {
  Process process(mpirun(2, train("run", "10m", slow_)));
  wait_for_checkpoint(process);
  process.kill(SIGINT);
  const Outcome outcome = process.finish();
  EXPECT_NE(outcome.code, 0);
  EXPECT_TRUE(says(outcome.err, "and saved; the same command goes on"));
}

TEST_F(SlowMpiTest, ASignalToOneRankStopsAllAfterSaving) {
  Process process(mpirun(2, train("run", "10m", slow_)));
  wait_for_checkpoint(process);
  const pid_t pid = pid_of("run", 1);
  ASSERT_GT(pid, 0);
  kill(pid, SIGTERM);
  const Outcome outcome = process.finish();
  EXPECT_EQ(outcome.code, 128 + SIGTERM);
  EXPECT_TRUE(says(outcome.err, "and saved; the same command goes on"));
}

TEST_F(SlowMpiTest, OtherDataOnARankIsRefused) {
  folder_.write("data.tsv1", to_tsv(tiny_examples(2, 200)));
  Words words = train("run", "10u");
  words[2] += "$(echo $OMPI_COMM_WORLD_RANK | tr -d 0)";
  std::string line = "exec";
  for (const std::string& word : words) line += " " + word;
  const Outcome outcome = run(mpirun(2, {"sh", "-c", line}));
  EXPECT_EQ(outcome.code, 3) << outcome.err;
  EXPECT_TRUE(says(outcome.err, "error: rank 1 read other data than rank 0"));
  EXPECT_EQ(count_errors(outcome.err), 1) << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "run" / checkpoint_file_name));
}

TEST_F(SlowMpiTest, WhatIsWrongIsSaidOnce) {
  Words missing = train("run", "10u");
  missing[2] = folder_ / "nothing.tsv";
  const Outcome outcome = run(mpirun(3, missing));
  EXPECT_EQ(outcome.code, run({missing}).code) << outcome.err;
  EXPECT_EQ(count_errors(outcome.err), 1) << outcome.err;
  Words piped = train("run", "10u");
  piped[2] = "-";
  const Outcome refused = run(mpirun(2, piped), to_tsv(tiny_examples(1, 200)));
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(says(refused.err, "standard input"));
}

// One rank alone fails: it speaks, and the others do not wait for it.
TEST_F(SlowMpiTest, AnErrorOfOneRankEndsAll) {
  Words words = train("run", "10u");
  words[2] += "$(echo $OMPI_COMM_WORLD_RANK | tr -d 0)";  // data.tsv1 is not there
  std::string line = "exec";
  for (const std::string& word : words) line += " " + word;
  const Outcome outcome = run(mpirun(2, {"sh", "-c", line}));
  EXPECT_GT(outcome.code, 0);
  EXPECT_TRUE(says(outcome.err, "data.tsv1"));
  EXPECT_EQ(count_errors(outcome.err), 1) << outcome.err;
}

TEST_F(SlowMpiTest, TwoMachinesOverTcp) {
  const std::string whole = expected("25u");
  Command command = {{FOVEA_SOURCE_DIR "/tests/cli/two_machines"}};
  const Words words = train("cable", "25u", {"--threads", "1"});
  command.words.insert(command.words.end(), words.begin(), words.end());
  const Outcome outcome = run(command);
  if (outcome.code == 77) GTEST_SKIP() << "no network namespaces here";
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(remains(folder_ / "cable"), whole);
  const std::string_view label = "bytes received: ";
  const std::size_t at = outcome.err.find(label);
  ASSERT_NE(at, outcome.err.npos);
  EXPECT_GT(std::stoll(outcome.err.substr(at + label.size())), 25 * 4 * 1000) << "gradients went through the cable";
}

}  // namespace
}  // namespace fovea::mpi_test
