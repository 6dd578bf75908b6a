// What holds for all commands: exit codes, results on standard output and all else on standard error.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "kernels/target.h"
#include "support/process.h"
#include "training/tiny_run.h"

namespace fovea {
namespace {

using nlohmann::json;

class CommandLineTest : public testing::Test {
 protected:
  CommandLineTest() {
    make_tiny_model(folder_.path());
    model_ = folder_.path();
    data_ = folder_.write("data.tsv", to_tsv(tiny_examples(1, 50)));
  }

  TemporaryFolder folder_;
  std::string model_;
  std::string data_;
};

TEST_F(CommandLineTest, UsageErrorsSayNothingOnStandardOutput) {
  const std::string out = folder_ / "out";
  const std::vector<std::vector<std::string>> wrong = {
      {},
      {"fly"},
      {"--fly"},
      {"make"},
      {"make", "dates", "--count", "-1"},
      {"make", "dates", "--count", "many"},
      {"make", "gold"},
      {"train"},
      {"train", data_},
      {"train", "-o", out},
      {"train", data_, "-o", out, "--set", "encoder.sise=3"},
      {"train", data_, "-o", out, "--set", "encoder.size=-3"},
      {"train", data_, "-o", out, "--set", "encoder.size=0,5"},
      {"train", data_, "-o", out, "--set", "encoder"},
      {"train", data_, "-o", out, "--preset", "datse"},
      {"train", data_, "-o", out, "--stop-after", "5"},
      {"train", data_, "-o", out, "--on-bad-line", "weep"},
      {"train", data_, "-o", out, "--progress", "loud"},
      {"train", data_, "-o", out, "--threads", "0"},
      {"train", data_, "-o", out, "--source", data_},
      {"train", data_, "-o", out, "--set", "training.validate_every=10m"},
      {"predict"},
      {"predict", model_, "--beam", "0"},
      {"predict", model_, "--nbest", "2"},
      {"predict", model_, "a", "b"},
      {"evaluate", model_},
      {"evaluate", model_, data_, "--min", "exact"},
      {"show", model_},
      {"list", "socres"},
      {"inspect"},
      {"bench", "--shape", "Q"},
      {"bench", "--seconds", "0"}};
  for (const auto& words : wrong) {
    const Outcome outcome = run(fovea(words));
    std::string shown;
    for (const std::string& word : words) shown += word + " ";
    EXPECT_EQ(outcome.code, 2) << shown << ": " << outcome.err;
    EXPECT_EQ(outcome.out, "") << shown;
    EXPECT_NE(outcome.err, "") << shown;
  }
}

TEST_F(CommandLineTest, MisspeltNamesGetASuggestion) {
  const std::string out = folder_ / "out";
  EXPECT_TRUE(says(run(fovea({"train", data_, "-o", out, "--set", "encoder.sise=3"})).err, "encoder.size"));
  EXPECT_TRUE(says(run(fovea({"train", data_, "-o", out, "--preset", "datse"})).err, "dates"));
  EXPECT_TRUE(says(run(fovea({"list", "socres"})).err, "scores"));
  EXPECT_TRUE(says(run(fovea({"make", "revrese"})).err, "reverse"));
}

TEST_F(CommandLineTest, ExitCodes) {
  const auto code = [](const std::vector<std::string>& words) { return run(fovea(words)).code; };
  EXPECT_EQ(code({"evaluate", model_, data_}), 0);
  EXPECT_EQ(run({{"/bin/sh", "-c", FOVEA_BINARY " make copy > /dev/full"}}).code, 1);
  EXPECT_EQ(code({"evaluate", model_}), 2);
  EXPECT_EQ(code({"evaluate", model_, folder_ / "nothing.tsv"}), 3);
  EXPECT_EQ(code({"evaluate", folder_ / "nothing", data_}), 4);
  EXPECT_EQ(code({"evaluate", model_, data_, "--min", "exact=1.1"}), 5);
}

TEST_F(CommandLineTest, BadDataToTrainOn) {
  const std::string out = folder_ / "out";
  const std::string bad = folder_.write("bad.tsv", "a\tx\nb\n");
  const Outcome outcome = run(fovea({"train", bad, "-o", out}));
  EXPECT_EQ(outcome.code, 3);
  EXPECT_TRUE(says(outcome.err, bad + ":2: 1 column"));
  EXPECT_TRUE(is_one_line(outcome.err));
  for (const char* few : {"", "\n", "a\tx\n", "a\tx\na\ty\n"}) {
    const Outcome nothing = run(fovea({"train", folder_.write("few.tsv", few), "-o", out}));
    EXPECT_EQ(nothing.code, 3) << few << nothing.err;
    EXPECT_TRUE(is_one_line(nothing.err));
  }
  EXPECT_EQ(run(fovea({"train", folder_ / "nothing.tsv", "-o", out})).code, 3);
  EXPECT_EQ(run(fovea({"train", folder_.path(), "-o", out})).code, 3) << "a folder is no file of lines";
  EXPECT_EQ(run(fovea({"train", data_, "-o", "/proc/nowhere"})).code, 1) << "a folder that cannot be made";
  EXPECT_EQ(run(fovea({"train", data_, "-o", data_})).code, 1) << "a file where the folder should be";
}

TEST_F(CommandLineTest, HelpIsAResult) {
  const std::vector<std::string> commands = {"make",    "train", "predict", "evaluate", "show",       "list",
                                             "inspect", "bench", "compare", "manual",   "completions"};
  const Outcome all = run(fovea({"--help"}));
  EXPECT_EQ(all.code, 0);
  EXPECT_EQ(all.err, "");
  for (const std::string& command : commands) {
    EXPECT_TRUE(says(all.out, command));
    const Outcome one = run(fovea({command, "--help"}));
    EXPECT_EQ(one.code, 0);
    EXPECT_EQ(one.err, "");
    EXPECT_TRUE(says(one.out, "Example")) << command;
    EXPECT_TRUE(says(one.out, "fovea " + command));
  }
  EXPECT_EQ(run({{"/bin/sh", "-c", FOVEA_BINARY " --help > /dev/full"}}).code, 1);
}

TEST_F(CommandLineTest, VersionSaysWhatIsBuiltIn) {
  const Outcome version = run(fovea({"--version"}));
  EXPECT_EQ(version.code, 0);
  EXPECT_EQ(version.err, "");
  EXPECT_TRUE(version.out.starts_with("fovea " FOVEA_VERSION "\n"));
  EXPECT_TRUE(says(version.out, "\ninstruction set: " + kernels::instruction_set() + "\n"));
  for (const char* fact : {"\nnumbers: float\n", "\nMPI: ", "\ncompiler: "}) EXPECT_TRUE(says(version.out, fact));
}

TEST_F(CommandLineTest, WordsThatCannotBeReadGiveOneLine) {
  const std::vector<std::vector<std::string>> wrong = {{},
                                                       {"--fly"},
                                                       {"train", data_},
                                                       {"train", "--fly\x1B\n"},
                                                       {"predict", model_, "--beam", "0"},
                                                       {"predict", model_, "--length-power", "nan"},
                                                       {"predict", model_, "--length-power", "1e999"},
                                                       {"make", "dates", "--count"}};
  for (const auto& words : wrong) {
    const Outcome outcome = run(fovea(words));
    EXPECT_EQ(outcome.code, 2) << outcome.err;
    EXPECT_TRUE(outcome.err.starts_with("error: ")) << outcome.err;
    EXPECT_TRUE(is_one_line(outcome.err));
    EXPECT_EQ(outcome.err.find('\x1B'), std::string::npos);
  }
}

TEST_F(CommandLineTest, MakeIsStable) {
  const json list = json::parse(run(fovea({"list", "makers", "--json"})).out);
  EXPECT_GE(list.at("makers").size(), 3u);
  for (const json& row : list.at("makers")) {
    const std::string name = row["name"];
    const std::string few = run(fovea({"make", name, "--count", "10"})).out;
    const std::string many = run(fovea({"make", name, "--count", "50"})).out;
    EXPECT_EQ(std::ranges::count(few, '\n'), 10);
    EXPECT_EQ(std::ranges::count(many, '\n'), 50);
    EXPECT_EQ(std::ranges::count(many, '\t'), 50);
    EXPECT_TRUE(many.starts_with(few)) << name;
    EXPECT_NE(run(fovea({"make", name, "--count", "10", "--seed", "2"})).out, few);
    EXPECT_EQ(run(fovea({"make", name, "--count", "0"})).out, "");
  }
}

TEST_F(CommandLineTest, ListIsJson) {
  const json all = json::parse(run(fovea({"list", "--json"})).out);
  for (const auto& [name, rows] : all.items()) {
    for (const json& row : rows) EXPECT_FALSE(row.at("name").get<std::string>().empty()) << name;
    const Outcome one = run(fovea({"list", name, "--json"}));
    EXPECT_EQ(json::parse(one.out).at(name), rows);
    EXPECT_TRUE(says(run(fovea({"list", name})).out, name + ":"));
  }
  EXPECT_FALSE(all.at("scores").empty());
  EXPECT_EQ(json::parse(run(fovea({"list", "settings", "--json"})).out).at("training").at("seed"), 1);
  EXPECT_TRUE(says(run(fovea({"list", "settings"})).out, "training.learning_rate"));
}

TEST_F(CommandLineTest, EveryPresetIsRead) {
  const json list = json::parse(run(fovea({"list", "presets", "--json"})).out);
  EXPECT_GE(list.at("presets").size(), 3u);
  for (const json& row : list.at("presets")) {
    const Outcome outcome = run(fovea({"train", "-o", folder_ / "out", "--preset", row["name"], "--print-config"}));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    // What is printed can be read again and gives the same.
    const std::string config = folder_.write("config.toml", outcome.out);
    EXPECT_EQ(run(fovea({"train", "-o", folder_ / "out", "--config", config, "--print-config"})).out, outcome.out);
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
}

TEST_F(CommandLineTest, InspectIsJson) {
  const Outcome outcome = run(fovea({"inspect", model_, "--json"}));
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(is_one_line(outcome.out));
  const json model = json::parse(outcome.out);
  std::int64_t weights = 0;
  for (const auto& [name, shape] : model.at("arrays").items()) {
    std::int64_t count = 1;
    for (const json& size : shape) count *= size.get<std::int64_t>();
    weights += count;
  }
  EXPECT_EQ(model.at("weights"), weights);
  EXPECT_EQ(model.at("config").at("encoder").at("size"), 8);
  EXPECT_TRUE(says(run(fovea({"inspect", model_})).out, std::to_string(weights) + " weights"));
}

TEST_F(CommandLineTest, ShowWritesPictures) {
  const std::string svg = folder_ / "map.svg", html = folder_ / "map.html";
  const Outcome outcome = run(fovea({"show", model_, "abc<&>", "--svg", svg, "--html", html}));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out, "");
  EXPECT_EQ(outcome.out.find('\x1B'), std::string::npos) << "no colours for a pipe";
  EXPECT_TRUE(says(read_bytes(svg), "<svg"));
  EXPECT_TRUE(says(read_bytes(html), "<html"));
  EXPECT_NE(run(fovea({"show", model_, "abc", "--compact"})).out, run(fovea({"show", model_, "abc"})).out);
  const Outcome explained = run(fovea({"show", model_, "abc", "--json"}));
  EXPECT_EQ(json::parse(explained.out).at("source").at("text"), "abc");
  const Outcome empty = run(fovea({"show", model_, ""}));
  EXPECT_EQ(empty.code, 3);
  EXPECT_EQ(empty.out, "");
  EXPECT_EQ(run(fovea({"show", model_, std::string(2000, 'a')})).code, 3);
  EXPECT_EQ(run(fovea({"show", model_, "abc", "--svg", folder_ / "no" / "where.svg"})).code, 1);
}

TEST_F(CommandLineTest, AReaderThatGoesAwayEndsACommandWithoutACrash) {
  const std::vector<std::vector<std::string>> talkative = {{"make", "dates", "--count", "100000"},
                                                           {"list"},
                                                           {"list", "settings"},
                                                           {"inspect", model_},
                                                           {"show", model_, "abc"}};
  for (const auto& words : talkative) {
    Command command = fovea(words);
    command.output_is_closed = true;
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.signal, 0) << words[0];
    EXPECT_EQ(outcome.code, 1) << words[0];
    EXPECT_TRUE(is_one_line(outcome.err));
  }
}

TEST_F(CommandLineTest, TrainsFromAPipeAndFromAnywhere) {
  Command command = fovea({"train", "-", "-o", "run", "--progress", "none", "--stop-after", "3u"});
  for (const std::string& setting : tiny_settings()) {
    command.words.push_back("--set");
    command.words.push_back(setting);
  }
  command.folder = folder_.path();
  const Outcome outcome = run(command, read_bytes(data_));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const std::string first = read_bytes(folder_ / "run" / "model.safetensors");
  command.words[2] = data_;
  command.words[4] = folder_ / "absolute";
  EXPECT_EQ(run(command).code, 0);
  EXPECT_TRUE(read_bytes(folder_ / "absolute" / "model.safetensors") == first);
  EXPECT_EQ(run(fovea({"predict", folder_ / "run"}), "abc\n").code, 0);
}

}  // namespace
}  // namespace fovea
