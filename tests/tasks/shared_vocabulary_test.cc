// One tokenizer and one vocabulary for both sides.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "tasks/defaults.h"
#include "tasks/task.h"

namespace fovea::shared_vocabulary_test {
namespace {

const std::vector<Example> examples = {{"low lower low", "tief tiefer", "", 1}, {"lower", "low", "", 2}};

Config shared(const std::string& tokenizer, const std::vector<std::string>& more = {}) {
  Config config;
  config.shared_vocabulary = true;
  config.source.tokenizer = config.target.tokenizer = tokenizer;
  for (const std::string& setting : more) set_field(config, setting);
  return config;
}

std::string refused(const Config& config) {
  try {
    Task(config, examples);
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::usage);
    return e.what();
  }
  return "not refused";
}

TEST(SharedVocabulary, IsLearnedFromBothSides) {
  const Task task(shared("word"), examples);
  EXPECT_EQ(task.source().to_json(), task.target().to_json());
  EXPECT_EQ(task.target().size(), Vocabulary::first_symbol + 4);
  EXPECT_EQ(task.target().text(Vocabulary::first_symbol), "low") << "three times";
  EXPECT_EQ(task.encode_source("tief").sources[0].symbols, task.encode_target("tief"));
  EXPECT_EQ(task.learned().lengths->longest_source, 3);
  EXPECT_EQ(task.learned().lengths->longest_target, 2);
}

TEST(SharedVocabulary, HasOneTokenizer) {
  const Task task(shared("pieces:14"), examples);
  EXPECT_EQ(task.sources()[0]->learned().at("tokenizer"), task.target_tokenizer().learned());
  EXPECT_EQ(task.source().to_json(), task.target().to_json());
}

TEST(SharedVocabulary, IsExtendedOnBothSides) {
  const Task known(shared("word"), examples);
  const std::vector<Example> more = {{"new", "neu neu", "", 1}};
  const Task task(shared("word"), more, nullptr, &known.learned());
  EXPECT_EQ(task.source().to_json(), task.target().to_json());
  EXPECT_EQ(task.target().size(), known.target().size() + 2);
  EXPECT_EQ(task.target().text(known.target().size()), "neu");
}

TEST(SharedVocabulary, IsRefusedWhereSidesDiffer) {
  EXPECT_EQ(refused(shared("word")), "not refused");
  EXPECT_EQ(refused(shared("word", {"target.tokenizer=char"})),
            "shared_vocabulary = true: source.tokenizer = word, but target.tokenizer = char; give both the same");
  EXPECT_NE(refused(shared("word", {"target.min_count=2"})).find("source.min_count = 1"), std::string::npos);
  EXPECT_NE(refused(shared("word", {"source.kind=vectors"})).find("only a text has what a target has"),
            std::string::npos);
}

TEST(SharedVocabulary, SettingsAreChosenForBoth) {
  std::vector<Example> many;
  for (int i = 0; i < 50; ++i) many.push_back({"a b c d e f g", "some text", "", i + 1});
  const auto give = [](Config& config) { config.shared_vocabulary = true; };
  const ResolvedConfig resolved = resolve_config(give, many);
  EXPECT_EQ(resolved.config.source.tokenizer, resolved.config.target.tokenizer);
  EXPECT_EQ(resolved.choices[0].name, "source.tokenizer, target.tokenizer");
}

}  // namespace
}  // namespace fovea::shared_vocabulary_test
