// Every recipe has what a recipe needs, and its settings are ones that there are. recipes/run --smoke runs them.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

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
    EXPECT_TRUE(page.find("https://") != page.npos || commands.find("made ") != commands.npos)
        << name << ": where are its data from?";
    EXPECT_TRUE(says(which, "(../recipes/" + name + "/README.md)"));
    Config config;
    EXPECT_NO_THROW(read_toml(config, read_text(folder / "recipe.toml"), name)) << name;
    std::smatch found;
    const std::string expected = read_text(folder / "expected");
    const std::regex form(
        "metric=([a-z0-9_]+) value=(-|[0-9.]+) bar=(-|[0-9.]+) better=(more|less) part=(validation|test)( .*)?\n");
    ASSERT_TRUE(std::regex_match(expected, found, form)) << name << ": " << expected;
    const Figure* figure = find_figure(known, found[1].str());
    ASSERT_TRUE(figure) << name << " measures " << found[1];
    EXPECT_EQ(figure->better == Better::higher ? "more" : "less", found[4].str()) << name;
    EXPECT_EQ(page.find("not yet measured") != page.npos, found[2] == "-") << name;
  }
}

TEST(Recipes, AreListed) {
  const Outcome outcome = run({.words = {root / "recipes/run", "--list"}});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const std::string& name : recipes()) EXPECT_TRUE(says(outcome.out, name + " "));
  EXPECT_EQ(run({.words = {root / "recipes/run", "no-such-recipe"}, .environment = {"FOVEA=" FOVEA_BINARY}}).code, 2);
}

TEST(Recipes, WithoutTheirDataAreLeftOutWithAWord) {
  TemporaryFolder empty;
  const Outcome outcome = run({.words = {root / "recipes/run", "--smoke", "pronounce"},
                               .environment = {"FOVEA=" FOVEA_BINARY, "FOVEA_DATA=" + empty.path().string()}});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(says(outcome.err, "pronounce: left out, there is no g2p-cmudict/train.tsv.xz"));
  EXPECT_TRUE(says(outcome.out, "0 recipes done, 1 left out, 0 failed"));
}

TEST(Recipes, SlowOneIsRunOnASliver) {
  const Outcome outcome =
      run({.words = {root / "recipes/run", "--smoke", "dates"}, .environment = {"FOVEA=" FOVEA_BINARY}});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(says(outcome.out, "1 recipe done, 0 left out, 0 failed"));
}

}  // namespace
}  // namespace fovea::recipes_test
