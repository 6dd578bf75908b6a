// What `fovea compare` promises: a row for each combination, whatever becomes of it, and nothing done twice.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/process.h"
#include "training/tiny_run.h"

namespace fovea::compare_test {
namespace {

using nlohmann::json;

class CompareCommandTest : public testing::Test {
 protected:
  CompareCommandTest() { data_ = folder_.write("data.tsv", run(fovea({"make", "copy", "--count", "200"})).out); }

  Command compare(const std::vector<std::string>& more, const std::string& stop_after = "20u") {
    Command command = fovea({"compare", data_, "-o", runs(), "--progress", "plain", "--stop-after", stop_after});
    for (const std::string& setting : tiny_settings()) {
      command.words.push_back("--set");
      command.words.push_back(setting);
    }
    command.words.insert(command.words.end(), more.begin(), more.end());
    return command;
  }
  std::string runs() const { return folder_ / "runs"; }

  static json parse(const Outcome& outcome) {
    EXPECT_TRUE(json::accept(outcome.out)) << outcome.out << outcome.err;
    return json::parse(outcome.out, nullptr, false);
  }

  TemporaryFolder folder_;
  std::string data_;
};

TEST_F(CompareCommandTest, HasARowForEachCombination) {
  const std::string page = folder_ / "page.html", table = folder_ / "table.tsv";
  const Outcome outcome = run(compare({"--vary", "decoder.size=8,12", "--vary", "attention.read=sum", "--vary",
                                       "encoder.cell=all", "--html", page, "--tsv", table}));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* row : {"\n8             sum             lstm", "\n8             sum             gru",
                          "\n12            sum             lstm", "\n12            sum             gru"}) {
    EXPECT_TRUE(says(outcome.out, row));
  }
  EXPECT_TRUE(says(outcome.out, "over the held-out lines"));
  EXPECT_TRUE(says(outcome.err, " decoder.size=8 attention.read=sum encoder.cell=lstm seed 1: update 20, exact 0."));
  EXPECT_TRUE(says(outcome.err, "\n4/"));
  EXPECT_EQ(outcome.err.find("1/4 "), outcome.err.rfind("1/4 ")) << "its end is said once: " << outcome.err;
  const std::string text = read_bytes(page);
  EXPECT_TRUE(says(text, "<svg"));
  EXPECT_TRUE(says(text, "decoder.size=12, attention.read=sum, encoder.cell=gru"));
  EXPECT_TRUE(says(read_bytes(table), "\n8\tsum\tlstm\t0"));
}

TEST_F(CompareCommandTest, JsonHasMeansOverSeeds) {
  const Outcome outcome = run(compare({"--vary", "decoder.size=8", "--seeds", "2", "--seed", "5", "--json"}));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const json object = parse(outcome);
  EXPECT_EQ(object["interval"], "seeds");
  ASSERT_EQ(object["rows"].size(), 1u);
  const json& row = object["rows"][0];
  ASSERT_EQ(row["runs"].size(), 2u);
  EXPECT_EQ(row["runs"][0]["seed"], 5);
  EXPECT_EQ(row["runs"][1]["seed"], 6);
  EXPECT_NE(row["runs"][0]["cer"], row["runs"][1]["cer"]) << "two seeds, two models";
  EXPECT_LE(row["cer"]["low"], row["cer"]["mean"]);
  EXPECT_GT(row["parameters"], 100);
  EXPECT_GT(row["train_seconds"], 0);
  EXPECT_GT(row["predict_ms_per_line"], 0);
  EXPECT_GT(row["peak_mib"], 1);
  // The figures are those of the model that lies in the folder.
  const std::string model = runs() + "/decoder.size=8_seed=5";
  EXPECT_EQ(run(fovea({"inspect", model})).code, 0);
}

TEST_F(CompareCommandTest, WhatCannotBeIsARowWithItsReason) {
  const Outcome outcome = run(compare({"--vary", "attention.heads=3,1", "--json"}));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const json rows = parse(outcome)["rows"];
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_TRUE(says(rows[0]["trouble"], "cannot: attention.size = 8 cannot be shared among 3 heads"));
  EXPECT_FALSE(rows[0].contains("exact"));
  EXPECT_TRUE(rows[1].contains("exact"));

  const Outcome nothing = run(compare({"--vary", "attention.heads=3"}));
  EXPECT_EQ(nothing.code, 1);
  EXPECT_TRUE(says(nothing.out, "cannot: attention.size = 8 cannot be shared among 3 heads"));
}

TEST_F(CompareCommandTest, ListsAreJoinedAndMayBeEmpty) {
  const Outcome outcome = run(compare({"--vary", "attention.bias=markov+position,[],", "--json"}));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const json rows = parse(outcome)["rows"];
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[1]["parameters"], rows[2]["parameters"]) << "nothing is the empty list, too";
  EXPECT_LT(rows[1]["parameters"], rows[0]["parameters"]);
  EXPECT_TRUE(says(run(compare({"--vary", "attention.bias=none"})).err, "relative, or [], got \"none\""));
  EXPECT_TRUE(says(run(fovea({"compare", "--help"})).out, "of a list a.b=c,c+d,[]"));
}

// The keys have both directions of the encoder, the query has one of the decoder.
TEST_F(CompareCommandTest, EveryScoreGoesWithTheDefaultSizes) {
  const Outcome outcome = run(compare({"--vary", "attention.score=all", "--json"}));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const json rows = parse(outcome)["rows"];
  EXPECT_GE(rows.size(), 12u);
  for (const json& row : rows) EXPECT_TRUE(row.contains("exact")) << row;
}

TEST_F(CompareCommandTest, TheSameAgainTakesWhatIsThere) {
  const std::vector<std::string> words = {"--vary", "decoder.size=8,12", "--json"};
  const Outcome first = run(compare(words));
  const Outcome again = run(compare(words));
  EXPECT_EQ(again.code, 0);
  EXPECT_FALSE(says(first.err, "done before"));
  EXPECT_TRUE(says(again.err, "1/2 decoder.size=8 seed 1: update 20"));
  EXPECT_TRUE(says(again.err, "(done before)"));
  EXPECT_EQ(first.out, again.out) << "to the last digit of the times";
  // More of the same adds to it.
  const Outcome more = run(compare({"--vary", "decoder.size=8,12,16", "--json"}));
  EXPECT_EQ(parse(more)["rows"][0], parse(first)["rows"][0]);
  EXPECT_EQ(parse(more)["rows"].size(), 3u);
}

TEST_F(CompareCommandTest, RunsOfAnotherKindAreNotTakenForThese) {
  const std::vector<std::string> words = {"--vary", "decoder.size=8"};
  ASSERT_EQ(run(compare(words)).code, 0);
  const auto refused = [&](const Command& command, const std::string& what) {
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(says(outcome.err, "holds a run with another " + what));
  };
  refused(compare(words, "30u"), "budget");
  refused(compare({"--vary", "decoder.size=8", "--set", "training.dropout=0.2"}), "configuration");
  refused(compare({"--vary", "decoder.size=8", "--dev", data_}), "data set");
}

TEST_F(CompareCommandTest, ManyVariedSettingsMakeNoNameThatIsTooLong) {
  std::vector<std::string> more = {"--json"};
  for (const char* setting : {"decoder.size=8,9", "objective.label_smoothing=0.0", "objective.coverage_embedding=0.0",
                              "objective.supervised_form=cross_entropy", "objective.supervised_smoothing=0.0",
                              "objective.rationale_length=0.01", "objective.rationale_jumps=0.01",
                              "objective.repetition=0.0", "objective.fertility=0.0", "objective.coverage=0.0"}) {
    more.insert(more.end(), {"--vary", setting});
  }
  const Outcome outcome = run(compare(more, "2u"));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(parse(outcome).at("rows").size(), 2u);
  const Outcome again = run(compare(more, "2u"));
  EXPECT_EQ(again.out, outcome.out) << again.err;
}

TEST_F(CompareCommandTest, ALexiconWithOtherWordsIsOtherData) {
  const std::string lexicon = folder_.write("lexicon.tsv", "a\ta\t0.5\nb\tb\t1\n");
  const std::vector<std::string> more = {"--vary", "decoder.size=8", "--lexicon", lexicon};
  EXPECT_EQ(run(compare(more, "2u")).code, 0);
  folder_.write("lexicon.tsv", "b\tb\t1\n\na\ta\t0.5\n");
  EXPECT_TRUE(says(run(compare(more, "2u")).err, "(done before)")) << "the order does not matter";
  for (const char* other : {"a\ta\t0.6\nb\tb\t1\n", "a\ta\t0.5\nc\tb\t1\n", "a\ta\t0.5\nb\tc\t1\n"}) {
    folder_.write("lexicon.tsv", other);
    const Outcome outcome = run(compare(more, "2u"));
    EXPECT_EQ(outcome.code, 2) << other;
    EXPECT_TRUE(says(outcome.err, "another data set"));
  }
}

TEST_F(CompareCommandTest, ARunThatFailsLeavesTheOthersAlone) {
  std::filesystem::create_directories(runs() + "/decoder.size=8_seed=1");
  folder_.write("runs/decoder.size=8_seed=1/checkpoint.safetensors", "no checkpoint");
  const Outcome outcome = run(compare({"--vary", "decoder.size=8,12", "--json"}));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const json rows = parse(outcome)["rows"];
  EXPECT_TRUE(says(rows[0]["trouble"], "failed: "));
  EXPECT_TRUE(says(rows[0]["trouble"], "checkpoint.safetensors"));
  EXPECT_TRUE(rows[1].contains("exact"));
}

TEST_F(CompareCommandTest, SignalsSaveAndTheSameCommandGoesOn) {
  const std::vector<std::string> words = {"--vary", "decoder.size=8,12", "--set", "training.validate_every=100u"};
  int update = 0;
  for (const int signal : {SIGINT, SIGTERM}) {
    Process process(compare(words, "1000000u"));
    const std::string title = "1/2 decoder.size=8 seed 1: update ";
    std::string line = "settings";
    while (line.starts_with("settings") || line.starts_with("  ")) line = process.read_error_line().value_or("nothing");
    ASSERT_TRUE(line.starts_with(title)) << line;
    const int reached = std::stoi(line.substr(title.size()));
    EXPECT_GT(reached, update) << "it began again";
    update = reached;
    process.kill(signal);
    const Outcome outcome = process.finish();
    EXPECT_EQ(outcome.code, 128 + signal) << outcome.err;
    EXPECT_TRUE(says(outcome.err, "the same command goes on"));
    EXPECT_TRUE(says(outcome.out, "\n8             stopped and saved"));
    EXPECT_TRUE(says(outcome.out, "\n12            not finished"));
  }
}

TEST_F(CompareCommandTest, UsageErrorsComeBeforeAnyRun) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong = {
      {{}, "--vary is required"},
      {{"--vary", "decoder.size"}, "wanted is name=value"},
      {{"--vary", "decoder.size=all"}, "any value is allowed"},
      {{"--vary", "decoder.size=8,big"}, "--vary decoder.size=big"},
      {{"--vary", "decoder.sise=8"}, "did you mean decoder.size"},
      {{"--vary", "attention.score=all,additive"}, "--vary attention.score=all"},
      {{"--vary", "training.seed=1,2"}, "--seeds"},
      {{"--vary", "decoder.size=8", "--vary", "decoder.size=12"}, "varied already"},
      {{"--vary", "decoder.size=8", "--seeds", "0"}, "--seeds"}};
  for (const auto& [words, reason] : wrong) {
    const Outcome outcome = run(compare(words));
    EXPECT_EQ(outcome.code, 2) << reason;
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(says(outcome.err, reason));
  }
  EXPECT_FALSE(std::filesystem::exists(runs()));
}

}  // namespace
}  // namespace fovea::compare_test
