// What `fovea train` promises whatever happens to it: a run that is stopped in any way goes on as if it had not been.
#include <gtest/gtest.h>

#include <random>
#include <regex>
#include <thread>

#include "base/as_size.h"
#include "base/utf8.h"
#include "support/process.h"
#include "training/tiny_run.h"

namespace fovea::train_test {
namespace {

class TrainCommandTest : public testing::Test {
 protected:
  TrainCommandTest() { data_ = folder_.write("data.tsv", to_tsv(tiny_examples(1, 200))); }

  Command train(const std::string& run, const std::string& stop_after, const std::vector<std::string>& more = {}) {
    Command command = fovea(
        {"train", data_, "-o", folder_ / run, "--progress", "plain", "--stop-after", stop_after, "--save-every", "5u"});
    for (const std::string& setting : tiny_settings()) {
      command.words.push_back("--set");
      command.words.push_back(setting);
    }
    command.words.insert(command.words.end(), more.begin(), more.end());
    return command;
  }

  // What an uninterrupted run leaves.
  std::string expected(const std::string& stop_after) {
    const Outcome outcome = run(train("whole", stop_after));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    return remains(folder_ / "whole");
  }

  // Reads its log up to the first checkpoint.
  static void wait_for_checkpoint(Process& process) {
    while (const auto line = process.read_error_line()) {
      if (line->find("checkpoint.safetensors") != line->npos) return;
    }
    FAIL() << "it ended without a checkpoint";
  }

  std::size_t files_in(const std::string& run) const {
    return as_size(std::distance(std::filesystem::directory_iterator(folder_ / run), {}));
  }

  TemporaryFolder folder_;
  std::string data_;
};

TEST_F(TrainCommandTest, LeavesAllFilesAndNothingElse) {
  const Outcome outcome = run(train("run", "25u"));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  for (const char* name : {"model.safetensors", "checkpoint.safetensors", "metrics.jsonl", "config.toml", "report.html",
                           "README.md", "film.jsonl", ".lock"}) {
    EXPECT_TRUE(std::filesystem::exists(folder_ / "run" / name)) << name;
  }
  EXPECT_EQ(files_in("run"), 8u);
  EXPECT_TRUE(says(outcome.err, "saved  update 20"));
  EXPECT_EQ(outcome.err.find("saved  update 20"), outcome.err.rfind("saved  update 20"))
      << "before and behind the validation";
  EXPECT_TRUE(std::regex_search(outcome.err, std::regex("held-out lines: exact [0-9.]+%, CER [0-9.]+%, loss ")))
      << outcome.err;
}

TEST_F(TrainCommandTest, KilledTwentyTimesItEndsWithTheSameBytes) {
  if (!files_are_exact) GTEST_SKIP() << "checkpoints hold floats";
  const std::vector<std::string> seldom = {"--set", "training.validate_every=40u"};
  const auto start = std::chrono::steady_clock::now();
  ASSERT_EQ(run(train("whole", "200u", seldom)).code, 0);
  const std::chrono::duration<double> whole = std::chrono::steady_clock::now() - start;
  const std::string expected = remains(folder_ / "whole");

  std::mt19937 random(11);
  std::uniform_real_distribution<double> share(0, 0.3);
  int kills = 0;
  for (int round = 1; kills < 20; ++round) {
    ASSERT_LE(round, 20) << "it ends before it can be killed";
    const std::string name = "killed" + std::to_string(round);
    Outcome outcome;
    // With growing patience, so that it gets to its end on a busy machine, too.
    for (double patience = 1; patience == 1 || outcome.signal == SIGKILL; patience += 0.1) {
      Process process(train(name, "200u", seldom));
      std::this_thread::sleep_for(whole * share(random) * patience);
      process.kill(SIGKILL);
      outcome = process.finish();
      kills += outcome.signal == SIGKILL;
    }
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(remains(folder_ / name), expected) << "after " << kills << " kills";
  }
}

TEST_F(TrainCommandTest, SignalsSaveAndTheSameCommandGoesOn) {
  if (!files_are_exact) GTEST_SKIP() << "checkpoints hold floats";
  const std::string whole = expected("300u");
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const std::string name = "signal" + std::to_string(signal);
    Process process(train(name, "300u"));
    wait_for_checkpoint(process);
    process.kill(signal);
    const Outcome outcome = process.finish();
    EXPECT_EQ(outcome.code, 128 + signal) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(says(outcome.err, "the same command goes on"));
    const Outcome rest = run(train(name, "300u"));
    EXPECT_EQ(rest.code, 0) << rest.err;
    EXPECT_EQ(remains(folder_ / name), whole);
  }
}

TEST_F(TrainCommandTest, SecondSignalEndsAtOnceAndLosesNothing) {
  if (!files_are_exact) GTEST_SKIP() << "checkpoints hold floats";
  const std::string whole = expected("300u");
  Process process(train("twice", "300u", {"--threads", "1"}));
  wait_for_checkpoint(process);
  process.kill(SIGSTOP);  // both come before it can save
  process.kill(SIGTERM);
  process.kill(SIGINT);
  process.kill(SIGCONT);
  const Outcome outcome = process.finish();
  EXPECT_EQ(outcome.code, 1) << "nothing was saved after the first";
  EXPECT_TRUE(says(outcome.err, "error: ended by a second signal before all was saved"));
  EXPECT_EQ(run(train("twice", "300u")).code, 0);
  EXPECT_EQ(remains(folder_ / "twice"), whole);
}

TEST_F(TrainCommandTest, TheSameSignalAtOnceAgainIsTheFirst) {
  Process process(train("echo", "300u", {"--threads", "1"}));
  wait_for_checkpoint(process);
  for (int i = 0; i < 1000; ++i) process.kill(SIGTERM);  // timeout(1) signals its child and then its group
  const Outcome outcome = process.finish();
  EXPECT_EQ(outcome.code, 128 + SIGTERM) << outcome.err;
  EXPECT_TRUE(says(outcome.err, "the same command goes on"));
}

TEST_F(TrainCommandTest, AHangUpThatIsIgnoredStaysIgnored) {
  Command command = {{"/bin/sh", "-c", "trap '' HUP; exec \"$0\" \"$@\""}};
  const Command trained = train("run", "10m", {"--set", "training.learning_rate=0.0001"});
  command.words.insert(command.words.end(), trained.words.begin(), trained.words.end());
  Process process(command);
  wait_for_checkpoint(process);
  process.kill(SIGHUP);
  wait_for_checkpoint(process);
  process.kill(SIGTERM);
  EXPECT_EQ(process.finish().code, 128 + SIGTERM);
}

TEST_F(TrainCommandTest, AfterAFreshRunTheCommandThatGoesOnHasNoFresh) {
  Process process(train("run", "10m", {"--fresh"}));
  wait_for_checkpoint(process);
  process.kill(SIGINT);
  EXPECT_TRUE(says(process.finish().err, "the same command without --fresh goes on from there"));
}

TEST_F(TrainCommandTest, BeforeTheFirstValidationThereIsNoModel) {
  Process process(train("run", "10m", {"--set", "training.validate_every=1000000u"}));
  wait_for_checkpoint(process);
  process.kill(SIGINT);
  EXPECT_TRUE(
      says(process.finish().err, "there is no model yet: validations make it, every 1000000u, or --stop-after"));
  for (const std::string command : {"predict", "inspect"}) {
    const Outcome outcome = run(fovea({command, folder_ / "run"}), "abc\n");
    EXPECT_EQ(outcome.code, 4);
    EXPECT_TRUE(says(outcome.err,
                     "run has no model yet: its run was not validated so far; go on with it, or stop it "
                     "with --stop-after"));
    EXPECT_TRUE(is_one_line(outcome.err));
  }
}

TEST_F(TrainCommandTest, WhatIsRefusedLeavesNothingBehind) {
  const std::string one_column = folder_.write("one.tsv", "a\nb\n");
  std::filesystem::create_directory(folder_ / "empty");
  for (const std::string& data : {std::string(folder_ / "nowhere.tsv"), one_column}) {
    for (const char* name : {"new/run", "empty"}) {
      EXPECT_NE(run(fovea({"train", data, "-o", folder_ / name})).code, 0);
    }
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "new"));
  EXPECT_EQ(files_in("empty"), 0u);
}

TEST_F(TrainCommandTest, SecondProcessIsRefused) {
  Process first(train("shared", "10m"));
  wait_for_checkpoint(first);
  const Outcome second = run(train("shared", "10m"));
  EXPECT_EQ(second.code, 1);
  EXPECT_TRUE(says(second.err, (folder_ / "shared").string()));
  EXPECT_TRUE(says(second.err, "in use by another process"));
  EXPECT_TRUE(is_one_line(second.err));
  first.kill(SIGTERM);
  EXPECT_EQ(first.finish().code, 128 + SIGTERM) << "the refused one did not disturb it";
}

TEST_F(TrainCommandTest, FullDiskKeepsTheOldCheckpoint) {
  if (!files_are_exact) GTEST_SKIP() << "checkpoints hold floats";
  const std::string whole = expected("40u");
  ASSERT_EQ(run(train("full", "12u")).code, 0);
  const std::string checkpoint = folder_ / "full" / "checkpoint.safetensors";
  const std::string before = read_bytes(checkpoint);
  const std::size_t files = files_in("full");
  Command limited = train("full", "40u");
  limited.largest_file = 20'000;  // enough for the settings and the journal
  const Outcome outcome = run(limited);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(says(outcome.err, "cannot write " + checkpoint));
  EXPECT_TRUE(says(outcome.err, "File too large"));
  EXPECT_TRUE(read_bytes(checkpoint) == before);
  EXPECT_EQ(files_in("full"), files + 1)
      << "beside the film, which the first validation begins, a temporary file remains";
  EXPECT_EQ(run(train("full", "40u")).code, 0);
  EXPECT_EQ(remains(folder_ / "full"), whole);
}

TEST_F(TrainCommandTest, DamagedCheckpointIsABadModel) {
  ASSERT_EQ(run(train("run", "12u")).code, 0);
  const std::string good = read_bytes(folder_ / "run" / "checkpoint.safetensors");
  std::string flipped = good;
  flipped[good.size() / 2] ^= 1;
  for (const std::string& bad : {flipped, good.substr(0, good.size() / 2), std::string(), good + "x"}) {
    folder_.write("run/checkpoint.safetensors", bad);
    const Outcome outcome = run(train("run", "20u"));
    EXPECT_EQ(outcome.code, 4) << bad.size();
    EXPECT_TRUE(is_one_line(outcome.err));
    EXPECT_TRUE(says(outcome.err, "checkpoint.safetensors"));
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(read_bytes(folder_ / "run" / "checkpoint.safetensors") == bad) << "left as it was found";
  }
  EXPECT_EQ(run(train("run", "20u", {"--fresh"})).code, 0);
}

TEST_F(TrainCommandTest, OtherSettingsAreRefusedByName) {
  ASSERT_EQ(run(train("run", "12u")).code, 0);
  const std::string before = remains(folder_ / "run");
  const Outcome dropout = run(train("run", "20u", {"--set", "training.dropout=0.25"}));
  EXPECT_EQ(dropout.code, 2);
  EXPECT_TRUE(says(dropout.err, "training.dropout = 0.1, not 0.25"));
  EXPECT_TRUE(says(dropout.err, "--fresh"));
  EXPECT_TRUE(is_one_line(dropout.err));
  const Outcome seed = run(train("run", "20u", {"--seed", "9"}));
  EXPECT_EQ(seed.code, 2);
  EXPECT_TRUE(says(seed.err, "training.seed = 1, not 9"));
  EXPECT_EQ(remains(folder_ / "run"), before);
  EXPECT_EQ(run(train("run", "20u", {"--seed", "9", "--fresh"})).code, 0);
  EXPECT_EQ(run(train("run", "21u", {"--seed", "9"})).code, 0) << "the fresh run is the one that goes on";
}

TEST_F(TrainCommandTest, ARefusedCommandChangesNoFile) {
  ASSERT_EQ(run(train("run", "12u")).code, 0);
  const std::string before = read_bytes(folder_ / "run" / "config.toml");
  ASSERT_EQ(run(train("run", "20u", {"--set", "training.dropout=0.25"})).code, 2);
  EXPECT_EQ(read_bytes(folder_ / "run" / "config.toml"), before) << "config.toml tells of a run that was not made";
}

// What only says how long to train may be another when a run goes on; then that is what the run was made with.
TEST_F(TrainCommandTest, ConfigHoldsThePatienceInForce) {
  const auto config = [&] { return read_bytes(folder_ / "run" / "config.toml"); };
  ASSERT_EQ(run(train("run", "12u")).code, 0);
  EXPECT_TRUE(says(config(), "\npatience = 1000 "));
  ASSERT_EQ(run(train("run", "20u", {"--set", "training.patience=7", "--set", "training.max_skipped=3"})).code, 0);
  EXPECT_TRUE(says(config(), "\npatience = 7 "));
  EXPECT_TRUE(says(config(), "\nmax_skipped = 3 "));
}

TEST_F(TrainCommandTest, OtherDataIsRefused) {
  ASSERT_EQ(run(train("run", "12u")).code, 0);
  folder_.write("data.tsv", to_tsv(tiny_examples(2, 200)));
  const Outcome outcome = run(train("run", "20u"));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(says(outcome.err, "other data"));
  EXPECT_TRUE(is_one_line(outcome.err));
  EXPECT_EQ(run(train("run", "20u", {"--fresh"})).code, 0);
}

TEST_F(TrainCommandTest, NonFiniteUpdatesEndTheRunWithAdvice) {
  if (!files_are_exact) GTEST_SKIP() << "no float is so large that doubles overflow";
  ASSERT_EQ(run(train("run", "12u")).code, 0);
  const std::string path = folder_ / "run" / "checkpoint.safetensors";
  TensorFile file = decode_safetensors(read_bytes(path), path);
  for (NamedArray& array : file.arrays) {
    if (array.name == "weights/generator.choice.weight") std::ranges::fill(array.values, 3e38f);
  }
  folder_.write("run/checkpoint.safetensors", encode_safetensors(file));
  const Outcome outcome = run(train("run", "100u"));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(says(outcome.err, "update 13 skipped"));
  EXPECT_TRUE(says(outcome.err, "error: 20 updates in a row"));
  EXPECT_TRUE(says(outcome.err, "training.learning_rate=0.0067"));
  EXPECT_NO_THROW(decode_safetensors(read_bytes(path), path)) << "which refuses what is not finite";
}

TEST_F(TrainCommandTest, ThreadsAndLocaleChangeNoByte) {
  const std::string whole = expected("30u");
  for (const char* locale : {"LC_ALL=C", "LC_ALL=de_DE.UTF-8", "LC_ALL=tr_TR.UTF-8", "LC_ALL=nowhere"}) {
    Command command = train("locale", "30u", {"--fresh", "--threads", "3"});
    command.environment = {locale, "LANG=de_DE.UTF-8", "TZ=Asia/Kathmandu"};
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(remains(folder_ / "locale"), whole) << locale;
  }
}

TEST_F(TrainCommandTest, TermsOfTheObjectiveAreInTheJournal) {
  ASSERT_EQ(run(train("run", "50u", {"--set", "objective.coverage=0.1"})).code, 0);
  std::ifstream journal(folder_ / "run" / "metrics.jsonl");
  std::string line;
  while (std::getline(journal, line) && line.find("\"event\":\"update\"") == line.npos) {
  }
  const auto event = nlohmann::json::parse(line);
  EXPECT_GT(event.at("objective.nll"), 0);
  EXPECT_GT(event.at("objective.coverage"), 0);
  ASSERT_EQ(run(train("other", "50u")).code, 0);
  EXPECT_FALSE(says(read_bytes(folder_ / "other" / "metrics.jsonl"), "objective.")) << "there is only one";
}

// Whatever was trained can be loaded, and gives one line for each.
TEST_F(TrainCommandTest, ControlCharactersInTheDataAreUnknownSymbols) {
  std::vector<Example> examples = tiny_examples(1, 200);
  for (Example& example : examples) {
    example.source.insert(1, "\x1b");
    example.target += "\x1b[2J\r\xC2\x9B!";
  }
  folder_.write("data.tsv", to_tsv(examples));
  const Outcome trained = run(train("run", "20u", {"--set", "generator.kind=pointer_generator"}));
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_TRUE(says(trained.err, "control characters, to the model unknown symbols: 200 lines (first: "));
  for (const char* json : {"", "--json"}) {
    Command predict = fovea({"predict", folder_ / "run", "-"});
    if (*json) predict.words.emplace_back(json);
    const Outcome outcome = run(predict, "abc\n\x1b[2J\xC2\x9B\x7F\na\rb\n");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(std::ranges::count(outcome.out, '\n'), 3);
    std::string text = outcome.out;
    std::erase(text, '\n');
    EXPECT_FALSE(find_control(text)) << printable(text);
  }
}

TEST_F(TrainCommandTest, ErrorsShowNoNameRaw) {
  const Outcome outcome = run(fovea({"predict", "no\nsuch\x1b[2J"}));
  EXPECT_EQ(outcome.code, 4);
  EXPECT_TRUE(is_one_line(outcome.err));
  EXPECT_EQ(outcome.err.find('\x1b'), std::string::npos);
}

TEST_F(TrainCommandTest, AnOutputThatLooksUpNeedsALexicon) {
  for (const std::string kind : {"lexicon_bias", "lexicon_mix"}) {
    const std::vector<std::string> setting = {"--set", "generator.kind=" + kind};
    const Outcome without = run(train(kind, "5u", setting));
    EXPECT_EQ(without.code, 2);
    EXPECT_TRUE(is_one_line(without.err));
    EXPECT_TRUE(says(without.err, "--lexicon"));
    const std::string lexicon = folder_.write("lexicon.tsv", "a\tx\t1\nz\ty\t0.5\n");
    const Outcome with = run(train(kind, "5u", {setting[0], setting[1], "--lexicon", lexicon}));
    EXPECT_EQ(with.code, 0) << with.err;
    EXPECT_EQ(run(fovea({"predict", folder_ / kind}), "abc\n").code, 0) << "the model needs no file";
    const Outcome bad =
        run(train(kind, "5u", {setting[0], setting[1], "--lexicon", folder_.write("bad.tsv", "a\tx\t1\nz\ty\t2\n")}));
    EXPECT_EQ(bad.code, 3);
    EXPECT_TRUE(says(bad.err, "bad.tsv:2"));
  }
}

TEST_F(TrainCommandTest, TwoTrainedTogetherAreTwoModels) {
  ASSERT_EQ(run(train("run", "10u", {"--set", "objective.agreement=1"})).code, 0);
  const Outcome forward = run(fovea({"predict", folder_ / "run"}), "abc\n");
  EXPECT_EQ(forward.code, 0) << forward.err;
  const Outcome reverse = run(fovea({"predict", folder_ / "run" / "reverse.safetensors"}), "xyx\n");
  EXPECT_EQ(reverse.code, 0) << reverse.err;
}

}  // namespace
}  // namespace fovea::train_test
