// `fovea show --png` and `fovea report`: what is drawn for people lands in files, or it is said in one line why not.
#include <gtest/gtest.h>

#include "base/json.h"
#include "server/client.h"
#include "support/process.h"

namespace fovea::show_test {
namespace {

// The program that makes PNG of SVG is not on every machine: here one that stands in for it, which keeps what it is
// given. It is told where to write after -o, and what to read last.
class ShowPng : public testing::Test {
 protected:
  ShowPng() {
    const std::string path = folder_.write("rsvg-convert",
                                           "#!/bin/sh\n"
                                           "while [ $# -gt 1 ]; do [ \"$1\" = -o ] && out=$2; shift; done\n"
                                           "[ -e broken ] && exit 1\n"
                                           "{ printf 'PNG of '; cat \"$1\"; } > \"$out\"\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }
  Outcome show(const std::string& path, const std::string& png) const {
    Command command = fovea({"show", tiny_model_folder().string(), "kayak", "--svg", "map.svg", "--png", png});
    command.folder = folder_.path().string();
    command.environment = {"PATH=" + path};
    return run(command);
  }

  TemporaryFolder folder_;
};

TEST_F(ShowPng, IsThePictureThatSvgHas) {
  const Outcome outcome = show(folder_.path().string() + ":/usr/bin:/bin", "map.png");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(read_bytes(folder_ / "map.png"), "PNG of " + read_bytes(folder_ / "map.svg"));
  EXPECT_TRUE(says(read_bytes(folder_ / "map.svg"), "<svg "));
  int files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_.path())) ++files;
  EXPECT_EQ(files, 3) << "nothing is left beside it";
}

TEST_F(ShowPng, WhatIsMissingOrFailsIsSaid) {
  const Outcome missing = show("/nowhere", "map.png");
  EXPECT_EQ(missing.code, 1);
  EXPECT_TRUE(says(missing.err, "install the package librsvg2-bin, or write SVG"));
  EXPECT_TRUE(is_one_line(missing.err));
  folder_.write("broken", "");
  const Outcome failed = show(folder_.path().string() + ":/usr/bin:/bin", "map.png");
  EXPECT_EQ(failed.code, 1);
  EXPECT_TRUE(says(failed.err, "could not draw"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "map.png"));
}

TEST(Show, LinesComeFromSeveralFilesAndEmptyOnesAreLeftOut) {
  TemporaryFolder folder;
  const std::string one = folder.write("one.txt", "kayak\n\nlevel\n"), two = folder.write("two.txt", "radar\n");
  const Outcome outcome = run(fovea({"show", tiny_model_folder().string(), "--file", one, "--file", two, "--json"}));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(std::ranges::count(outcome.out, '\n'), 3);
  EXPECT_TRUE(says(outcome.err, one + ":2: the line is empty"));
}

TEST(Show, SaysWhatSetsTheGreatestLength) {
  const Outcome outcome = run(fovea({"show", tiny_model_folder().string(), "kayak", "--max-output", "1"}));
  EXPECT_TRUE(says(outcome.out, "! The answer is unfinished: it was cut at its greatest length.\n"));
  EXPECT_TRUE(says(outcome.err, "warning: the answer is unfinished: --max-output sets the greatest length\n"));
}

TEST(Show, SaysWhereThereIsNoSelfAttention) {
  const Outcome outcome = run(fovea({"show", tiny_model_folder().string(), "kayak", "--self"}));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(says(outcome.err, "no self-attention"));
  EXPECT_FALSE(says(run(fovea({"show", tiny_model_folder().string(), "kayak"})).err, "no self-attention"));
}

TEST(Show, PicturesAreExplainedWithThemselvesWhereThatIsAskedFor) {
  const Outcome plain = run(fovea({"show", tiny_model_folder().string(), "kayak", "--json"}));
  const Outcome asked = run(fovea({"show", tiny_model_folder().string(), "kayak", "--json", "--media"}));
  EXPECT_EQ(asked.code, 0) << asked.err;
  EXPECT_EQ(asked.out, plain.out) << "of a text there is nothing to be seen";
}

// The smallest model of lines that it is given, trained for one update.
Outcome train_briefly(const TemporaryFolder& folder, const std::string& data,
                      const std::vector<std::string>& settings) {
  Command command = fovea({"train", data, "-o", "run", "--stop-after", "1u", "--set", "encoder.size=4", "--set",
                           "decoder.size=4", "--set", "attention.size=4"});
  for (const std::string& setting : settings) command.words.insert(command.words.end(), {"--set", setting});
  command.folder = folder.path().string();
  return run(command);
}

TEST(Show, OfSeveralHeadsTheMeanIsDrawnUnlessOneIsChosen) {
  TemporaryFolder folder;
  folder.write("data.tsv", to_tsv(tiny_examples(1, 100)));
  const Outcome trained = train_briefly(folder, "data.tsv", {"attention.heads=2"});
  ASSERT_EQ(trained.code, 0) << trained.err;
  const auto show = [&](const std::vector<std::string>& more) {
    Command command = fovea({"show", "run", "kayak"});
    command.words.insert(command.words.end(), more.begin(), more.end());
    command.folder = folder.path().string();
    return run(command);
  };
  const Outcome mean = show({"--svg", "mean.svg"});
  EXPECT_TRUE(says(mean.out, "\nlayer 0, mean of 2 heads\n"));
  EXPECT_FALSE(says(mean.out, "head 0")) << "one map";
  EXPECT_TRUE(says(mean.err, "drawn is layer 0, mean of 2 heads; --layer and --head choose another map"));
  EXPECT_TRUE(says(read_bytes(folder / "mean.svg"), "layer 0, mean of 2 heads"));
  const Outcome one = show({"--head", "1", "--svg", "one.svg"});
  EXPECT_TRUE(says(one.out, "\nlayer 0, head 1\n"));
  EXPECT_EQ(one.err, "");
  EXPECT_TRUE(says(read_bytes(folder / "one.svg"), "layer 0, head 1"));
  const Outcome steps = show({"--steps"});
  EXPECT_TRUE(says(steps.out, "layer 0, head 0, context norm"));
  EXPECT_TRUE(says(steps.out, "layer 0, head 1, context norm"));
  EXPECT_FALSE(says(steps.out, "mean of"));
  EXPECT_EQ(parse_json(show({"--json"}).out)["maps"].size(), 2u) << "as it was";
}

TEST(Show, DrawsWhereAGeneratorPoints) {
  const TemporaryFolder folder;
  std::string places, lines;
  for (int i = 0; i < 40; ++i) places += fmt::format("ab{}c\t{}\n", i, 1 + i % 3);
  for (int i = 0; i < 40; ++i) lines += fmt::format("a cat {} and a dog {}\n", i % 7, i % 7);
  folder.write("places.tsv", places);
  folder.write("lines.txt", lines);
  const auto show = [&](const std::string& text, const std::vector<std::string>& more) {
    Command command = fovea({"show", "run", text});
    command.words.insert(command.words.end(), more.begin(), more.end());
    command.folder = folder.path().string();
    return run(command);
  };
  const Outcome located = train_briefly(folder, "places.tsv", {"task=locate"});
  ASSERT_EQ(located.code, 0) << located.err;
  const Outcome pointer = show("ab7c", {"--svg", "map.svg", "--html", "map.html"});
  EXPECT_TRUE(says(pointer.out, "\npointing\n")) << pointer.out;
  EXPECT_FALSE(says(pointer.out, "\nattention\n"));
  EXPECT_TRUE(says(pointer.err, "drawn is pointing; --layer and --head choose another map"));
  EXPECT_TRUE(says(read_bytes(folder / "map.svg"), "pointing"));
  EXPECT_TRUE(says(read_bytes(folder / "map.html"), "attention")) << "which has both";
  const Outcome attention = show("ab7c", {"--head", "0", "--svg", "map.svg"});
  EXPECT_TRUE(says(attention.out, "\nlayer 0, head 0\n")) << attention.out;
  EXPECT_FALSE(says(read_bytes(folder / "map.svg"), "pointing"));

  std::filesystem::remove_all(folder / "run");
  const std::vector<std::string> language_model = {"task=language_model", "columns=target", "target.tokenizer=word"};
  std::vector<std::string> sentinel = language_model;
  sentinel.push_back("generator.kind=sentinel");
  const Outcome read = train_briefly(folder, "lines.txt", sentinel);
  ASSERT_EQ(read.code, 0) << read.err;
  const Outcome past = show("a cat 3 and", {"--svg", "past.svg", "--steps"});
  EXPECT_EQ(past.code, 0) << past.err;
  for (const char* part : {"step 3: and", ", copied 0.", "\n  pointing into past\n"}) {
    EXPECT_TRUE(says(past.out, part)) << past.out;
  }
  EXPECT_TRUE(says(read_bytes(folder / "past.svg"), "pointing into past"));
  EXPECT_TRUE(says(read_bytes(folder / "past.svg"), "cat"));

  std::filesystem::remove_all(folder / "run");
  ASSERT_EQ(train_briefly(folder, "lines.txt", language_model).code, 0);
  for (const char* flag : {"--svg", "--png"}) {
    const Outcome refused = show("a cat", {flag, "none"});
    EXPECT_EQ(refused.code, 2);
    EXPECT_EQ(refused.out, "");
    EXPECT_TRUE(says(refused.err,
                     "error: --svg and --png: this model has no attention, so there is no map to draw; "
                     "--html and --steps have"));
    EXPECT_FALSE(std::filesystem::exists(folder / "none"));
  }
  EXPECT_EQ(show("a cat", {"--html", "steps.html"}).code, 0);
  EXPECT_TRUE(says(read_bytes(folder / "steps.html"), "Step by step"));
}

TEST(Show, PicturesAreDrawnAboveTheirMaps) {
  const TemporaryFolder folder;
  Command make = fovea({"make", "scenes", "--count", "12", "--seed", "1", "--pictures", "pics"});
  make.folder = folder.path().string();
  const std::string lines = run(make).out;
  folder.write("scenes.tsv", lines);
  const Outcome trained = train_briefly(folder, "scenes.tsv", {"source.kind=image", "target.tokenizer=word"});
  ASSERT_EQ(trained.code, 0) << trained.err;
  Command show =
      fovea({"show", "run", lines.substr(0, lines.find('\t')), "--svg", "map.svg", "--html", "map.html", "--json"});
  show.folder = folder.path().string();
  const Outcome shown = run(show);
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_FALSE(says(shown.out, "\"media\"")) << "JSON has it where it is asked for";
  for (const char* file : {"map.svg", "map.html"}) {
    const std::string drawn = read_bytes(folder / file);
    EXPECT_TRUE(says(drawn, "href=\"data:image/png;base64,")) << file;
    EXPECT_TRUE(says(drawn, "the picture for each output")) << file;
  }
}

TEST(Show, DocumentsHaveAMapOfWordsAndOfSentences) {
  const TemporaryFolder folder;
  std::string lines;
  for (int i = 0; i < 12; ++i) lines += fmt::format("A film no {} . It is long !\t{}\n", i, i % 2 ? "good" : "bad");
  folder.write("doc.tsv", lines);
  const Outcome refused =
      train_briefly(folder, "doc.tsv", {"source.kind=document", "task=classify", "objective.diversity=1"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(is_one_line(refused.err));
  EXPECT_TRUE(says(refused.err, "objective.diversity with encoder.kind = hierarchical")) << refused.err;
  const Outcome trained = train_briefly(folder, "doc.tsv", {"source.kind=document", "task=classify"});
  ASSERT_EQ(trained.code, 0) << trained.err;
  Command show = fovea({"show", "run", "A film . It is good !", "--html", "map.html"});
  show.folder = folder.path().string();
  const Outcome shown = run(show);
  EXPECT_EQ(shown.code, 0) << shown.err;
  for (const char* part : {"%  A film .\n", "%  It is good !\n", "word and to the sentence that was read most"}) {
    EXPECT_TRUE(says(shown.out, part)) << shown.out;
  }
  EXPECT_TRUE(says(read_bytes(folder / "map.html"), "<title>the sentence: 0."));
}

TEST(Report, HasTheCurvesAndTheWorstOfEachRun) {
  TemporaryFolder folder;
  std::filesystem::copy(tiny_model_folder(), folder / "again", std::filesystem::copy_options::recursive);
  const std::string one = (folder / "one.html").string(), two = (folder / "two.html").string();
  // A trainer leaves no config.toml: that is what makes a run of its folder.
  const Outcome none = run(fovea({"report", (folder / "again").string(), "-o", one}));
  EXPECT_EQ(none.code, 2);
  EXPECT_TRUE(says(none.err, "holds no run; give the folder of one"));
  EXPECT_TRUE(is_one_line(none.err));
  folder.write("again/config.toml", "");
  std::filesystem::copy(folder / "again", folder / "other", std::filesystem::copy_options::recursive);
  const Outcome outcome = run(fovea({"report", (folder / "again").string(), "-o", one}));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(says(outcome.err, "the report of 1 run"));
  const std::string page = read_bytes(one);
  for (const char* part : {"<h1", "again", "loss", "Worst errors", "Confusions", "<svg "})
    EXPECT_TRUE(says(page, part));
  EXPECT_EQ(page.find("src="), page.npos) << "it asks nobody";
  const Outcome both = run(fovea({"report", (folder / "again").string(), (folder / "other").string(), "-o", two}));
  EXPECT_EQ(both.code, 0) << both.err;
  EXPECT_TRUE(says(both.err, "the report of 2 runs"));
  for (const char* part : {"again", "other", "<svg "}) EXPECT_TRUE(says(read_bytes(two), part));
}

}  // namespace
}  // namespace fovea::show_test
