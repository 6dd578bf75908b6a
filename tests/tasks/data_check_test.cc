#include "tasks/data_check.h"

#include <gtest/gtest.h>

#include <fmt/core.h>

#include <algorithm>

#include "data/temporary_file.h"

namespace fovea::data_check_test {
namespace {

Pairs read(const std::string& text, std::vector<std::string> columns = {}) {
  const TemporaryFile file(text);
  PairOptions options;
  options.file = file.path();
  options.columns = std::move(columns);
  options.bad_lines = BadLines::skip;
  options.max_length = 100;
  return read_pairs(options);
}

LookedOver look(const std::string& training, const std::string& held_out = "") {
  return look_over(read(training), held_out.empty() ? Pairs() : read(held_out), Config());
}

std::int64_t lines(const LookedOver& all, std::string_view what) {
  const auto found = std::ranges::find(all.findings, what, &Finding::what);
  return found == all.findings.end() ? 0 : found->lines;
}

TEST(DataCheck, SoundDataHaveNothing) {
  const LookedOver all = look("one\teins\ntwo\tzwei\nthree\tdrei\n", "four\tvier\n");
  EXPECT_EQ(lines(all, "unseen"), 1) << "f, u and v are new";
  EXPECT_FALSE(all.refused());
  EXPECT_TRUE(look("one\teins\ntwo\tzwei\nthree\tdrei\n").findings.empty());
}

TEST(DataCheck, WhatTrainingWouldRefuse) {
  for (const char* bad : {"a\xFF\tb\n", "alone\n", "a\t\n"}) {
    EXPECT_TRUE(look(std::string("one\teins\n") + bad).refused()) << bad;
  }
  EXPECT_TRUE(look("one\teins\n" + std::string(200, 'x') + "\ty\n").refused());
  EXPECT_FALSE(look("one\teins\n\ntwo\tzwei\n").refused()) << "blank lines are no mistake";
}

TEST(DataCheck, WhatIsSuspicious) {
  const LookedOver all =
      look("one\teins\none\teins\none\tein\ntwo  x\tzwei\nA\u0308\tx\n" + std::string(90, 'y') + "\tz\n", "one\tuno\n");
  EXPECT_EQ(lines(all, "duplicate"), 1);
  EXPECT_EQ(lines(all, "contradiction"), 1);
  EXPECT_EQ(lines(all, "spaces"), 1);
  EXPECT_EQ(lines(all, "form"), 1);
  EXPECT_EQ(lines(all, "overlap"), 1);
  EXPECT_EQ(lines(all, "length"), 1);
  EXPECT_EQ(lines(all, "unseen"), 1) << "u stands in no target";
  EXPECT_FALSE(all.refused());
}

// To letters it is a symbol like others, and tokenised text has a mark at a word now and then.
TEST(DataCheck, PunctuationThatMakesOtherWords) {
  const std::string raw = "It is good.\tEs ist gut .\nGood, it is\tGut ist es\n";
  const auto found = [](const std::string& text, const std::string& tokenizer) {
    Config config;
    config.source.tokenizer = config.target.tokenizer = tokenizer;
    return lines(look_over(read(text), Pairs(), config), "punctuation");
  };
  EXPECT_EQ(found(raw, "word"), 2);
  EXPECT_EQ(found(raw, "char"), 0);
  std::string tokenised = "ends.here\tx\n";
  for (int i = 0; i < 11; ++i) tokenised += "it is number " + std::to_string(i) + " .\tnot the last\n";
  EXPECT_EQ(found(tokenised, "word"), 0);
}

TEST(DataCheck, SourcesThatAreNoText) {
  const auto hint = [](const std::string& text) {
    Config config;
    const Pairs pairs = read(text);
    config.columns = pairs.columns;
    const LookedOver all = look_over(pairs, {}, config);
    const auto found = std::ranges::find(all.findings, "kind", &Finding::what);
    return found == all.findings.end() ? "" : found->text.substr(found->text.find(';'));
  };
  EXPECT_EQ(hint("a/1.png\tone\n2.JPG + 3.jpeg\ttwo\n"), "; source.kind = image reads it so");
  EXPECT_EQ(hint("1.wav\tone\n2.flac\ttwo\n"), "; source.kind = audio reads it so");
  EXPECT_EQ(hint("1.npy\tone\n2.npy\ttwo\n"), "; source.kind = vectors reads it so");
  EXPECT_EQ(hint("1 2; 3 4\tone\n0.5 -1e3 7\ttwo\n"), "; source.kind = vectors reads it so");
  EXPECT_EQ(hint("1.wav\tone\nword\ttwo\n"), "") << "not all of them";
  EXPECT_EQ(hint("12\ttwelve\n3.5\tthree and a half\n"), "");
}

// What is said of text is not said of numbers.
TEST(DataCheck, RowsOfNumbersAreNoWords) {
  Config config;
  config.source.tokenizer = "word";
  const Pairs pairs = read("1 2; 3 4\tone\n0.5  -1e3; 7 8\ttwo\n");
  config.columns = pairs.columns;
  const LookedOver all = look_over(pairs, {}, config);
  EXPECT_EQ(lines(all, "kind"), 2);
  EXPECT_EQ(lines(all, "punctuation"), 0);
  EXPECT_EQ(lines(all, "spaces"), 0);
}

TEST(DataCheck, SaysWhichSideAFormIsWantedFor) {
  const auto text = [](const LookedOver& all) {
    return std::ranges::find(all.findings, "spaces", &Finding::what)->text;
  };
  EXPECT_NE(text(look("two  x\tzwei\n")).find("; source.normalise = spaces"), std::string::npos);
  EXPECT_NE(text(look("two\tzwei  x\n")).find("; target.normalise = spaces"), std::string::npos);
}

// All that is to be set, also where something is set already; any run of spaces is one gap between words.
TEST(DataCheck, SaysTheWholeSetting) {
  const Pairs pairs = read("two  a\u0308\tzwei\n");
  Config config;
  config.source.normalise = "lower";
  const LookedOver all = look_over(pairs, {}, config);
  const auto text = [&](const char* what) { return std::ranges::find(all.findings, what, &Finding::what)->text; };
  EXPECT_NE(text("spaces").find("; source.normalise = lower,spaces"), std::string::npos);
  EXPECT_NE(text("form").find("; source.normalise = lower,nfc"), std::string::npos);
  config.source.tokenizer = "word";
  EXPECT_EQ(lines(look_over(pairs, {}, config), "spaces"), 0);
}

TEST(DataCheck, LooksAtEveryColumn) {
  const std::vector<std::string> columns = {"source", "source2", "features", "target"};
  Config config;
  config.columns = columns;
  const Pairs training = read("a\tb\tN;SG\tc\na\tb  b\tN;PL\tc\n", columns);
  EXPECT_EQ(lines(look_over(training, {}, config), "spaces"), 1);
  for (const char* held_out : {"a\tx\tN\tc\n", "a\tb\tN;DU\tc\n", "x\tb\tN\tc\n", "a\tb\tN\tx\n"}) {
    EXPECT_EQ(lines(look_over(training, read(held_out, columns), config), "unseen"), 1) << held_out;
  }
  EXPECT_EQ(lines(look_over(training, read("a\tb\tPL\tc\n", columns), config), "unseen"), 0);
}

TEST(DataCheck, LabelsMayStandFirst) {
  std::string labels_first, names;
  for (int i = 0; i < 100; ++i) {
    labels_first += fmt::format("{}\ttext {}\n", i % 2 ? "good" : "bad", i);
    names += fmt::format("name {}\ttext {}\n", i, i);
  }
  EXPECT_EQ(lines(look(labels_first), "columns"), 100);
  EXPECT_EQ(lines(look(names), "columns"), 0);
}

TEST(DataCheck, DocumentsAndTheLengthThatReadsThemAll) {
  const auto reviews = [](int sentences) {
    std::string all;
    for (int i = 0; i < 60; ++i) {
      for (int s = 0; s < (i % 3 == 0 ? sentences : 1); ++s) all += fmt::format("It was no. {} of all of them. ", i);
      all += i % 2 == 0 ? "\tgood\n" : "\tbad\n";
    }
    return all;
  };
  EXPECT_EQ(lines(look(reviews(1)), "document"), 0);
  EXPECT_EQ(lines(look(reviews(20)), "document"), 0) << "a third of them";
  std::string all = reviews(20) + reviews(20);
  for (int i = 0; i < 60; ++i) all += std::string(150 + i, 'x') + ". And. So on.\tgood\n";
  const LookedOver long_ones = look(all);
  EXPECT_EQ(lines(long_ones, "document"), 100);
  EXPECT_EQ(lines(long_ones, "too_long"), 100);
  EXPECT_NE(long_ones.findings[0].text.find("`max_length`; 600 "), std::string::npos) << long_ones.findings[0].text;
}

TEST(DataCheck, TextAloneContradictsNothing) {
  EXPECT_EQ(lines(look_over(read("once\ntwice\n", {"target"}), {}, Config()), "contradiction"), 0);
}

TEST(DataCheck, TextAloneIsHeldOutIfItIsNotTrainedOn) {
  const LookedOver all = look_over(read("once\ntwice\n", {"target"}), read("never\ntwice\n", {"target"}), Config());
  EXPECT_EQ(lines(all, "overlap"), 1);
}

TEST(DataCheck, PlacesAreFilesAndLines) {
  Pairs training = read("one\teins\none\teins\n"), held_out = read("one\tuno\n");
  training.examples[1].file = "train.tsv";
  held_out.examples[0].file = "held.tsv";
  for (const Finding& one : look_over(training, held_out, Config()).findings) {
    const bool held = one.what == "overlap" || one.what == "unseen";
    EXPECT_TRUE(one.first.starts_with(held ? "held.tsv:1, " : "train.tsv:2, ")) << one.what << ": " << one.first;
  }
}

TEST(DataCheck, GuessesTheTask) {
  EXPECT_EQ(guess_task(read("one\teins\ntwo\tzwei\n")).task, "transduce");
  EXPECT_EQ(guess_task(read("word\t3\nlonger\t6\n")).task, "locate");
  EXPECT_EQ(guess_task(read("word\t3\nlong\t6\n")).task, "transduce") << "long has no sixth letter";
  std::string labels;
  for (int i = 0; i < 60; ++i) labels += "text " + std::to_string(i) + (i % 2 == 0 ? "\tgood\n" : "\tbad\n");
  EXPECT_EQ(guess_task(read(labels)).task, "classify");
  EXPECT_EQ(guess_task(read("once upon a time\n", {"target"})).task, "language_model");
}

}  // namespace
}  // namespace fovea::data_check_test
