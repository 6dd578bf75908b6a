#include "evaluation/mistakes.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "show/mistakes.h"
#include "training/tiny_run.h"

namespace fovea::mistakes_test {
namespace {

struct Asked {
  std::string source, target, answer, second = {};
};

Mistakes mistakes_of(const Task& task, const std::vector<Asked>& lines, const MeasureOptions& options = {}) {
  std::vector<Referenced> questions;
  std::vector<Prediction> predictions;
  for (const Asked& line : lines) {
    questions.push_back({line.source, {}, {line.target}, std::ssize(questions) + 1, 1});
    predictions.emplace_back();
    predictions.back().output = make_output(task, {line.source}, task.encode_source(line.source), {});
    predictions.back().output.text = line.answer;
    predictions.back().output.score = -0.5 * static_cast<double>(questions.size());
    if (line.second.empty()) continue;
    for (const std::string& text : {line.answer, line.second}) {
      predictions.back().output.nbest.emplace_back();
      predictions.back().output.nbest.back().text = text;
    }
  }
  return find_mistakes(task, questions, predictions, options);
}

Mistakes mistakes_of(const std::vector<Asked>& lines, const MeasureOptions& options = {}) {
  std::vector<Example> examples;
  for (int i = 0; i < 20; ++i) examples.push_back({"aaab", "ab", ""});
  examples.push_back({"z", "b", ""});
  return mistakes_of(Task(tiny_config(), examples), lines, options);
}

TEST(Mistakes, WorstFirstWithTheirEditsMarked) {
  const Mistakes found =
      mistakes_of({{"ab", "ab", "ab"}, {"ab", "abcd", "abd"}, {"ab", "ab", "xy"}, {"ab", "ab", "xz"}});
  EXPECT_EQ(found.sources, 4);
  ASSERT_EQ(found.wrong.size(), 3u);
  EXPECT_EQ(found.wrong[0].line, 3) << "two edits of two, and surer of it than the next";
  EXPECT_EQ(found.wrong[0].marked, "[x>a][y>b]");
  EXPECT_EQ(found.wrong[1].line, 4);
  EXPECT_EQ(found.wrong[2].marked, "ab[>c]d");
  EXPECT_EQ(found.wrong[2].edits, 1);
  ASSERT_FALSE(found.confusions.empty());
  EXPECT_EQ(found.confusions[0].wanted, "a");
  EXPECT_EQ(found.confusions[0].written, "x");
  EXPECT_EQ(found.confusions[0].count, 2);
}

TEST(Mistakes, ByLengthRarityAndWhatWasNeverSeen) {
  const Mistakes found = mistakes_of({{"a", "a", "a"}, {"az", "a", "b"}, {"aq", "a", "b"}, {"aaa", "a", "a"}});
  ASSERT_EQ(found.by_length.size(), 3u);
  EXPECT_EQ(found.by_length[1].name, "2");
  EXPECT_EQ(found.by_length[1].sources, 2);
  EXPECT_EQ(found.by_length[1].right, 0);
  ASSERT_EQ(found.by_unseen.size(), 2u);
  EXPECT_EQ(found.by_unseen[1].name, "1");
  EXPECT_EQ(found.by_unseen[1].sources, 1) << "q was never seen";
  ASSERT_EQ(found.by_rarest.size(), 1u) << "three symbols are among the ten commonest";
  EXPECT_EQ(found.by_rarest[0].sources, 4);
}

// Of positions, beside what guessing would reach, and the second best.
TEST(Mistakes, PositionsByLengthBesideChance) {
  const Config config = tiny_config({"task=locate", "target.tokenizer=whole", "generator.kind=pointer"});
  const Task task(config, std::vector<Example>{{"abcd", "2", ""}, {"ab", "1", ""}});
  const Mistakes found = mistakes_of(
      task, {{"abcd", "2", "2", "1"}, {"dcba", "3", "1", "3"}, {"bcda", "4", "1", "2"}, {"ab", "1", "1", "2"}});
  ASSERT_EQ(found.by_length.size(), 2u);
  EXPECT_EQ(found.by_length[1].sources, 3);
  EXPECT_EQ(found.by_length[1].right, 1);
  EXPECT_EQ(found.by_length[1].among, 2);
  EXPECT_DOUBLE_EQ(found.by_length[1].chance, 0.75);
  const std::string text = draw_mistakes(found);
  EXPECT_NE(text.find("right   share    top2  chance\n"), std::string::npos) << text;
  EXPECT_NE(text.find("   33.3%   66.7%   25.0%\n"), std::string::npos) << text;
}

// Which words of the targets are written, by how common they are: where a model knows many.
TEST(Mistakes, WordsThatAreWantedByHowCommonTheyAre) {
  std::vector<Example> examples;
  for (int i = 0; i < 1200; ++i) examples.push_back({"a", fmt::format("the w{}", i), ""});
  const Task task(tiny_config({"target.tokenizer=word"}), examples);
  const Mistakes found = mistakes_of(task, {{"a", "the the w1199", "the w1199"}, {"a", "the new", "the old"}});
  ASSERT_EQ(found.by_wanted.size(), 3u);
  EXPECT_EQ(found.by_wanted[0].name, "among the 10 commonest");
  EXPECT_EQ(found.by_wanted[0].sources, 3);
  EXPECT_EQ(found.by_wanted[0].right, 2) << "it is wanted twice and written once";
  EXPECT_EQ(found.by_wanted[1].right, 1);
  EXPECT_EQ(found.by_wanted[2].name, "unknown to the model");
  EXPECT_EQ(found.by_wanted[2].right, 0);
  EXPECT_TRUE(mistakes_of({{"a", "a", "a"}}).by_wanted.empty()) << "letters";
}

TEST(Mistakes, CaseIsNoneIfItDoesNotCount) {
  EXPECT_EQ(mistakes_of({{"a", "A", "a"}}).wrong.size(), 1u);
  EXPECT_TRUE(mistakes_of({{"a", "A", "a"}}, {.lowercase = true}).wrong.empty());
}

TEST(Mistakes, AreWrittenOneALine) {
  const std::string text = draw_mistakes(mistakes_of({{"a\tb", "ab", "b"}}));
  EXPECT_TRUE(text.starts_with(mistakes_beginning));
  EXPECT_NE(text.find("\n1\ta␉b\tb\tab\t-0.5000\t1\t[>a]b\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace fovea::mistakes_test
