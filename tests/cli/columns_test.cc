// What people meet when they give their own files: columns in any order and number, files beside each other, limits
// that the model keeps, answers that are cut, several right answers.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "support/process.h"
#include "training/tiny_run.h"

namespace fovea::columns_test {
namespace {

using nlohmann::json;

class OwnFilesTest : public testing::Test {
 protected:
  // Words of which the features say whether they come out as x or as yy.
  static std::string table(const std::vector<std::string>& columns, std::uint64_t seed = 1, int count = 200) {
    std::string text;
    int line = 0;
    for (const Example& example : tiny_examples(seed, count)) {
      const bool first = ++line % 2 == 0;
      for (const std::string& column : columns) {
        if (&column != &columns.front()) text += '\t';
        text += column == "source"     ? example.source
                : column == "target"   ? (first ? "x" : "yy")
                : column == "features" ? (first ? "N;SG" : "V;SG")
                                       : std::to_string(line);
      }
      text += '\n';
    }
    return text;
  }

  Outcome train(const std::vector<std::string>& more, const std::string& updates = "20u") const {
    Command command = fovea({"train", "-o", folder_ / "run", "--progress", "none", "--stop-after", updates});
    for (const std::string& setting : tiny_settings()) command.words.insert(command.words.end(), {"--set", setting});
    command.words.insert(command.words.end(), more.begin(), more.end());
    return run(command);
  }
  Outcome with_model(const char* name, const std::vector<std::string>& more, const std::string& input = "") const {
    Command command = fovea({name, folder_ / "run"});
    command.words.insert(command.words.end(), more.begin(), more.end());
    return run(command, input);
  }
  json settings() const { return json::parse(json::parse(with_model("inspect", {"--json"}).out).at("config").dump()); }

  TemporaryFolder folder_;
};

TEST_F(OwnFilesTest, FeaturesMayStandInAnyColumn) {
  const std::vector<std::string> columns = {"skip", "features", "target", "source"};
  const std::string data = folder_.write("data.tsv", table(columns));
  const Outcome trained = train({data, "--columns", "skip,features,target,source"}, "100u");
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_TRUE(says(read_bytes(folder_ / "run/config.toml"), R"(columns = ["skip", "features", "target", "source"])"));

  EXPECT_EQ(with_model("predict", {}, "N;SG\tabc\nV;SG\tabc\n").out, "x\nyy\n") << "only what is read";
  EXPECT_EQ(with_model("predict", {}, "7\tN;SG\tyy\tabc\n7\tV;SG\tx\tabc\n").out, "x\nyy\n") << "a line to train on";
  EXPECT_EQ(with_model("predict", {"--columns", "source,features"}, "abc\tV;SG\nabc\tN;SG\n").out, "yy\nx\n");
  EXPECT_EQ(with_model("evaluate", {data, "--min", "exact=1"}).code, 0);
  const std::string usual = folder_.write("usual.tsv", table({"source", "target", "features"}));
  EXPECT_EQ(with_model("evaluate", {usual, "--columns", "source,target,features", "--min", "exact=1"}).code, 0);
  EXPECT_TRUE(says(with_model("show", {"V;SG\tabc"}).out, "abc V;SG\n→ yy"));
  EXPECT_TRUE(says(with_model("show", {"abc\tV;SG", "--columns", "source,features"}).out, "→ yy"));
}

TEST_F(OwnFilesTest, FeaturesAreFoundAndTheReasonIsSaid) {
  const std::string data = folder_.write("data.tsv", table({"source", "features", "target"}));
  const Outcome trained = train({data}, "100u");
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_TRUE(says(trained.err, "columns source,features,target, since the second looks like tags (V;SG); --columns"));
  const Outcome predicted = with_model("predict", {data});
  EXPECT_EQ(predicted.err, "");
  std::string targets;
  for (int line = 1; line <= 200; ++line) targets += line % 2 == 0 ? "x\n" : "yy\n";
  EXPECT_EQ(predicted.out, targets);
}

TEST_F(OwnFilesTest, WhatDoesNotFitTheModelIsSaid) {
  ASSERT_EQ(train({folder_.write("data.tsv", table({"source", "features", "target"}))}).code, 0);
  const Outcome few = with_model("predict", {folder_.write("in.txt", "abc\tV;SG\nabc\n\n")});
  EXPECT_EQ(few.code, 0);
  EXPECT_TRUE(std::regex_match(few.out, std::regex("[xy]*\n\n\n"))) << few.out;
  EXPECT_EQ(few.err, "warning: 1 line (first: " + (folder_ / "in.txt").string() +
                         ":2) without all that this model reads (source<TAB>features): answered with an empty line\n");
  const Outcome unknown = with_model("predict", {}, "abc\tN;SG\nabc\tyy;zz\nabc\tSG;V;yy\n");
  EXPECT_EQ(unknown.err,
            "warning: 2 lines (first: standard input:2) with features that no line of the training data had (such as "
            "\"yy\")\n");
  const std::string other = folder_.write("other.tsv", "abc\tQ\tx\nabd\tN;SG\tx\n");
  EXPECT_TRUE(says(
      with_model("evaluate", {other}).err,
      "warning: 1 of 2 sources have features that no line of the training data had (first: " + other + ":1, \"Q\")"));
  const Outcome show = with_model("show", {"abc"});
  EXPECT_EQ(show.code, 3);
  EXPECT_TRUE(is_one_line(show.err));
  EXPECT_TRUE(says(show.err, "this model reads source<TAB>features"));
  EXPECT_TRUE(says(with_model("show", {"abc\tQ"}).err, "warning: no line of the training data had the feature \"Q\""));

  const std::string plain = folder_.write("plain.tsv", table({"source", "target"}));
  const Outcome short_lines = with_model("evaluate", {plain});
  EXPECT_EQ(short_lines.code, 3);
  EXPECT_TRUE(says(short_lines.err, plain + ":1: 2 columns, but 3 are needed (source,features,target)"));
  for (const char* command : {"predict", "evaluate", "show"}) {
    const Outcome outcome = with_model(command, {plain, "--columns", "source,target"});
    EXPECT_EQ(outcome.code, 2) << command;
    EXPECT_EQ(outcome.err, "error: columns source,target: this model reads features; name their column\n") << command;
    EXPECT_TRUE(says(with_model(command, {plain, "--columns", "source,feature"}).err, "did you mean features?"));
  }
  const std::string sources = folder_.write("s.txt", "abc\n"), targets = folder_.write("t.txt", "x\n");
  EXPECT_EQ(with_model("evaluate", {"--source", sources, "--target", targets}).code, 2);
}

TEST_F(OwnFilesTest, AModelWithoutFeaturesTakesTheSourceOfATrainingLine) {
  const std::string data = folder_.write("data.tsv", table({"source", "target"}));
  ASSERT_EQ(train({data}).code, 0);
  std::string sources;
  for (const Example& example : tiny_examples(1, 200)) sources += example.source + "\n";
  EXPECT_EQ(with_model("predict", {data}).out, with_model("predict", {}, sources).out);
  EXPECT_EQ(json::parse(with_model("predict", {"--json"}, "abc\txyz\n").out)["source"]["text"], "abc");
  const Outcome outcome = with_model("predict", {data, "--columns", "source,features"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(says(outcome.err, "this model reads no features; call that column skip"));
  EXPECT_EQ(with_model("predict", {"--columns", "skip,source"}, "7\tabc\n").out,
            with_model("predict", {}, "abc\n").out);
  const std::string three = folder_.write("three.tsv", table({"source", "target", "number"}));
  EXPECT_TRUE(says(with_model("evaluate", {three}).err, "two things that are read): 200 lines"));
}

TEST_F(OwnFilesTest, HeldOutLinesMayBeTwoFiles) {
  const std::string data = folder_.write("data.tsv", to_tsv(tiny_examples(1, 100)));
  std::string sources, targets;
  for (const Example& example : tiny_examples(2, 30)) {
    sources += example.source + "\n";
    targets += example.target + "\n";
  }
  const std::string source = folder_.write("s.txt", sources), target = folder_.write("t.txt", targets);
  const Outcome two = train({data, "--dev-source", source, "--dev-target", target});
  ASSERT_EQ(two.code, 0) << two.err;
  EXPECT_TRUE(says(read_bytes(folder_ / "run/README.md"), "| lines held out | 30 |"));
  const std::string as_two = remains(folder_ / "run");
  ASSERT_EQ(train({data, "--dev", folder_.write("dev.tsv", to_tsv(tiny_examples(2, 30))), "--fresh"}).code, 0);
  EXPECT_EQ(remains(folder_ / "run"), as_two);
  for (const std::vector<std::string>& wrong :
       {std::vector<std::string>{data, "--dev-source", source},
        {data, "--dev-target", target},
        {data, "--dev", data, "--dev-source", source, "--dev-target", target}}) {
    const Outcome outcome = train(wrong);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_TRUE(says(outcome.err, "--dev-source F --dev-target F"));
  }
  const std::string tagged = folder_.write("tagged.tsv", table({"source", "features", "target"}));
  EXPECT_TRUE(says(train({tagged, "--dev-source", source, "--dev-target", target}).err, "have no features"));
}

TEST_F(OwnFilesTest, LinksMayComeFromAFileAndBesideFeatures) {
  const std::string data = folder_.write("data.tsv", table({"source", "features", "target"}));
  std::string links;
  for (int line = 1; line <= 200; ++line) links += line % 2 == 0 ? "0-0\n" : "0-0 0-1\n";
  const std::string alignment = folder_.write("links.txt", links);
  const std::vector<std::string> supervised = {"--set", "objective.supervised=1"};
  const auto with = [&](std::vector<std::string> words) {
    words.insert(words.end(), supervised.begin(), supervised.end());
    return train(words, "40u");
  };
  const Outcome trained = with({data, "--alignment", alignment, "--columns", "source,features,target"});
  ASSERT_EQ(trained.code, 0) << trained.err;
  const json measured = json::parse(with_model("evaluate", {data, "--alignment", alignment, "--json"}).out);
  EXPECT_GT(measured.at("link_mass").get<double>(), 0);
  EXPECT_FALSE(json::parse(with_model("evaluate", {data, "--json"}).out).contains("link_mass"));
  const Outcome shorter = with_model("evaluate", {data, "--alignment", folder_.write("few.txt", "0-0\n")});
  EXPECT_EQ(shorter.code, 3);
  EXPECT_TRUE(says(shorter.err, "every pair needs its links on the same line"));
  EXPECT_TRUE(says(with_model("evaluate", {data, "--alignment",
                                           folder_.write("bad.txt", "9-0\n" + links.substr(links.find('\n') + 1))})
                       .err,
                   "data.tsv:1: "));

  const std::string same = remains(folder_ / "run");
  std::string all;
  std::istringstream lines(table({"source", "features", "target"})), more(links);
  for (std::string line, one; std::getline(lines, line) && std::getline(more, one);) all += one + "\t" + line + "\n";
  ASSERT_EQ(with({folder_.write("all.tsv", all), "--columns", "alignment,source,features,target", "--fresh"}).code, 0);
  EXPECT_NE(remains(folder_ / "run").find(same.substr(same.find("weights and"), 40)), std::string::npos)
      << "the same links from a column";
  EXPECT_EQ(json::parse(with_model("evaluate", {folder_ / "all.tsv", "--json"}).out).at("link_mass"),
            json::parse(with_model("evaluate", {folder_ / "all.tsv", "--alignment", alignment, "--json"}).out)
                .at("link_mass"))
      << "a file takes the place of the column";
  const Outcome none = with({data, "--columns", "source,features,target", "--fresh"});
  EXPECT_EQ(none.code, 3);
  EXPECT_TRUE(says(none.err, "--alignment"));
  // Without names, a model that learns from links looks for them in the third column.
  ASSERT_EQ(with({folder_.write("third.tsv", "ab\tx\t0-0\nbc\ty\t0-0\ncd\tx\t\nde\ty\n"), "--fresh"}).code, 0);
  EXPECT_TRUE(says(read_bytes(folder_ / "run/config.toml"), R"(columns = ["source", "target", "alignment"])"));
}

TEST_F(OwnFilesTest, TheLongestLineIsASettingOfTheModel) {
  const std::string longest(1500, 'a');
  const std::string data = folder_.write("data.tsv", to_tsv(tiny_examples(1, 60)) + longest + "\tx\n");
  const Outcome refused = train({data});
  EXPECT_EQ(refused.code, 3);
  EXPECT_TRUE(says(refused.err,
                   "data.tsv:61:1001: the source has 1500 characters, more than the limit of 1000 (--max-length)"));
  ASSERT_EQ(train({data, "--max-length", "2000"}).code, 0);
  EXPECT_EQ(settings().at("max_length"), 2000);
  EXPECT_EQ(with_model("predict", {}, longest + "\n").err.find("longer"), std::string::npos);
  EXPECT_EQ(with_model("evaluate", {data}).code, 0);
  EXPECT_EQ(with_model("show", {longest, "--compact"}).code, 0);
  EXPECT_TRUE(
      says(with_model("predict", {"--max-length", "3"}, "abcd\n").err, "longer than 3 characters (--max-length)"));
  EXPECT_TRUE(says(with_model("show", {"abcd", "--max-length", "3"}).err, "longer than 3 characters (--max-length)"));
  EXPECT_TRUE(says(with_model("evaluate", {data, "--max-length", "1000"}).err, "more than the limit of 1000"));
}

TEST_F(OwnFilesTest, AnswersAreNotCutInSilence) {
  std::string eighty, data;
  for (int i = 0; i < 80; ++i) eighty += 'a' + i % 3;
  for (const char* source : {"a", "b", "c", "d", "e", "f", "g", "h"}) data += source + ("\t" + eighty) + "\n";
  const std::string file = folder_.write("data.tsv", data);
  ASSERT_EQ(train({file, "--set", "training.validate_every=2u", "--set", "training.learning_rate=0.0001"}, "2u").code,
            0);
  EXPECT_TRUE(says(read_bytes(folder_ / "run" / journal_file_name), R"("unfinished":1,)"));
  const Outcome whole = with_model("predict", {"--json"}, "a\n");
  const json answer = json::parse(whole.out);
  ASSERT_EQ(answer["finished"], false) << "a model that has learned nothing does not stop";
  EXPECT_EQ(answer["text"].get<std::string>().size(), 130u) << "half as long again, and ten";
  EXPECT_EQ(answer["nbest"][0]["finished"], false);
  const Outcome shorter = with_model("predict", {"--max-output", "5"}, "a\n\nb\n");
  EXPECT_TRUE(std::regex_match(shorter.out, std::regex("[abc]{5}\n\n[abc]{5}\n"))) << shorter.out;
  EXPECT_EQ(shorter.err,
            "warning: 2 lines (first: standard input:1) whose answer is unfinished: it was cut at its greatest length, "
            "which --max-output sets\n");
  const Outcome evaluated = with_model("evaluate", {file, "--json", "--max-output", "5"});
  EXPECT_EQ(json::parse(evaluated.out).at("unfinished"), 8);
  EXPECT_TRUE(says(with_model("evaluate", {file}).out, "\nunfinished         8\n"));
  EXPECT_EQ(with_model("evaluate", {file, "--max", "unfinished=0"}).code, 5);
  EXPECT_TRUE(says(with_model("show", {"a", "--max-output", "5"}).out, "! The answer is unfinished"));
  const std::string page = folder_ / "page.html", picture = folder_ / "picture.svg";
  ASSERT_EQ(with_model("show", {"a", "--max-output", "5", "--html", page, "--svg", picture}).code, 0);
  EXPECT_TRUE(says(read_bytes(page), "The answer is unfinished"));
  EXPECT_TRUE(says(read_bytes(picture), "(unfinished)"));
}

// Each source is asked once, and any of its targets is right.
TEST_F(OwnFilesTest, SeveralRightAnswers) {
  const std::string data = folder_.write("data.tsv", to_tsv(tiny_examples(1, 60)));
  ASSERT_EQ(train({data}).code, 0);
  const auto answer = [&](const std::string& source) {
    const std::string out = with_model("predict", {}, source + "\n").out;
    return out.substr(0, out.size() - 1);
  };
  const std::string right = answer("abc");
  ASSERT_NE(right, "");
  const std::string test =
      folder_.write("test.tsv", "abc\tqqqqqqqqqq\nxyz\t" + answer("xyz") + "q\nabc\t" + right + "\nabc\tr\n");
  const json metrics = json::parse(with_model("evaluate", {test, "--json"}).out);
  EXPECT_EQ(metrics.at("exact"), 0.5);
  EXPECT_EQ(metrics.at("edit_distance"), 0.5) << "to the nearest";
  EXPECT_EQ(metrics.at("sources"), 2);
  EXPECT_EQ(metrics.at("lines"), 4);

  // A comparison counts in the same way: what a run answers, as one of several targets.
  const auto compare = [&](const std::string& name, const std::string& held_out) {
    Command command =
        fovea({"compare", data, "--dev", folder_.write("dev.tsv", held_out), "--stop-after", "2u", "--json", "-o",
               folder_ / name, "--progress", "none", "--vary", "attention.score=additive"});
    for (const std::string& setting : tiny_settings()) command.words.insert(command.words.end(), {"--set", setting});
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return json::parse(outcome.out);
  };
  compare("first", "abc\tq\n");
  const Outcome answered = run(fovea({"predict", folder_ / "first/attention.score=additive_seed=1"}), "abc\n");
  const json comparison = compare("second", "abc\tq\nabc\t" + answered.out + "abd\tqqqq\n");
  EXPECT_EQ(comparison.at("held_out_lines"), 3);
  EXPECT_EQ(comparison.at("rows")[0].at("exact").at("mean"), 0.5) << "one of two sources";
}

TEST_F(OwnFilesTest, ComparisonsReadColumnsToo) {
  const std::string data = folder_.write("data.tsv", table({"source", "features", "target"}));
  const auto compare = [&](std::vector<std::string> more) {
    Command command = fovea({"compare", "-o", folder_ / "compare", "--progress", "none", "--stop-after", "2u"});
    for (const std::string& setting : tiny_settings()) command.words.insert(command.words.end(), {"--set", setting});
    command.words.insert(command.words.end(), more.begin(), more.end());
    return run(command);
  };
  const Outcome outcome = compare({data, "--vary", "attention.score=additive"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(says(outcome.err, "since the second looks like tags"));
  EXPECT_TRUE(says(read_bytes(folder_ / "compare/attention.score=additive_seed=1/config.toml"),
                   R"(columns = ["source", "features", "target"])"));
  EXPECT_EQ(compare({data, "--columns", "source,skip,target", "--vary", "attention.score=additive"}).code, 2)
      << "a run with another configuration is there";
  for (const char* varied : {"columns=source", "max_length=10,20"}) {
    const Outcome refused = compare({data, "--vary", varied});
    EXPECT_EQ(refused.code, 2);
    EXPECT_TRUE(says(refused.err, "all runs have the same lines"));
  }
}

TEST_F(OwnFilesTest, RunsOfSpacesMakeNoWords) {
  std::string data;
  for (int i = 0; i < 40; ++i) data += "two  words \tx  y\n";
  data += "other words\ty\n   \tx\nwords\t  \n";
  const Outcome trained = train({folder_.write("data.tsv", data), "--set", "source.tokenizer=word", "--set",
                                 "target.tokenizer=word", "--dev", folder_.write("dev.tsv", data)},
                                "100u");
  ASSERT_EQ(trained.code, 0) << trained.err;
  const json answer = json::parse(with_model("predict", {"--json"}, " two   words\n").out);
  EXPECT_EQ(answer["source"]["tokens"].size(), 3u);
  EXPECT_EQ(answer["source"]["tokens"][1], (json{{"text", "words"}, {"start", 7}, {"end", 12}}));
  EXPECT_EQ(answer["text"], "x y");
  const std::string test = folder_.write("test.tsv", "two words\tx   y\n");
  EXPECT_EQ(with_model("evaluate", {test, "--min", "exact=1"}).code, 0) << "spaces are no mistake";
}

TEST_F(OwnFilesTest, SamplesOfBeforeAStopStayInTheReport) {
  const std::string data = folder_.write("data.tsv", to_tsv(tiny_examples(1, 100)));
  ASSERT_EQ(train({data}, "40u").code, 0);
  ASSERT_EQ(train({data}, "60u").code, 0);
  const std::string report = read_bytes(folder_ / "run/report.html");
  for (const char* update :
       {"<summary>update 20</summary>", "<summary>update 40</summary>", "<summary>update 60</summary>"}) {
    EXPECT_TRUE(says(report, update));
  }
  std::set<std::string> sources;
  std::size_t shortest = 100, longest = 0;
  std::istringstream lines(read_bytes(folder_ / "run" / journal_file_name));
  for (std::string line; std::getline(lines, line);) {
    const json event = json::parse(line);
    if (event.at("event") != "validation") continue;
    ASSERT_EQ(event.at("samples").size(), 4u);
    for (const json& sample : event.at("samples")) {
      const auto source = sample.at("source").get<std::string>();
      sources.insert(source);
      shortest = std::min(shortest, source.size());
      longest = std::max(longest, source.size());
      EXPECT_TRUE(says(report, ">" + source + "<"));
    }
  }
  EXPECT_EQ(sources.size(), 4u) << "the same at every validation";
  EXPECT_GE(longest, shortest + 4) << "of several lengths";
}

}  // namespace
}  // namespace fovea::columns_test
