// Every recipe has what a recipe needs, and its settings are ones that there are. recipes/run --smoke runs them.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <sstream>

#include "evaluation/evaluation.h"
#include "support/process.h"
#include "support/source_files.h"
#include "support/temporary_folder.h"
#include "tasks/config.h"

namespace fovea::recipes_test {
namespace {

const std::filesystem::path root = FOVEA_SOURCE_DIR;

std::vector<std::string> recipes() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(root / "recipes")) {
    if (entry.is_directory()) names.push_back(entry.path().filename());
  }
  std::ranges::sort(names);
  return names;
}

TEST(Recipes, HaveAllThatTheyNeed) {
  const std::string which = read_text(root / "docs/which.md");
  const std::vector<Figure> known = known_figures();
  ASSERT_GE(recipes().size(), 12u);
  for (const std::string& name : recipes()) {
    const std::filesystem::path folder = root / "recipes" / name;
    const std::string page = read_text(folder / "README.md"), commands = read_text(folder / "commands");
    EXPECT_TRUE(says(page, "    recipes/run " + name + "\n"));
    EXPECT_TRUE(says(page, commands)) << name << ": the page shows what is run";
    EXPECT_TRUE(says(page, "--config recipes/" + name + "/recipe.toml")) << "and how it is done with other data";
    for (const char* plain :
         {"\nfovea train mine.tsv", "\nfovea evaluate model", "| fovea predict model", "\nfovea show model"}) {
      EXPECT_TRUE(says(page, plain)) << name;
    }
    EXPECT_TRUE(says(page, "](picture.svg)")) << name << ": what is there to be seen?";
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() != ".svg") continue;
      EXPECT_TRUE(says(page, "](" + entry.path().filename().string() + ")"));
      EXPECT_TRUE(says(commands, "--svg " + entry.path().filename().string())) << name << " draws it";
    }
    const std::regex shown("\\]\\(([a-z-]+\\.svg)\\)");
    for (std::sregex_iterator link(page.begin(), page.end(), shown), end; link != end; ++link) {
      EXPECT_TRUE(std::filesystem::exists(folder / (*link)[1].str())) << name << ": " << (*link)[1];
    }
    EXPECT_TRUE(page.find("https://") != page.npos || commands.find("made ") != commands.npos)
        << name << ": where are its data from?";
    EXPECT_TRUE(says(which, "(../recipes/" + name + "/README.md)"));
    Config config;
    EXPECT_NO_THROW(read_toml(config, read_text(folder / "recipe.toml"), name)) << name;
    std::istringstream expected(read_text(folder / "expected"));
    bool all_measured = true;
    int figures = 0;
    for (std::string line; std::getline(expected, line); ++figures) {
      std::smatch found;
      const std::regex form(
          "(?:file=([^ ]+\\.json) )?metric=([a-z0-9_]+) value=(-|[0-9.]+) bar=(-|[0-9.]+|([^ ]+\\.json):[0-9.]+) "
          "better=(more|less) part=(validation|test)( .*)?");
      ASSERT_TRUE(std::regex_match(line, found, form)) << name << ": " << line;
      const Figure* figure = find_figure(known, found[2].str());
      ASSERT_TRUE(figure) << name << " measures " << found[2];
      EXPECT_EQ(figure->better == Better::higher ? "more" : "less", found[6].str()) << name;
      all_measured = all_measured && found[3] != "-";
    }
    EXPECT_GT(figures, 0) << name;
    EXPECT_EQ(page.find("not yet measured") != page.npos, !all_measured) << name;
  }
}

TEST(Recipes, AreFoundFromTheFirstScreen) {
  const std::string page = read_text(root / "README.md"), first = page.substr(0, page.find("\n## "));
  for (const char* link : {"](docs/attention.svg)", "(docs/which.md)", "(recipes/)", "$ ./quickstart", "$ ./check"}) {
    EXPECT_TRUE(says(first, link));
  }
}

TEST(Recipes, AreListed) {
  const Outcome outcome = run({.words = {root / "recipes/run", "--list"}});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const std::string& name : recipes()) EXPECT_TRUE(says(outcome.out, name + " "));
  EXPECT_TRUE(says(read_text(root / "recipes/README.md"), "```\n$ recipes/run --list\n" + outcome.out + "```\n"))
      << "the page shows the list";
  EXPECT_EQ(run({.words = {root / "recipes/run", "no-such-recipe"}, .environment = {"FOVEA=" FOVEA_BINARY}}).code, 2);
}

TEST(Recipes, WithoutTheirDataAreLeftOutWithAWord) {
  TemporaryFolder empty;
  const Outcome outcome = run({.words = {root / "recipes/run", "--smoke", "pronounce"},
                               .environment = {"FOVEA=" FOVEA_BINARY, "FOVEA_DATA=" + empty.path().string()}});
  EXPECT_EQ(outcome.code, 69) << outcome.err;
  EXPECT_TRUE(says(outcome.err, "pronounce: left out, there is no g2p-cmudict/train.tsv in "));
  EXPECT_TRUE(says(outcome.out, "0 recipes done, 1 left out, 0 failed"));
}

// recipes/run in a place of its own, with one recipe.
class OneRecipe {
 public:
  OneRecipe(std::string_view commands, std::string_view expected) {
    for (const char* name : {"recipes/run", "scripts/steps.sh"}) {
      std::filesystem::create_directories((folder_ / name).parent_path());
      std::filesystem::copy_file(root / name, folder_ / name);
    }
    std::filesystem::create_directories(folder_ / "recipes/one");
    folder_.write("recipes/one/commands", commands);
    folder_.write("recipes/one/expected", expected);
    program("[ \"$1\" = list ] && echo '  dates  made'");
  }

  const TemporaryFolder& folder() const { return folder_; }
  void program(const std::string& commands) const {
    folder_.write("program", "#!/bin/sh\n" + commands + "\n");
    std::filesystem::permissions(folder_ / "program", std::filesystem::perms::owner_all);
  }
  Outcome run(std::vector<std::string> words = {}, std::vector<std::string> environment = {}) const {
    words.insert(words.begin(), folder_ / "recipes/run");
    words.push_back("one");
    environment.insert(environment.end(),
                       {"FOVEA=program", "FOVEA_DATA=data"});  // as seen from the folder it is run in
    return fovea::run({.words = words, .environment = environment, .folder = folder_.path()});
  }

 private:
  TemporaryFolder folder_;
};

TEST(Recipes, EachFigureIsHeldAgainstItsBar) {
  const OneRecipe recipe(
      "echo '{\"exact\":0.9,\"perplexity\":30}' >result.json\n"
      "echo '{\"exact\":0.7,\"perplexity\":2e+1}' >other.json\n",
      "metric=exact value=0.88 bar=0.90 better=more\n"
      "file=other.json metric=exact value=- bar=0.75 better=more\n"
      "metric=exact value=- bar=other.json:0.15 better=more\n"
      "metric=exact value=- bar=other.json:0.25 better=more\n"
      "metric=perplexity value=- bar=other.json:0 better=less\n"
      "file=other.json metric=perplexity value=- bar=result.json:1 better=less\n"
      "file=other.json metric=perplexity value=- bar=- better=less\n");
  const Outcome outcome = recipe.run();
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(
      outcome.out,
      "one: exact 0.9000, expected 0.8800 (+0.0200); the bar of 0.90 is reached\n"
      "one: other.json exact 0.7000, not yet measured before; the bar of 0.75 is missed\n"
      "one: exact 0.9000, not yet measured before; the bar of 0.8500 (other.json +0.15) is reached\n"
      "one: exact 0.9000, not yet measured before; the bar of 0.9500 (other.json +0.25) is missed\n"
      "one: perplexity 30.0000, not yet measured before; the bar of 20.0000 (other.json +0) is missed\n"
      "one: other.json perplexity 20.0000, not yet measured before; the bar of 29.0000 (result.json -1) is reached\n"
      "one: other.json perplexity 20.0000, not yet measured before\n"
      "1 recipe done, 0 left out, 0 failed\n");
}

TEST(Recipes, WhatIsExpectedMustBeThere) {
  for (const char* expected : {"metric=cer value=- bar=-\n", "file=other.json metric=exact value=- bar=-\n",
                               "metric=exact value=- bar=other.json:0\n"}) {
    const OneRecipe recipe("echo '{\"exact\":0.9}' >result.json\n", expected);
    for (const std::vector<std::string>& words : {std::vector<std::string>{}, {"--smoke"}}) {
      const Outcome outcome = recipe.run(words);
      EXPECT_EQ(outcome.code, 1) << expected;
      EXPECT_TRUE(says(outcome.err, "where it is expected"));
    }
  }
}

// Whoever names a recipe wants it run. A smoke run of all of them takes those whose data are there.
TEST(Recipes, OneThatWasNamedAndIsLeftOutIsNoSuccess) {
  const OneRecipe recipe("part lines lines\necho '{\"exact\":1}' >result.json\n", "metric=exact\n");
  for (const std::vector<std::string>& words : {std::vector<std::string>{}, {"--smoke"}}) {
    const Outcome outcome = recipe.run(words);
    EXPECT_EQ(outcome.code, 69) << outcome.err;
    EXPECT_TRUE(says(outcome.err, "one: left out, there is no lines in "));
    EXPECT_TRUE(says(outcome.out, "0 recipes done, 1 left out, 0 failed"));
  }
  const Outcome all = run({.words = {recipe.folder() / "recipes/run", "--smoke"},
                           .environment = {"FOVEA=program", "FOVEA_DATA=data"},
                           .folder = recipe.folder().path()});
  EXPECT_EQ(all.code, 0) << all.err;
  EXPECT_TRUE(says(all.out, "0 recipes done, 1 left out, 0 failed"));
}

TEST(Recipes, PathsAreThoseOfWhoeverRunsThem) {
  const OneRecipe recipe("made a.tsv dates 5 1\npart lines.txt b.txt\necho '{\"exact\":1}' >result.json\n",
                         "metric=exact\n");
  std::filesystem::create_directories(recipe.folder() / "data");
  recipe.folder().write("data/lines.txt", "a\n");
  recipe.program("echo '  dates  made'");
  EXPECT_EQ(recipe.run().code, 0);
  EXPECT_EQ(read_text(recipe.folder() / "runs/recipes/one/b.txt"), "a\n");
}

TEST(Recipes, LeftOutThoughTheirDataAreThereFailASmokeRun) {
  const OneRecipe recipe("made a.tsv series 5 1\necho '{\"exact\":1}' >result.json\n", "metric=exact\n");
  EXPECT_TRUE(says(recipe.run().out, "0 recipes done, 1 left out, 0 failed"));
  const Outcome outcome = recipe.run({"--smoke"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(says(outcome.err, "one: cannot be tried, this build has no series among its makers"));
  recipe.program("exit 3");
  EXPECT_TRUE(says(recipe.run().err, "does not run"));
  EXPECT_EQ(recipe.run().code, 1);
}

// All that a bare system has not and a recipe needs is among the packages of ./check.
TEST(Recipes, AreUnpackedByWhatCheckInstalls) {
  const OneRecipe recipe("part lines lines\necho '{\"exact\":1}' >result.json\n", "metric=exact\n");
  std::filesystem::create_directories(recipe.folder() / "data");
  std::filesystem::create_directories(recipe.folder() / "bin");
  recipe.folder().write("data/lines.xz", "");
  for (const auto& entry : std::filesystem::directory_iterator("/usr/bin")) {
    if (entry.path().filename() != "xz")
      std::filesystem::create_symlink(entry, recipe.folder() / "bin" / entry.path().filename().string());
  }
  const std::string path = "PATH=" + (recipe.folder() / "bin").string();
  EXPECT_TRUE(says(recipe.run({}, {path}).err, "one: left out, xz is not installed (Debian: xz-utils)"));
  const Outcome outcome = recipe.run({"--smoke"}, {path});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(says(outcome.err, "one: cannot be tried, xz is not installed (Debian: xz-utils)"));
  EXPECT_TRUE(says(read_text(root / "scripts/install_packages"), " xz-utils)"));
}

TEST(Recipes, DataMayBePackedOrNot) {
  const OneRecipe recipe("part lines lines\necho \"{\\\"exact\\\":$(cat lines)}\" >result.json\n",
                         "metric=exact value=- bar=0.5 better=more\n");
  std::filesystem::create_directories(recipe.folder() / "data");
  recipe.folder().write("data/lines", "0.25\n");
  EXPECT_TRUE(says(recipe.run().out, "exact 0.25"));
}

TEST(Recipes, AnArchiveIsUnpackedWholeAlsoAfterAStop) {
  const OneRecipe recipe("archive sounds.tar sounds\necho '{\"exact\":1}' >result.json\n", "metric=exact\n");
  std::filesystem::create_directories(recipe.folder() / "data");
  std::filesystem::create_directories(recipe.folder() / "runs/recipes/one/sounds.part");
  recipe.folder().write("runs/recipes/one/sounds.part/old", "");
  recipe.folder().write("a.wav", "sound");
  ASSERT_EQ(run({.words = {"/usr/bin/tar", "-cf", "data/sounds.tar", "a.wav"}, .folder = recipe.folder().path()}).code,
            0);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(recipe.run().code, 0);
  EXPECT_EQ(read_text(recipe.folder() / "runs/recipes/one/sounds/a.wav"), "sound");
  EXPECT_FALSE(std::filesystem::exists(recipe.folder() / "runs/recipes/one/sounds/old"));
  recipe.folder().write("data/sounds.tar", "no archive");
  std::filesystem::remove_all(recipe.folder() / "runs/recipes/one/sounds");
  EXPECT_EQ(recipe.run().code, 1);
  EXPECT_FALSE(std::filesystem::exists(recipe.folder() / "runs/recipes/one/sounds"));
}

// What was stopped early has no film, and is measured all the same.
TEST(Recipes, OneStoppedBeforeAValidationIsCompared) {
  const OneRecipe recipe(
      "fovea train data.tsv -o model\nmkdir -p model\necho '{\"exact\":0.9}' >result.json\n"
      "fovea show model --film --svg film.svg\n",
      "metric=exact value=0.8 bar=-\n");
  recipe.program("[ \"$1\" != show ] || exit 2");
  const Outcome outcome = recipe.run({}, {"FOVEA_STOP_AFTER=5u"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(says(outcome.err, "one: stopped before the first validation of model, which has no film to show"));
  EXPECT_TRUE(says(outcome.out, "one: exact 0.9000, expected 0.8000 (+0.1000)"));
  EXPECT_EQ(recipe.run().code, 1) << "one that was not stopped has a film";
}

TEST(Recipes, SlowOneIsRunOnASliver) {
  const Outcome outcome =
      run({.words = {root / "recipes/run", "--smoke", "dates"}, .environment = {"FOVEA=" FOVEA_BINARY}});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(says(outcome.out, "1 recipe done, 0 left out, 0 failed"));
}

}  // namespace
}  // namespace fovea::recipes_test
