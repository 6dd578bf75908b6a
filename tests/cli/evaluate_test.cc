// `fovea evaluate`: measures, gates, and bad data named by file and line.
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/as_size.h"
#include "data/packed.h"
#include "support/process.h"
#include "tasks/metrics/metric.h"
#include "training/tiny_run.h"

namespace fovea::evaluate_test {
namespace {

using nlohmann::json;

class EvaluateCommandTest : public testing::Test {
 protected:
  EvaluateCommandTest() {
    make_tiny_model(folder_.path());
    test_ = folder_.write("test.tsv", to_tsv(tiny_examples(5, 50)));
  }
  Outcome evaluate(const std::vector<std::string>& words) const {
    Command command = fovea({"evaluate", folder_.path()});
    command.words.insert(command.words.end(), words.begin(), words.end());
    return run(command);
  }

  TemporaryFolder folder_;
  std::string test_;
};

TEST_F(EvaluateCommandTest, JsonIsFlat) {
  const Outcome outcome = evaluate({test_, "--json"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(is_one_line(outcome.out));
  const json metrics = json::parse(outcome.out);
  for (const auto& [name, value] : metrics.items()) EXPECT_TRUE(value.is_number()) << name;
  EXPECT_EQ(metrics.at("lines"), 50);
  EXPECT_GE(metrics.at("exact").get<double>(), 0);
  EXPECT_LE(metrics.at("exact").get<double>(), 1);
  EXPECT_GT(metrics.at("cer").get<double>(), 0);
}

TEST_F(EvaluateCommandTest, Int8IsNearlyAsGood) {
  const json real = json::parse(evaluate({test_, "--json"}).out);
  const json whole = json::parse(evaluate({test_, "--json", "--int8"}).out);
  EXPECT_NEAR(whole.at("exact").get<double>(), real.at("exact").get<double>(), 0.1);
  EXPECT_NEAR(whole.at("cer").get<double>(), real.at("cer").get<double>(), 0.05);
  EXPECT_NE(whole.at("entropy"), real.at("entropy")) << "nothing was rounded";
}

// The answers of predict, counted by hand.
TEST_F(EvaluateCommandTest, ExactIsTheShareOfEqualAnswers) {
  std::string sources;
  for (const Example& example : tiny_examples(5, 50)) sources += example.source + "\n";
  const std::string answers = run(fovea({"predict", folder_.path()}), sources).out;
  std::string data;
  std::size_t start = 0;
  int line = 0;
  for (const Example& example : tiny_examples(5, 50)) {
    const std::size_t end = answers.find('\n', start);
    const std::string answer = answers.substr(start, end - start);
    ASSERT_NE(answer, "");
    data += example.source + "\t" + (++line <= 20 ? answer : answer + "z") + "\n";
    start = end + 1;
  }
  const Outcome outcome = evaluate({folder_.write("known.tsv", data), "--json"});
  EXPECT_DOUBLE_EQ(json::parse(outcome.out).at("exact").get<double>(), 0.4);
  EXPECT_NEAR(json::parse(outcome.out).at("edit_distance").get<double>(), 0.6, 1e-9);
}

// What is cut is not the answer, even where it reads like it.
TEST_F(EvaluateCommandTest, WhatIsUnfinishedIsNotExact) {
  std::string sources, data;
  for (const Example& example : tiny_examples(5, 20)) sources += example.source + "\n";
  std::istringstream answers(run(fovea({"predict", folder_.path(), "--max-output", "2"}), sources).out);
  std::string answer;
  for (const Example& example : tiny_examples(5, 20)) {
    ASSERT_TRUE(std::getline(answers, answer));
    ASSERT_EQ(answer.size(), 2u);
    data += example.source + "\t" + answer + "\n";
  }
  const std::string file = folder_.write("cut.tsv", data), errors = folder_ / "errors.tsv";
  const Outcome outcome = evaluate({file, "--max-output", "2", "--json", "--errors", errors});
  const json found = json::parse(outcome.out);
  EXPECT_EQ(found.at("unfinished"), 20);
  EXPECT_EQ(found.at("cer"), 0);
  EXPECT_EQ(found.at("exact"), 0);
  EXPECT_TRUE(says(outcome.err,
                   "20 of 20 answers are unfinished and not exact: they were cut at their greatest length, "
                   "which --max-output sets (first: line 1)"));
  EXPECT_TRUE(says(read_bytes(errors), "[…>]\n"));
  EXPECT_EQ(json::parse(evaluate({file, "--max-output", "2", "--json", "--top", "2"}).out).at("top2"), 0);
  const Outcome beside = evaluate({file, "--max-output", "2", "--against", folder_.path()});
  EXPECT_TRUE(says(beside.err, "warning: " + folder_.path().string() + ": 20 of 20 answers are unfinished"));
}

TEST_F(EvaluateCommandTest, AgainstAnotherModel) {
  TemporaryFolder other;
  Files files;
  const Model untrained = untrained_model();
  files.write_atomically(other / model_file_name, encode_safetensors({untrained.metadata(), untrained.arrays()}));
  const json alone = json::parse(evaluate({test_, "--json"}).out);
  const json beside = json::parse(evaluate({test_, "--against", other.path(), "--json"}).out);
  EXPECT_EQ(beside.at("exact"), alone.at("exact")) << "the figures are those of the first";
  EXPECT_NEAR(beside.at("cer_difference").get<double>(),
              alone.at("cer").get<double>() - beside.at("cer_other").get<double>(), 1e-12);
  EXPECT_LT(beside.at("cer_difference_p").get<double>(), 0.05) << "one has learned, the other has not";
  EXPECT_LT(beside.at("cer_difference_high").get<double>(), 0);
  const json same = json::parse(evaluate({test_, "--against", folder_.path(), "--json"}).out);
  EXPECT_EQ(same.at("cer_difference"), 0);
  EXPECT_EQ(same.at("cer_difference_p"), 1);
  EXPECT_TRUE(says(evaluate({test_, "--against", other.path()}).out, "they differ"));
  EXPECT_FALSE(says(evaluate({test_, "--against", folder_.path()}).out, "they differ"));
}

// Lines of one source, each with its own target, count for themselves.
TEST_F(EvaluateCommandTest, EachLineForItself) {
  std::vector<Example> examples = tiny_examples(5, 20);
  for (int i = 0; i < 20; ++i) examples.push_back({examples[0].source, "zzzzzz", ""});
  const std::string file = folder_.write("repeated.tsv", to_tsv(examples));
  const json together = json::parse(evaluate({file, "--json"}).out),
             apart = json::parse(evaluate({file, "--json", "--each-line"}).out);
  EXPECT_LE(together.at("sources"), 20);
  EXPECT_EQ(apart.at("sources"), 40);
  EXPECT_GT(apart.at("cer").get<double>(), together.at("cer").get<double>()) << "no other target is near";
  // Of two models that read other columns of one file.
  TemporaryFolder other;
  Config config = tiny_config();
  config.columns = {"skip", "target", "source"};
  std::vector<Example> learned = tiny_examples(1, 30);
  const Model blind(config, Task(config, learned));
  Files files;
  files.write_atomically(other / model_file_name, encode_safetensors({blind.metadata(), blind.arrays()}));
  std::string lines;
  for (const Example& example : tiny_examples(5, 30)) lines += example.source + "\t" + example.target + "\ta\n";
  const std::string both = folder_.write("both.tsv", lines);
  const Outcome refused = evaluate({both, "--against", other.path()});
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(says(refused.err, "--each-line")) << refused.err;
  const json paired = json::parse(evaluate({both, "--against", other.path(), "--each-line", "--json"}).out);
  EXPECT_LT(paired.at("cer_difference_p").get<double>(), 0.05);
  EXPECT_TRUE(paired.contains("perplexity_difference_p"));
}

TEST_F(EvaluateCommandTest, TooFewSourcesSayNothing) {
  TemporaryFolder other;
  Files files;
  const Model untrained = untrained_model();
  files.write_atomically(other / model_file_name, encode_safetensors({untrained.metadata(), untrained.arrays()}));
  const std::string few = folder_.write("few.tsv", to_tsv(tiny_examples(5, 3)));
  const Outcome outcome = evaluate({few, "--against", other.path()});
  EXPECT_TRUE(says(outcome.out, "fewer than 10 sources: too few"));
  EXPECT_FALSE(says(outcome.out, "they differ"));
  EXPECT_FALSE(json::parse(evaluate({few, "--against", other.path(), "--json"}).out).contains("cer_difference_p"));
  const std::string file = folder_ / "few.svg";
  EXPECT_EQ(evaluate({few, "--svg", file}).code, 0);
  EXPECT_TRUE(says(read_bytes(file), "no ten lengths have 10 sources"));
  const Outcome meant = evaluate({few, "--test", other.path()});
  EXPECT_EQ(meant.code, 2);
  EXPECT_TRUE(says(meant.err, "did you mean --against?"));
}

// A model whose answers are labels, and a language model, which answers nothing.
TEST_F(EvaluateCommandTest, LabelsAndLanguageModelsCanBeTold) {
  std::string labels, texts;
  for (const Example& example : tiny_examples(1, 60)) {
    labels += example.source + (example.source < "c" ? "\tlow\n" : "\thigh\n");
    texts += example.source + "\n";
  }
  const std::string labelled = folder_.write("labels.tsv", labels), text = folder_.write("text.txt", texts);
  const auto trained = [&](const std::string& name, std::vector<std::string> words) {
    Command command = fovea({"train", "-o", folder_ / name, "--set", "encoder.size=8", "--set", "decoder.size=8"});
    command.words.insert(command.words.end(), words.begin(), words.end());
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return folder_ / name;
  };
  const std::string classifier = trained("labels", {labelled, "--set", "task=classify", "--stop-after", "40u"}),
                    poor = trained("poor", {labelled, "--set", "task=classify", "--stop-after", "1u"});
  const Outcome table = run(fovea({"evaluate", classifier, labelled, "--against", poor}));
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_TRUE(table.out.starts_with("accuracy"));
  for (const char* left_out : {"\ncer", "\nbleu", "sacreBLEU", "chrf", "target length"})
    EXPECT_FALSE(says(table.out, left_out));
  const json found = json::parse(run(fovea({"evaluate", classifier, labelled, "--against", poor, "--json"})).out);
  for (const char* name : {"accuracy", "macro_f1", "top2", "exact", "perplexity"}) {
    EXPECT_TRUE(found.contains(std::string(name) + "_difference_p")) << name << found;
  }
  EXPECT_EQ(found.at("accuracy_difference"), found.at("exact_difference"));
  EXPECT_EQ(found.at("accuracy_difference_p"), found.at("exact_difference_p"));
  const std::vector<std::string> language = {text,    "--columns",           "target",
                                             "--set", "task=language_model", "--stop-after"};
  std::vector<std::string> longer = language, shorter = language;
  longer.emplace_back("40u");
  shorter.emplace_back("1u");
  const json told = json::parse(
      run(fovea({"evaluate", trained("long", longer), text, "--against", trained("short", shorter), "--json"})).out);
  EXPECT_LT(told.at("perplexity_difference_high").get<double>(), 0);
  EXPECT_LT(told.at("perplexity_difference_p").get<double>(), 0.05);
  const std::string errors = folder_ / "worst.tsv";
  EXPECT_EQ(run(fovea({"evaluate", folder_ / "long", text, "--errors", errors})).code, 0);
  const std::string listed = read_bytes(errors);
  EXPECT_TRUE(says(listed, "# line\tperplexity\ttext\t"));
  std::vector<double> perplexities;
  std::istringstream lines(listed);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("#")) perplexities.push_back(std::stod(line.substr(line.find('\t'))));
  }
  EXPECT_EQ(perplexities.size(), as_size(std::ranges::count(texts, '\n')));
  EXPECT_TRUE(std::ranges::is_sorted(perplexities, std::greater())) << "worst first";
  EXPECT_EQ(run(fovea({"evaluate", folder_ / "long", text, "--errors", errors})).code, 0) << "its own file";
}

// Words that it has never or hardly met, told apart from the others.
TEST_F(EvaluateCommandTest, RecallOfUnseenAndRareWords) {
  std::string lines;
  for (int i = 0; i < 60; ++i) lines += fmt::format("s{}\tthe {}\n", i, i < 5 ? "rare" : "common");
  const std::string run_folder = folder_ / "words";
  const Outcome trained =
      run(fovea({"train", folder_.write("words.tsv", lines), "-o", run_folder, "--stop-after", "1u", "--set",
                 "target.tokenizer=word", "--set", "encoder.size=8", "--set", "decoder.size=8"}));
  ASSERT_EQ(trained.code, 0) << trained.err;
  const auto found = [&](const std::string& target) {
    const std::string file = folder_.write("wanted.tsv", "s1\t" + target + "\n");
    return json::parse(run(fovea({"evaluate", run_folder, file, "--json"})).out);
  };
  EXPECT_FALSE(found("the common").contains("rare_recall"));
  EXPECT_FALSE(found("the common").contains("unseen_recall"));
  EXPECT_TRUE(found("the rare").contains("rare_recall"));
  EXPECT_EQ(found("the new").at("unseen_recall"), 0) << "it cannot be written";
  EXPECT_FALSE(found("the new").contains("rare_recall"));
}

// Files that lines name: what is bad is said with the data file and its line, and left out if asked.
TEST_F(EvaluateCommandTest, BadNamedFilesAreBadLines) {
  std::string lines;
  for (int i = 0; i < 12; ++i) {
    folder_.write(fmt::format("{}.txt", i), fmt::format("{} 1\n2 {}\n", i, i));
    lines += fmt::format("{}.txt\t{}\n", i, i % 2 == 0 ? "even" : "odd");
  }
  const std::string good = folder_.write("good.tsv", lines), model = folder_ / "rows",
                    bad = folder_.write("bad.tsv", lines + "missing.txt\todd\n1 2 3\todd\n");
  const auto train = [&](std::vector<std::string> words) {
    Command command = fovea({"train", "-o", model, "--fresh", "--stop-after", "1u", "--set", "source.kind=vectors"});
    command.words.insert(command.words.end(), words.begin(), words.end());
    return run(command);
  };
  const Outcome refused = train({bad});
  EXPECT_EQ(refused.code, 3);
  EXPECT_TRUE(says(refused.err, "bad.tsv:13: "));
  const Outcome trained = train({bad, "--on-bad-line", "skip"});
  EXPECT_EQ(trained.code, 0) << trained.err;
  EXPECT_TRUE(says(trained.err, "left out: 2 unreadable (first: ")) << trained.err;
  EXPECT_TRUE(says(trained.err, "bad.tsv:13: "));
  const Outcome named = run(fovea({"evaluate", model, bad}));
  EXPECT_EQ(named.code, 3);
  EXPECT_TRUE(says(named.err, "bad.tsv:13: ")) << named.err;
  const Outcome skipped = run(fovea({"evaluate", model, bad, "--on-bad-line", "skip", "--json"}));
  EXPECT_EQ(skipped.code, 0) << skipped.err;
  EXPECT_EQ(json::parse(skipped.out).at("lines"), 12);
  const std::string errors = folder_ / "rows.tsv";
  EXPECT_EQ(run(fovea({"evaluate", model, good, "--errors", errors})).code, 0);
  EXPECT_TRUE(says(read_bytes(errors), "# length of the source"));
  EXPECT_FALSE(says(read_bytes(errors), "# symbols not in training data"));
}

TEST_F(EvaluateCommandTest, ErrorsAreWrittenToAFile) {
  const std::string file = folder_ / "errors.tsv";
  const Outcome outcome = evaluate({test_, "--errors", file, "--json"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const std::string text = read_bytes(file);
  const double sources = json::parse(outcome.out).at("sources"), exact = json::parse(outcome.out).at("exact");
  EXPECT_TRUE(text.starts_with(fmt::format("# wrong: {:.0f} of {:.0f} sources\n", sources * (1 - exact), sources)))
      << text;
  EXPECT_EQ(evaluate({test_, "--errors", file}).code, 0) << "its own file may be written over";
  const Outcome refused = evaluate({test_, "--errors", test_});
  EXPECT_EQ(refused.code, 2);
  EXPECT_EQ(read_bytes(test_), to_tsv(tiny_examples(5, 50)));
}

TEST_F(EvaluateCommandTest, TheFigureByLengthIsDrawn) {
  const std::string file = folder_ / "lengths.svg";
  for (int i = 0; i < 2; ++i) {  // its own file may be written over
    const Outcome outcome = evaluate({test_, "--svg", file, "--against", folder_.path()});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
  }
  EXPECT_TRUE(says(read_bytes(file), "exact by the length of the target"));
  EXPECT_EQ(evaluate({test_, "--svg", test_}).code, 2);
}

TEST_F(EvaluateCommandTest, TopIsHowOftenOneOfTheBestIsRight) {
  const json found = json::parse(evaluate({test_, "--top", "5", "--json"}).out);
  EXPECT_GE(found.at("top5").get<double>(), found.at("exact").get<double>());
  EXPECT_GT(found.at("top5").get<double>(), 0);
  EXPECT_EQ(evaluate({test_, "--top", "4"}).code, 2);
  EXPECT_EQ(evaluate({test_, "--top", "5", "--min", "top5=1.1"}).code, 5);
}

TEST_F(EvaluateCommandTest, PerplexityIsThatOfScore) {
  const Outcome scored = run(fovea({"score", folder_.path(), test_}));
  const json found = json::parse(evaluate({test_, "--json"}).out);
  EXPECT_TRUE(says(scored.err, fmt::format("perplexity {:.6g} over", found.at("perplexity").get<double>())));
  EXPECT_LT(found.at("perplexity_low"), found.at("perplexity"));
  EXPECT_GT(found.at("perplexity_high"), found.at("perplexity"));
}

TEST_F(EvaluateCommandTest, SaysHowBleuWasComputed) {
  EXPECT_TRUE(says(evaluate({test_}).out, "bleu, as sacreBLEU: nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp\n"));
  EXPECT_TRUE(says(evaluate({test_, "--lowercase", "--tokenization", "none"}).out, "case:lc|eff:no|tok:none"));
  EXPECT_EQ(evaluate({test_, "--tokenization", "klingon"}).code, 2);
}

TEST_F(EvaluateCommandTest, MinimumsAreGates) {
  const Outcome missed = evaluate({test_, "--min", "exact=0.99"});
  EXPECT_EQ(missed.code, 5);
  EXPECT_TRUE(says(missed.err, "exact"));
  EXPECT_TRUE(says(missed.out, "exact")) << "the result is printed all the same";
  EXPECT_EQ(evaluate({test_, "--min", "exact=0"}).code, 0);
  EXPECT_EQ(evaluate({test_, "--max", "cer=1000"}).code, 0) << "of errors, less is better";
  EXPECT_EQ(evaluate({test_, "--max", "cer=0"}).code, 5);
  EXPECT_EQ(evaluate({test_, "--min", "exact=0", "--min", "lines=51"}).code, 5);
  EXPECT_EQ(evaluate({test_, "--max", "lines=49"}).code, 5) << "of a count, neither is better";
  for (const char* flag : {"--min", "--max"}) {
    for (const char* wrong : {"exact", "exact=", "=1", "exact=0,9", "exact=high", "beauty=1"}) {
      const Outcome outcome = evaluate({test_, flag, wrong});
      EXPECT_EQ(outcome.code, 2) << wrong;
      EXPECT_EQ(outcome.out, "") << wrong;
      EXPECT_TRUE(is_one_line(outcome.err));
      EXPECT_TRUE(says(outcome.err, std::string(wrong) == "beauty=1" ? "beauty" : flag));
    }
  }
}

// Every metric of the list, though none is named here.
TEST_F(EvaluateCommandTest, EveryMetricIsMeasuredAndCanBeAGate) {
  const Outcome table = evaluate({test_}), listed = run(fovea({"list", "metrics"}));
  const json measured = json::parse(evaluate({test_, "--json"}).out);
  for (const Metric* metric : metrics()) {
    const std::string name(metric->name);
    ASSERT_TRUE(measured.contains(name)) << name;
    const double value = measured.at(name).get<double>(), low = measured.at(name + "_low").get<double>(),
                 high = measured.at(name + "_high").get<double>();
    EXPECT_LE(low, value) << name;
    EXPECT_GE(high, value) << name;
    EXPECT_TRUE(says(table.out, fmt::format("{:<18} {:.4f}  [{:.4f}, {:.4f}]\n", name, value, low, high)));
    EXPECT_TRUE(says(listed.out, "  " + name + " "));
    EXPECT_TRUE(says(listed.out, std::string(metric->description)));
    const std::string flag = metric->higher_is_better ? "--min" : "--max",
                      other = metric->higher_is_better ? "--max" : "--min";
    const double harder = metric->higher_is_better ? value + 1e-6 : value - 1e-6;
    EXPECT_EQ(evaluate({test_, flag, fmt::format("{}={}", name, value)}).code, 0) << name;
    EXPECT_EQ(evaluate({test_, flag, fmt::format("{}={}", name, harder)}).code, 5) << name;
    const Outcome refused = evaluate({test_, other, name + "=0.5"});
    EXPECT_EQ(refused.code, 2) << name;
    EXPECT_TRUE(is_one_line(refused.err));
    EXPECT_TRUE(says(refused.err, flag + " " + name + "=0.5")) << "what to do";
  }
  EXPECT_TRUE(says(table.out, fmt::format("sources {:>8}", (*metrics().begin())->name))) << "and by length";
}

TEST_F(EvaluateCommandTest, EveryMetricIsInTheJournal) {
  Files files;
  const JournalEvents events = read_journal(files, folder_ / journal_file_name);
  std::istringstream lines(read_bytes(folder_ / journal_file_name));
  json validation;
  for (std::string line; std::getline(lines, line);) {
    if (json event = json::parse(line); event.at("event") == "validation") validation = event;
  }
  ASSERT_FALSE(events.validations.empty());
  for (const std::string& name : metrics().names()) {
    EXPECT_EQ(events.validations.back().metrics.find(name), validation.at(name).get<double>()) << name;
  }
}

TEST_F(EvaluateCommandTest, BadLinesAreNamed) {
  const struct {
    const char* text;
    const char* place;
  } cases[] = {{"a\tx\nbx\n", ":2: 1 column"},
               {"a\tx\n\tx\n", ":2:1: the source is empty"},
               {"a\tx\nabc\t\n", ":2:5: the target is empty"},
               {"a\tx\nab\xFF\tx\n", ":2:3: byte 0xFF is not UTF-8"}};
  for (const auto& [text, place] : cases) {
    const std::string file = folder_.write("bad.tsv", text);
    const Outcome outcome = evaluate({file});
    EXPECT_EQ(outcome.code, 3);
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(is_one_line(outcome.err));
    EXPECT_TRUE(says(outcome.err, file + place));
    const Outcome skipping = evaluate({file, "--on-bad-line", "skip", "--json"});
    EXPECT_EQ(skipping.code, 0) << skipping.err;
    EXPECT_EQ(json::parse(skipping.out).at("lines"), 1);
    EXPECT_TRUE(says(skipping.err, "left out: 1 "));
  }
  for (const char* nothing : {"", "\n\n"}) EXPECT_EQ(evaluate({folder_.write("bad.tsv", nothing)}).code, 3);
}

TEST_F(EvaluateCommandTest, ReadsPackedAndParallelFiles) {
  const std::string expected = evaluate({test_}).out;
  for (const auto pack : {gzip, xz}) {
    EXPECT_EQ(evaluate({folder_.write("test.tsv.packed", pack(read_bytes(test_)))}).out, expected);
  }
  std::string sources, targets;
  for (const Example& example : tiny_examples(5, 50)) {
    sources += example.source + "\n";
    targets += example.target + "\n";
  }
  const std::string source_file = folder_.write("s.txt", sources), target_file = folder_.write("t.txt", targets);
  EXPECT_EQ(evaluate({"--source", source_file, "--target", target_file}).out, expected);
  folder_.write("t.txt", targets + "x\ny\n");
  const Outcome longer = evaluate({"--source", source_file, "--target", target_file});
  EXPECT_EQ(longer.code, 3);
  EXPECT_TRUE(is_one_line(longer.err));
  EXPECT_TRUE(says(longer.err, source_file));
  EXPECT_TRUE(says(longer.err, target_file));
  EXPECT_TRUE(says(longer.err, "50"));
  EXPECT_TRUE(says(longer.err, "52"));
  EXPECT_EQ(evaluate({"--source", source_file}).code, 2);
  EXPECT_EQ(evaluate({test_, "--source", source_file, "--target", target_file}).code, 2);
  EXPECT_EQ(evaluate({}).code, 2);
}

// The tiny task with what its letters come from as a third column, or another one.
std::string scatter_to_vocabulary(const std::string& links = "") {
  std::string text;
  for (const Example& example : tiny_examples(5, 50)) {
    const std::size_t length = example.target.size();
    const std::string right = length == 1 ? "0-0" : length == 2 ? "0-0 1-1" : "0-0 1-1 2p2";
    text += example.source + "\t" + example.target + "\t" + (links.empty() ? right : links) + "\n";
  }
  return text;
}

void save_untrained(const std::filesystem::path& path, const std::string& setting) {
  const Model model = untrained_model({setting});
  Files files;
  files.write_atomically(path, encode_safetensors({model.metadata(), model.arrays()}));
}

const std::string with_links = "source,target,alignment";

TEST_F(EvaluateCommandTest, LinksMeasureTheAttention) {
  const std::string file = folder_.write("linked.tsv", scatter_to_vocabulary());
  const Outcome table = evaluate({file, "--columns", with_links}),
                flat = evaluate({file, "--columns", with_links, "--json"});
  EXPECT_EQ(table.code, 0) << table.err;
  ASSERT_EQ(flat.code, 0) << flat.err;
  const json metrics = json::parse(flat.out);
  for (const char* name : {"aer", "aer_next", "aer_previous", "link_mass", "link_mass_next", "link_mass_previous",
                           "entropy", "stop_mass"}) {
    ASSERT_TRUE(metrics.contains(name)) << name;
    EXPECT_TRUE(says(table.out, fmt::format("\n{:<18} {:.4f}", name, metrics[name].get<double>())));
    EXPECT_GT(metrics[name], 0) << name;
    EXPECT_LE(metrics[name], std::string(name) == "entropy" ? 5 : 1) << name;
  }
  const json wrong = json::parse(
      evaluate({folder_.write("wrong.tsv", scatter_to_vocabulary("0-0")), "--columns", with_links, "--json"}).out);
  EXPECT_NE(wrong.at("aer"), metrics.at("aer")) << "the links count";
  EXPECT_EQ(wrong.at("entropy"), metrics.at("entropy"));
  EXPECT_EQ(wrong.at("exact"), metrics.at("exact"));
}

TEST_F(EvaluateCommandTest, WithoutLinksOnlyTheWeightsAreMeasured) {
  const json metrics = json::parse(evaluate({test_, "--json"}).out);
  EXPECT_TRUE(metrics.contains("entropy") && metrics.contains("stop_mass")) << metrics;
  EXPECT_FALSE(metrics.contains("aer") || metrics.contains("link_mass")) << metrics;
}

TEST_F(EvaluateCommandTest, BadLinksAreNamedByLine) {
  for (const char* bad : {"0-99", "99-0", "0:0", "x"}) {
    std::string text = scatter_to_vocabulary();
    text += std::string("abc\tabc\t0-0 ") + bad + "\n";
    const Outcome outcome = evaluate({folder_.write("bad.tsv", text), "--columns", with_links});
    EXPECT_EQ(outcome.code, 3) << bad;
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(is_one_line(outcome.err));
    EXPECT_TRUE(says(outcome.err, "bad.tsv:51: "));
    EXPECT_TRUE(says(outcome.err, bad));
  }
}

TEST_F(EvaluateCommandTest, LinkMeasuresAreGatesToo) {
  const std::string file = folder_.write("linked.tsv", scatter_to_vocabulary());
  const Outcome missed = evaluate({file, "--columns", with_links, "--max", "aer=0.0"});
  EXPECT_EQ(missed.code, 5);
  EXPECT_TRUE(says(missed.err, "missed: aer"));
  EXPECT_TRUE(says(missed.err, "at most 0"));
  EXPECT_EQ(evaluate({file, "--columns", with_links, "--max", "aer=1"}).code, 0) << "of errors, less is better";
  EXPECT_EQ(evaluate({file, "--columns", with_links, "--min", "link_mass=0"}).code, 0);
  EXPECT_EQ(evaluate({file, "--columns", with_links, "--min", "link_mass=1"}).code, 5);
  const Outcome unmeasured = evaluate({file, "--max", "aer=1"});
  EXPECT_EQ(unmeasured.code, 2);
  EXPECT_TRUE(says(unmeasured.err, "links"));
}

TEST_F(EvaluateCommandTest, AModelWithoutAttentionHasNoneToMeasure) {
  const std::string model = folder_ / "plain.safetensors";
  save_untrained(model, "decoder.style=plain");
  const Outcome outcome = run(fovea({"evaluate", model, test_, "--json"}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json metrics = json::parse(outcome.out);
  EXPECT_TRUE(metrics.contains("exact"));
  EXPECT_FALSE(metrics.contains("entropy") || metrics.contains("stop_mass")) << metrics;
  const Outcome links =
      run(fovea({"evaluate", model, folder_.write("linked.tsv", scatter_to_vocabulary()), "--columns", with_links}));
  EXPECT_EQ(links.code, 2);
  EXPECT_EQ(links.out, "");
  EXPECT_TRUE(is_one_line(links.err));
  EXPECT_TRUE(says(links.err, "links"));
}

}  // namespace
}  // namespace fovea::evaluate_test
