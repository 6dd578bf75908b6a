// What holds for all commands: exit codes, results on standard output and all else on standard error.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "decoding/rule.h"
#include "kernels/instruction_set.h"
#include "models/input.h"
#include "support/process.h"
#include "training/tiny_run.h"

namespace fovea::command_line_test {
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
  EXPECT_TRUE(says(run(fovea({"make", "revrese"})).err, "did you mean reverse?"));
  EXPECT_TRUE(says(run(fovea({"train", data_, "-o", out, "--preset", "bahdanau"})).err, "did you mean bahdanau2015?"));
  EXPECT_TRUE(says(run(fovea({"train", data_, "-o", out, "--progress", "plian"})).err, "did you mean plain?"));
  EXPECT_TRUE(says(run(fovea({"evaluate", model_, data_, "--min", "exat=1"})).err, "did you mean exact?"));
  EXPECT_TRUE(says(run(fovea({"bench", "--mode", "graedy"})).err, "did you mean greedy?"));
  EXPECT_TRUE(says(run(fovea({"bench", "--shape", "s"})).err, "did you mean S?"));
}

TEST_F(CommandLineTest, MisspeltFlagsGetASuggestion) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"train", data_, "--otput", "x"}, "no flag \"--otput\"; did you mean --output?"},
      {{"train", data_, "-o", "x", "--theads=3"}, "no flag \"--theads\"; did you mean --threads?"},
      {{"predict", model_, "--lenght-power", "2"}, "did you mean --length-power?"},
      {{"predict", model_, "--quiet"}, "no flag \"--quiet\"; see fovea predict --help"},
      {{"--verison"}, "did you mean --version?"}};
  for (const auto& [words, text] : cases) {
    const Outcome outcome = run(fovea(words));
    EXPECT_EQ(outcome.code, 2);
    EXPECT_TRUE(says(outcome.err, text));
    EXPECT_TRUE(is_one_line(outcome.err));
  }
}

TEST_F(CommandLineTest, NumbersThatAreNoneOrTooLargeAreRefused) {
  for (const std::string number : {"nan", "-nan", "inf", "1e999", "-1", "1x", ""}) {
    EXPECT_EQ(run(fovea({"predict", model_, "--length-power", number}), "abc\n").code, 2) << number;
    EXPECT_EQ(run(fovea({"predict", model_, "--coverage-penalty", number}), "abc\n").code, 2) << number;
    EXPECT_EQ(run(fovea({"predict", model_, "--sample", number}), "abc\n").code, 2) << number;
    EXPECT_EQ(run(fovea({"bench", "--seconds", number})).code, 2) << number;
    EXPECT_EQ(run(fovea({"train", data_, "-o", "x", "--set", "training.clip=" + number})).code, 2) << number;
  }
  for (const std::string number : {"nan", "inf", "1e999"}) {
    EXPECT_EQ(run(fovea({"evaluate", model_, data_, "--min", "exact=" + number})).code, 2) << number;
  }
  for (const std::string number : {"99999999999999999999", "-99999999999999999999", "2000000001", "1.5", "nan"}) {
    EXPECT_EQ(run(fovea({"make", "copy", "--seed", number})).code, 2) << number;
    EXPECT_EQ(run(fovea({"make", "copy", "--count", number})).code, 2) << number;
  }
}

class FewThreadsTest : public CommandLineTest {
 protected:
  static Outcome limited(const std::string& limit, const std::string& words) {
    return run({{"/bin/sh", "-c", limit + " && exec " FOVEA_BINARY " " + words}}, input);
  }
  // A sanitizer wants more than some limits leave.
  static bool runs_at_all(const std::string& limit) { return limited(limit, "make copy --count 0").code == 0; }

  std::string training() const {
    std::string words = "train " + data_ + " --stop-after 3u --progress none";
    for (const std::string& setting : tiny_settings()) words += " --set " + setting;
    return words + " -o ";
  }

  static constexpr const char* input = "abc\nxyz\n";
};

TEST_F(FewThreadsTest, WithoutAnyThreadMoreAllIsTheSame) {
  const std::string limit = "ulimit -s 99999999999";  // stacks that are never given
  if (!runs_at_all(limit)) GTEST_SKIP() << "stacks are limited already";
  const Outcome predicted = limited(limit, "predict " + model_ + " --threads 256");
  EXPECT_EQ(predicted.code, 0) << predicted.err;
  EXPECT_EQ(predicted.out, run(fovea({"predict", model_}), input).out);
  EXPECT_TRUE(says(predicted.err, "warning: only 1 of 256 threads could be used"));
  EXPECT_TRUE(is_one_line(predicted.err));
  const Outcome evaluated = limited(limit, "evaluate " + model_ + " " + data_ + " --json --threads 256");
  EXPECT_EQ(evaluated.code, 0) << evaluated.err;
  EXPECT_EQ(evaluated.out, run(fovea({"evaluate", model_, data_, "--json"})).out);
  EXPECT_TRUE(says(evaluated.err, "only 1 of 256 threads"));
  const Outcome trained = limited(limit, training() + (folder_ / "few").string() + " --threads 256");
  EXPECT_EQ(trained.code, 0) << trained.err;
  EXPECT_TRUE(says(trained.err, "only 1 of 256 threads"));
  ASSERT_EQ(limited("true", training() + (folder_ / "many").string()).code, 0);
  EXPECT_EQ(remains(folder_ / "few"), remains(folder_ / "many"));
}

TEST_F(FewThreadsTest, WhereMemoryIsShortNothingAborts) {
  const std::string limit = "ulimit -v 500000";
  if (!runs_at_all(limit)) GTEST_SKIP() << "the program needs more to begin with";
  const Outcome predicted = limited(limit, "predict " + model_ + " --threads 256");
  EXPECT_EQ(predicted.code, 0) << predicted.err;
  EXPECT_EQ(predicted.out, run(fovea({"predict", model_}), input).out);
  EXPECT_TRUE(says(predicted.err, "of 256 threads could be used"));
  for (const std::string& words : {"evaluate " + model_ + " " + data_, training() + (folder_ / "few").string()}) {
    const Outcome outcome = limited(limit, words + " --threads 256");
    EXPECT_TRUE(outcome.code == 0 || says(outcome.err, "error: not enough memory; try fewer --threads")) << outcome.err;
  }
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
  const std::string words = folder_.write("words.txt", "walking\ntalking\nreading\nwriting\n");
  for (const json& row : list.at("makers")) {
    const std::string name = row["name"];
    const auto made = [&](const char* count, const char* seed) {
      Command command = fovea({"make", name, "--count", count, "--seed", seed});
      if (name == "scenes") command.words.insert(command.words.end(), {"--pictures", folder_ / "pictures"});
      if (name == "typos") command.words.insert(command.words.end(), {"--words", words});
      return run(command).out;
    };
    const std::string few = made("10", "1"), many = made("50", "1");
    EXPECT_EQ(std::ranges::count(few, '\n'), 10);
    EXPECT_EQ(std::ranges::count(many, '\n'), 50);
    EXPECT_EQ(std::ranges::count(many, '\t'), 50);
    EXPECT_TRUE(many.starts_with(few)) << name;
    EXPECT_NE(made("10", "2"), few);
    EXPECT_EQ(made("0", "1"), "");
  }
}

TEST_F(CommandLineTest, ListIsJson) {
  const json all = json::parse(run(fovea({"list", "--json"})).out);
  const std::string help = run(fovea({"list", "--help"})).out;
  for (const auto& [name, rows] : all.items()) {
    for (const json& row : rows) EXPECT_FALSE(row.at("name").get<std::string>().empty()) << name;
    const Outcome one = run(fovea({"list", name, "--json"}));
    EXPECT_EQ(json::parse(one.out).at(name), rows);
    EXPECT_TRUE(says(run(fovea({"list", name})).out, name + ":"));
    EXPECT_TRUE(says(help, name));
  }
  EXPECT_FALSE(all.at("scores").empty());
  EXPECT_EQ(all.at("rules").size(), decoding_rules().names().size());
  EXPECT_EQ(all.at("inputs").size(), inputs().names().size());
  EXPECT_EQ(all.at("objectives").size(), names(ObjectiveOptions()).size()) << "whatever can be told to them";
  EXPECT_EQ(json::parse(run(fovea({"list", "settings", "--json"})).out).at("training").at("seed"), 1);
  const Outcome settings = run(fovea({"list", "settings"}));
  EXPECT_TRUE(says(settings.out, "training.learning_rate"));
  EXPECT_TRUE(settings.out.starts_with("# What stands here suits no data in particular"));
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

TEST_F(CommandLineTest, PicturesOfLongLinesAreCutAndSaySo) {
  const std::string svg = folder_ / "long.svg", html = folder_ / "long.html";
  const Outcome outcome = run(fovea({"show", model_, std::string(600, 'a'), "--svg", svg, "--html", html, "--json"}));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const std::string& picture : {svg, html}) {
    EXPECT_TRUE(says(read_bytes(picture), "Shown are the first 500 of 601 source positions"));
    EXPECT_LT(read_bytes(picture).size(), std::size_t{8} << 20);
  }
  const json explained = json::parse(outcome.out);
  EXPECT_FALSE(explained.contains("left_out"));
  EXPECT_EQ(explained.at("steps")[0].at("looks")[0].at("weights").size(), 601u);
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
}  // namespace fovea::command_line_test
