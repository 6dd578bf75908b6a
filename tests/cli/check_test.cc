// `fovea check`: what it says of data, and that its exit code is what training would have.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/process.h"
#include "support/temporary_folder.h"

namespace fovea::check_test {
namespace {

using nlohmann::json;

TEST(CheckCommand, SoundData) {
  TemporaryFolder folder;
  const std::string file = folder.write("data.tsv", "one\teins\ntwo\tzwei\nthree\tdrei\n");
  const Outcome outcome = run(fovea({"check", file}));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(says(outcome.out, "3 lines, 3 of them usable; columns source,target"));
  EXPECT_TRUE(says(outcome.out, "nothing to complain of"));
  EXPECT_TRUE(says(outcome.out, "looks like task = transduce"));
  EXPECT_TRUE(says(outcome.out, "source.tokenizer = char"));
}

TEST(CheckCommand, TheExitCodeIsThatOfTraining) {
  TemporaryFolder folder;
  for (const char* text : {"one\teins\nalone\n", "one\teins\nx\t\n", "one\teins\n\xFF\tx\n", "",
                           "one\teins\ntwo\tzwei\n", "one\teins\n\none\teins\ntwo\tzwei\n"}) {
    const std::string file = folder.write("data.tsv", text);
    const int wanted = run(fovea({"train", file, "-o", folder / "run", "--fresh", "--stop-after", "1u"})).code;
    EXPECT_EQ(run(fovea({"check", file})).code, wanted) << text;
    const bool none = std::string_view(text).empty();
    EXPECT_EQ(run(fovea({"check", file, "--on-bad-line", "skip"})).code, none ? 3 : 0) << text;
    EXPECT_EQ(run(fovea({"check", file, "--json"})).code, wanted) << text;
  }
}

TEST(CheckCommand, AsJson) {
  TemporaryFolder folder;
  const std::string file = folder.write("data.tsv", "word\t3\nlonger\t6\nword\t3\n");
  const json found = json::parse(run(fovea({"check", file, "--dev", file, "--json"})).out);
  EXPECT_EQ(found.at("task"), "locate");
  EXPECT_EQ(found.at("settings").at("generator.kind"), "pointer");
  EXPECT_EQ(found.at("refused"), false);
  std::vector<std::string> what;
  for (const json& finding : found.at("findings")) what.push_back(finding.at("what"));
  EXPECT_NE(std::ranges::find(what, "duplicate"), what.end());
  EXPECT_NE(std::ranges::find(what, "overlap"), what.end());
}

TEST(CheckCommand, AGivenTaskIsNotGuessed) {
  TemporaryFolder folder;
  const std::string file = folder.write("data.tsv", "word\t3\nlonger\t6\n");
  const Outcome outcome = run(fovea({"check", file, "--set", "task=transduce"}));
  EXPECT_TRUE(says(outcome.out, "looks like task = locate"));
  EXPECT_TRUE(says(outcome.out, "would take for task = transduce"));
}

// A model that was told that case is nothing answers both alike, and is measured so.
TEST(Normalise, IsKeptInTheModel) {
  TemporaryFolder folder;
  std::string lines;
  for (const char* word : {"abc", "bca", "cab", "aab", "bbc", "cca", "ABC", "Bca", "cAB", "aaB"}) {
    lines += std::string(word) + "\t" + word + "\n";
  }
  const std::string file = folder.write("data.tsv", lines);
  const Outcome trained = run(fovea({"train", file, "-o", folder / "run", "--stop-after", "30u", "--set",
                                     "source.normalise=nfc,lower", "--set", "target.normalise=lower"}));
  ASSERT_EQ(trained.code, 0) << trained.err;
  const Outcome answers = run(fovea({"predict", folder / "run"}), "abc\nABC\n");
  const std::size_t half = answers.out.find('\n') + 1;
  EXPECT_EQ(answers.out.substr(0, half), answers.out.substr(half));
  const auto evaluated = [&](const char* text) {
    return run(fovea({"evaluate", folder / "run", folder.write("test.tsv", text), "--json"})).out;
  };
  EXPECT_EQ(evaluated("abc\tabc\n"), evaluated("ABC\tABC\n"));
  EXPECT_EQ(run(fovea({"show", folder / "run", "ABC"})).out, run(fovea({"show", folder / "run", "abc"})).out);
  EXPECT_EQ(run(fovea({"train", file, "-o", folder / "bad", "--set", "source.normalise=upper"})).code, 2);
}

}  // namespace
}  // namespace fovea::check_test
