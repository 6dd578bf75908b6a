// Commands that take several models, that score, and the rules of search by their flags.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "cli/command_line.h"
#include "cli/models.h"
#include "decoding/search_options.h"
#include "support/process.h"
#include "training/tiny_run.h"

namespace fovea::several_models_test {
namespace {

using nlohmann::json;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

class SeveralModelsTest : public testing::Test {
 protected:
  SeveralModelsTest() {
    for (const char* name : {"a", "b"}) {
      std::filesystem::create_directories(folder_ / name);
      Files files;
      Observer nobody;
      const Config config =
          tiny_config({"training.validate_every=1000u", std::string("training.seed=") + (*name == 'a' ? "1" : "2")});
      Trainer(config, tiny_data(), {.folder = folder_ / name, .stop_after = {60, Period::Unit::updates}}, files, nobody)
          .run();
    }
    a_ = folder_ / "a", b_ = folder_ / "b";
    std::string sources;
    for (const Example& example : tiny_examples(3, 40)) sources += example.source + "\n";
    sources_ = folder_.write("in.txt", sources);
    data_ = folder_.write("data.tsv", to_tsv(tiny_examples(3, 40)));
  }
  std::string out(const std::vector<std::string>& words, std::string_view input = {}) {
    const Outcome outcome = run(fovea(words), input);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.out;
  }

  TemporaryFolder folder_;
  std::string a_, b_, sources_, data_;
};

TEST_F(SeveralModelsTest, TheLastWordIsAFileUnlessItIsAModel) {
  const std::string file = folder_ / "b/model.safetensors";
  const auto split = [](const std::vector<std::string>& words) {
    const ModelWords found = split_models(words);
    return std::pair(found.models.size(), found.file);
  };
  EXPECT_EQ(split({a_}), std::pair(std::size_t(1), std::string()));
  EXPECT_EQ(split({a_, sources_}), std::pair(std::size_t(1), sources_));
  EXPECT_EQ(split({a_, b_}), std::pair(std::size_t(2), std::string()));
  EXPECT_EQ(split({a_, file, "-"}), std::pair(std::size_t(2), std::string("-")));
  EXPECT_EQ(split({a_, "absent"}), std::pair(std::size_t(1), std::string("absent")));
  EXPECT_EQ(split({"absent", b_}), std::pair(std::size_t(2), std::string())) << "the first is a model in any case";
  EXPECT_THROW(split({a_, sources_, b_}), Error);
}

TEST_F(SeveralModelsTest, AnswerAsOne) {
  const std::string one = out({"predict", a_, sources_}), other = out({"predict", b_, sources_});
  const std::string both = out({"predict", a_, b_, sources_, "--nbest", "2", "--beam", "2"});
  EXPECT_EQ(lines_of(both).size(), 40u);
  EXPECT_NE(one, other) << "else this says nothing";
  EXPECT_EQ(out({"predict", a_, a_, sources_}), one);
  EXPECT_EQ(out({"predict", a_, a_}, "abc\n"), out({"predict", a_}, "abc\n"));
  EXPECT_EQ(json::parse(out({"evaluate", a_, b_, data_, "--json"}))["lines"], 40);
}

TEST_F(SeveralModelsTest, ScoreHasALineForEachLine) {
  const Outcome scored = run(fovea({"score", a_, b_}), "abc\txyx\n\nabc\nabcd\t\xff\n");
  EXPECT_EQ(scored.code, 0);
  const auto lines = lines_of(scored.out);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_LT(std::stod(lines[0]), 0);
  EXPECT_EQ(lines[1] + lines[2], "");
  EXPECT_LT(std::stod(lines[3]), 0);
  EXPECT_TRUE(says(scored.err, "1 line (first: standard input:3) without all that this model reads (source,target)"));
  EXPECT_TRUE(says(scored.err, "1 line (first: standard input:4) not UTF-8"));
  EXPECT_TRUE(says(scored.err, "perplexity "));
  const json object = json::parse(lines_of(out({"score", a_, "--json"}, "abc\txyx\n")).at(0));
  double sum = 0;
  for (const json& token : object["tokens"]) sum += token["log_probability"].get<double>();
  EXPECT_EQ(object["tokens"].size(), 4u);
  EXPECT_NEAR(sum, object["log_probability"].get<double>(), 1e-9);
  EXPECT_EQ(object["source"], "abc");
  EXPECT_EQ(out({"score", a_, data_, "--batch", "1", "--threads", "1"}),
            out({"score", a_, data_, "--batch", "17", "--threads", "3"}));
}

TEST_F(SeveralModelsTest, WhereNothingCanBeScoredThatIsSaid) {
  for (const char* lines : {"abc\nabd\n", ""}) {
    const Outcome scored = run(fovea({"score", a_}), lines);
    EXPECT_EQ(scored.code, 3);
    EXPECT_TRUE(says(scored.err, "error: no line could be scored\n"));
    EXPECT_EQ(scored.err.find("perplexity"), std::string::npos);
  }
}

TEST_F(SeveralModelsTest, AverageWritesAModel) {
  const std::string mean = folder_ / "mean.safetensors";
  EXPECT_EQ(out({"average", a_, a_, "-o", mean}), "");
  EXPECT_EQ(out({"predict", mean, sources_}), out({"predict", a_, sources_})) << "the mean of two that are the same";
  EXPECT_EQ(out({"average", a_, b_, "-o", mean}), "") << "over a model it may write";
  EXPECT_EQ(run(fovea({"average", a_, "-o", data_})).code, 2) << "over data it may not";
}

TEST_F(SeveralModelsTest, TrainBeginsWithAModelAndKeepsSome) {
  const std::string mean = folder_ / "mean.safetensors", tuned = folder_ / "tuned";
  const std::vector<std::string> train = {"train",        data_,  "-o",    tuned,
                                          "--from",       a_,     "--dev", data_,
                                          "--keep",       "2",    "--set", "training.validate_every=10u",
                                          "--progress",   "none", "--set", "training.learning_rate=0",
                                          "--stop-after", "25u"};
  EXPECT_EQ(out(train), "");
  EXPECT_EQ(out({"average", tuned, "--last", "2", "-o", mean}), "");
  EXPECT_EQ(out({"predict", mean, sources_}), out({"predict", a_, sources_})) << "nothing was learned";
  const Outcome few = run(fovea({"average", tuned, "--last", "3", "-o", mean}));
  EXPECT_EQ(few.code, 2);
  EXPECT_TRUE(says(few.err, "has 2 kept models, not 3; train with --keep 3"));
  EXPECT_EQ(run(fovea({"average", tuned, a_, "--last", "2", "-o", mean})).code, 2);
  std::vector<std::string> wider = train;
  wider.insert(wider.end(), {"--print-config", "--fresh", "--set", "decoder.size=99"});
  EXPECT_TRUE(says(run(fovea(wider)).err, "decoder.size = 99, but the model given by --from has 8"));
}

TEST_F(SeveralModelsTest, RulesHaveFlags) {
  for (const std::string& line : lines_of(out({"predict", a_, sources_, "--prefix", "yx"}))) {
    EXPECT_TRUE(line.starts_with("yx")) << line;
  }
  const std::string words = folder_.write("words.txt", "xyx\nyyx\n");
  for (const std::string& line : lines_of(out({"predict", a_, sources_, "--word-list", words, "--beam", "2"}))) {
    EXPECT_TRUE(line == "xyx" || line == "yyx") << line;
  }
  for (const std::string& line : lines_of(out({"predict", a_, sources_, "--allowed", "x", "--allowed", "y"}))) {
    EXPECT_EQ(line.size(), 1u);
  }
  const Outcome none = run(fovea({"predict", a_, "--abstain-below", "1", "--nbest", "2", "--beam", "2"}), "abc\nde\n");
  EXPECT_EQ(none.out, "\n\n");
  EXPECT_TRUE(says(none.err, "2 lines (first: standard input:1) without an answer"));
  const json explained = json::parse(out({"predict", a_, "--abstain-below", "1", "--json"}, "abc\n"));
  EXPECT_EQ(explained["abstained"], true);
  EXPECT_EQ(explained["text"], "");
  EXPECT_NE(explained["nbest"][0]["text"], "");
  EXPECT_EQ(json::parse(out({"evaluate", a_, data_, "--abstain-below", "1", "--json"}))["abstained"], 40);
  EXPECT_EQ(json::parse(out({"evaluate", a_, data_, "--json"}))["abstained"], 0);
  const Outcome unknown = run(fovea({"predict", a_, "--prefix", "?"}), "abc\n");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_TRUE(is_one_line(unknown.err));
}

TEST_F(SeveralModelsTest, ShowLooksAtAGivenTarget) {
  const json shown = json::parse(out({"show", a_, "abc", "--target", "yyxx", "--json"}));
  EXPECT_EQ(shown["text"], "yyxx");
  EXPECT_EQ(shown["steps"].size(), 5u);
  EXPECT_EQ(shown["steps"][0]["looks"][0]["weights"].size(), 4u);
  EXPECT_TRUE(says(run(fovea({"show", a_, "abcdef", "--max-length", "4"})).err, "longer than 4 characters"));
}

// Every option of search is a flag of the commands that search, with nothing else to be written for it.
TEST(SearchFlags, ComeFromTheFields) {
  SearchOptions options;
  for (const CommandHelp& command : program_help().commands) {
    if (command.name != "predict" && command.name != "evaluate" && command.name != "show") continue;
    std::set<std::string> flags;
    for (const Argument& argument : command.arguments) flags.insert(argument.names.begin(), argument.names.end());
    for (std::string name : names(options)) {
      std::ranges::replace(name, '_', '-');
      EXPECT_EQ(flags.contains("--" + name), command.name == "predict" || name != "nbest") << command.name << name;
    }
  }
}

}  // namespace
}  // namespace fovea::several_models_test
