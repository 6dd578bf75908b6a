// Tasks other than turning text into text: what their examples are, what they refuse, and that they are learned.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/utf8.h"
#include "inference/predictor.h"
#include "support/temporary_folder.h"
#include "tasks/batching.h"
#include "tasks/explaining.h"
#include "tasks/task.h"
#include "training/tiny_run.h"

namespace fovea::kinds_test {
namespace {

Config with(const std::vector<std::string>& settings) {
  Config config = tiny_config();
  for (const std::string& setting : settings) set_field(config, setting);
  return config;
}

std::string refusal(const std::vector<std::string>& settings) {
  try {
    check_task(with(settings));
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::usage);
    return e.what();
  }
  return "";
}

const std::vector<std::string> classify = {"task=classify", "target.tokenizer=whole"};
const std::vector<std::string> locate = {"task=locate", "target.tokenizer=whole", "generator.kind=pointer"};
const std::vector<std::string> language_model = {"task=language_model", "columns=target", "decoder.style=plain",
                                                 "decoder.bridge=zero"};

std::vector<std::string> and_also(std::vector<std::string> settings, const std::vector<std::string>& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

TEST(Classify, ALabelIsOneSymbolAndNothingFollows) {
  const Task task(with(classify), std::vector<Example>{{"ab", "very good", "", 1}, {"b", "bad", "", 2}});
  const Encoding one = task.encode({"ab", "very good", "", 1}), two = task.encode({"a", "bad", "", 2});
  EXPECT_EQ(one.target, (Symbols{task.target().encode("very good")}));
  EXPECT_EQ(task.steps(one.target.size()), 1);
  EXPECT_EQ(task.max_steps(one.source), 1);
  Batch batch;
  const std::vector<const Encoding*> rows = {&one, &two};
  fill_batch(task, rows, batch);
  EXPECT_EQ(batch.previous.ids, (Symbols{Vocabulary::start, Vocabulary::start}));
  EXPECT_EQ(batch.targets.ids, (Symbols{one.target[0], two.target[0]}));
  EXPECT_EQ(task.target_text(one.target, one.source), "very good");
}

TEST(Locate, PositionsStandForTheirNumbers) {
  const Task task(with(locate), std::vector<Example>{{"abc", "2", "", 1}, {"ab", "1", "", 2}});
  const Encoding encoding = task.encode({"xyzw", "4", "", 1});
  const auto known = [&](const char* number) { return task.target().encode(number); };
  ASSERT_EQ(encoding.source.copies.size(), 5u);
  EXPECT_EQ(encoding.source.copies[0], known("1"));
  EXPECT_EQ(encoding.source.copies[1], known("2"));
  EXPECT_EQ(encoding.source.copies[2], task.target().size()) << "a number that training did not have";
  EXPECT_EQ(encoding.source.copies[3], task.target().size() + 1);
  EXPECT_EQ(encoding.source.copies[4], Vocabulary::stop);
  EXPECT_EQ(encoding.target, (Symbols{task.target().size() + 1}));
  EXPECT_EQ(task.target_text(encoding.target, encoding.source), "4");
}

TEST(Locate, ATargetThatIsNoPositionIsRefused) {
  const Task task(with(locate), std::vector<Example>{{"abc", "2", "", 1}});
  for (const char* target : {"0", "4", "x", "01", "+1", "2 ", "-1", "99999999999"}) {
    try {
      task.encode({"abc", target, "", 7});
      ADD_FAILURE() << target;
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::data);
      EXPECT_EQ(std::string(e.what()).substr(0, 7), "line 7:") << e.what();
    }
  }
}

TEST(LanguageModel, ReadsNothingAndGoesOnWithAPrefix) {
  const Task task(with(language_model), std::vector<Example>{{"", "abab", "", 1}});
  const Encoding encoding = task.encode({"", "ab", "", 1});
  EXPECT_TRUE(encoding.source.sources.empty());
  EXPECT_FALSE(encoding.source.empty()) << "there is something to ask";
  EXPECT_EQ(encoding.source.positions(), 0);
  EXPECT_EQ(encoding.target.size(), 2u);
  Reading begun = task.encode_source("");
  begun.prefix = task.encode_target("aba");
  EXPECT_EQ(task.max_steps(begun), 4 + 3 + 1) << "as long as the longest line, after the prefix";
}

TEST(Tasks, RefuseWhatDoesNotSuitThem) {
  EXPECT_EQ(refusal(classify), "");
  EXPECT_EQ(refusal(locate), "");
  EXPECT_EQ(refusal(language_model), "");
  EXPECT_EQ(refusal({"columns=source,source2,target"}), "");
  EXPECT_NE(refusal({"task=classify"}), "") << "characters";
  EXPECT_NE(refusal(and_also(classify, {"objective.agreement=1"})), "");
  EXPECT_NE(refusal(and_also(classify, {"objective.supervised=1"})), "");
  EXPECT_NE(refusal(and_also(classify, {"attention.select=actions"})), "");
  EXPECT_NE(refusal({"task=language_model"}), "") << "a column too many";
  EXPECT_NE(refusal({"columns=target"}), "") << "a column too few";
  EXPECT_NE(refusal(and_also(language_model, {"decoder.style=luong"})), "");
  EXPECT_NE(refusal(and_also(language_model, {"decoder.bridge=last"})), "");
  EXPECT_NE(refusal(and_also(language_model, {"generator.kind=copynet"})), "");
  EXPECT_EQ(refusal(and_also(language_model, {"generator.kind=sentinel"})), "");
  EXPECT_NE(refusal({"source.kind=vectors", "generator.kind=copynet"}), "");
  EXPECT_NE(refusal({"source.kind=vectors", "objective.agreement=1"}), "");
  EXPECT_NE(refusal({"source.kind=vectors", "generator.kind=lexicon_bias"}), "");
  for (const char* setting : {"encoder.rationale=true", "columns=target,alignment"}) {
    EXPECT_NE(refusal(and_also(language_model, {setting})), "") << setting;
  }
  EXPECT_NE(refusal(and_also(language_model, {"decoder.kind=transformer", "attention.select=actions"})), "");
  EXPECT_NE(refusal(and_also(language_model, {"generator.kind=sentinel", "training.scheduled_sampling=0.1"})), "");
  for (const char* setting : {"objective.agreement=1", "encoder.rationale=true", "attention.select=actions",
                              "generator.kind=lexicon_mix", "encoder.kind=structured"}) {
    EXPECT_NE(refusal({"columns=source,source2,target", setting}), "") << setting;
  }
}

// ---- learned, saved, opened, answered

struct Learned {
  explicit Learned(const std::vector<std::string>& settings, const std::vector<Example>& examples, int updates = 150) {
    const Config config = with(settings);
    Files files;
    Observer nobody;
    const std::span<const Example> all = examples;
    const std::size_t part = examples.size() * 4 / 5;
    const TrainingData data = {{all.begin(), all.begin() + static_cast<std::ptrdiff_t>(part)},
                               {all.begin() + static_cast<std::ptrdiff_t>(part), all.end()}};
    Trainer trainer(config, data, {.folder = folder.path(), .stop_after = {updates, Period::Unit::updates}}, files,
                    nobody);
    trainer.run();
    loss = trainer.progress().best_loss;
    single = trainer.loss_of_single_symbols();
    predictor.emplace(folder.path(), 1);
  }

  std::string answer(const std::string& line) { return predictor->predict(std::vector{line}, {})[0].output.text; }

  TemporaryFolder folder;
  double loss = 0;
  double single = 0;
  std::optional<Predictor> predictor;
};

std::string word_of(std::uint64_t seed, int letters) {
  std::string word;
  const Random random = Random(seed, Purpose::data);
  const std::uint64_t length = 3 + random.below(4, 0);
  for (std::uint64_t i = 1; i <= length; ++i) {
    word += static_cast<char>('a' + random.below(static_cast<std::uint64_t>(letters), i));
  }
  return word;
}

TEST(Classify, IsLearned) {
  std::vector<Example> examples;
  for (std::uint64_t i = 0; i < 300; ++i) {
    const std::string word = word_of(i, 6);
    examples.push_back({word, word[0] < 'd' ? "the first half" : "the rest", "", 1});
  }
  Learned model(classify, examples);
  EXPECT_EQ(model.answer("abca"), "the first half");
  EXPECT_EQ(model.answer("fbca"), "the rest");
  const auto both = model.predictor->predict(std::vector<std::string>{"abca"},
                                             {.answer = {.search = {.beam = 2, .nbest = 2, .alternatives = 2}}});
  ASSERT_EQ(both[0].output.nbest.size(), 2u) << "every label, best first";
  EXPECT_TRUE(both[0].output.finished);
  EXPECT_NEAR(std::exp(both[0].output.nbest[0].score) + std::exp(both[0].output.nbest[1].score), 1, 0.02);
  ASSERT_EQ(both[0].output.steps.size(), 1u);
  EXPECT_EQ(both[0].output.left_out.steps, 0u);
}

TEST(Locate, IsLearnedAndKnowsLongerSources) {
  std::vector<Example> examples;
  for (std::uint64_t i = 0; i < 400; ++i) {
    std::string word = word_of(i, 6);
    const std::size_t at = i % word.size();
    word[at] = 'z';
    examples.push_back({word, std::to_string(at + 1), "", 1});
  }
  Learned model(locate, examples);
  EXPECT_EQ(model.answer("abzd"), "3");
  EXPECT_EQ(model.answer("zbcd"), "1");
  EXPECT_EQ(model.answer("abcdefabzd"), "9") << "no number of the training data";
}

TEST(LanguageModel, IsJudgedByItsLossAlone) {
  Files files;
  Observer nobody;
  TemporaryFolder folder;
  const std::vector<Example> lines(4, {"", "ab", "", 1});
  EXPECT_THROW(Trainer(with(language_model), {lines, lines}, {.folder = folder.path()}, files, nobody), Error)
      << "training.metric is exact";
}

TEST(LanguageModel, IsLearnedAndGoesOn) {
  std::vector<Example> examples;
  for (int i = 0; i < 100; ++i) examples.push_back({"", i % 2 ? "abcabc" : "xyzxyz", "", 1});
  for (const char* generator : {"softmax", "sentinel"}) {
    Learned model(and_also(language_model, {std::string("generator.kind=") + generator, "training.metric=loss"}),
                  examples, 100);
    EXPECT_LT(model.loss, 0.5 * model.single) << generator;
    EXPECT_EQ(model.answer("ab"), "abcabc") << generator;
    EXPECT_EQ(model.answer("xyzx"), "xyzxyz") << generator;
    EXPECT_FALSE(model.answer("").empty()) << "from nothing";
  }
}

// Words it does not know, capital letters and how marks stand: what was given comes back, whatever the model reads of
// it.
TEST(LanguageModel, APromptStaysAsItWasGiven) {
  const std::vector<Example> examples(40, {"", "the fox sold the violin", "", 1});
  const auto settings = [](const std::string& tokenizer) {
    return and_also(language_model, {"target.tokenizer=" + tokenizer, "target.normalise=lower,punctuation",
                                     "training.metric=loss", "training.dropout=0"});
  };
  Learned words(settings("word"), examples, 200);
  EXPECT_EQ(words.answer("The fox"), "The fox sold the violin");
  EXPECT_TRUE(words.answer("the Prince sold, the").starts_with("the Prince sold, the "));
  EXPECT_EQ(words.answer("The fox  sold the violin"), "The fox  sold the violin");
  const PredictOptions drawn = {.answer = {.search = {.beam = 4, .nbest = 4, .sample = 2, .alternatives = 2}}};
  const Output output = words.predictor->predict(std::vector<std::string>{"a Dog,"}, drawn)[0].output;
  for (const Hypothesis& one : output.nbest) {
    EXPECT_TRUE(one.text.starts_with("a Dog,")) << one.text;
    EXPECT_EQ(one.text.find("<unk>"), std::string::npos) << one.text;
  }
  ASSERT_GE(output.steps.size(), 3u);
  EXPECT_EQ(output.steps[1].token, "dog");
  EXPECT_EQ(output.steps[2].token, ",");
  Learned letters(settings("char"), examples, 200);
  EXPECT_EQ(letters.answer("THE f"), "THE fox sold the violin");
  EXPECT_EQ(letters.answer("the fox\x1b["), printable(letters.answer("the fox\x1b["))) << "nothing steers a terminal";
}

TEST(Vectors, AreLearned) {
  std::vector<Example> examples;
  for (std::uint64_t i = 0; i < 300; ++i) {
    const Random random = Random(i, Purpose::data);
    std::string rows, target;
    for (std::uint64_t t = 0; t < 2 + i % 2; ++t) {
      const double x = random.uniform(t) - 0.5;
      rows += fmt::format("{}{:.3f} 7", t == 0 ? "" : "; ", x);
      target += x > 0 ? 'p' : 'n';
    }
    examples.push_back({rows, target, "", 1});
  }
  Learned model({"source.kind=vectors"}, examples, 300);
  EXPECT_EQ(model.answer("0.4 7; -0.4 7"), "pn");
  EXPECT_EQ(model.answer("-0.4 7; 0.4 7; 0.4 7"), "npp");
}

TEST(Vectors, ALineThatCannotBeReadCostsNoOther) {
  const std::vector<Example> examples(20, {"1 2; 3 4", "a", "", 1});
  Learned model({"source.kind=vectors"}, examples, 5);
  const auto found = model.predictor->predict(std::vector<std::string>{"1 2", "1 2 3", "no_such_file.npy", "3 4"}, {});
  EXPECT_EQ(found[0].status, LineStatus::answered);
  EXPECT_EQ(found[1].status, LineStatus::unreadable);
  EXPECT_EQ(found[2].status, LineStatus::unreadable);
  EXPECT_NE(found[2].problem.find("no_such_file.npy"), std::string::npos);
  EXPECT_EQ(found[2].output.text, "");
  EXPECT_EQ(found[3].status, LineStatus::answered);
}

TEST(SeveralSources, AreLearnedJoinedInEveryWay) {
  std::vector<Example> examples;
  for (std::uint64_t i = 0; i < 300; ++i) {
    const std::string one = word_of(2 * i, 4), two = word_of(2 * i + 1, 4);
    examples.push_back({one, std::string() + one[0] + two[0], "", 1, {}, {two}});
  }
  for (const char* join : {"flat", "concatenate", "hierarchical"}) {
    Learned model({"columns=source,source2,target", std::string("join=") + join, "training.dropout=0"}, examples, 400);
    EXPECT_LT(model.loss, 0.5 * model.single) << join << ": either source alone gives no more than half";
    const Output shown =
        model.predictor->predict(std::vector<std::string>{"ab\tcdb"}, {.answer = {.search = {.alternatives = 1}}})[0]
            .output;
    ASSERT_EQ(shown.source.size(), 7u) << "both, each with its end";
    EXPECT_EQ(shown.source[0].source, 0);
    EXPECT_EQ(shown.source[3].source, 1);
    EXPECT_EQ(shown.source[3].text, "c");
  }
}

TEST(Vectors, AreClosedByARowOfZeros) {
  const std::vector<Example> examples = {{"1 2; 3 4", "a", "", 1}, {"5 6", "a", "", 2}};
  const Task task(with({"source.kind=vectors"}), examples);
  const Encoding one = task.encode(examples[0]), two = task.encode(examples[1]);
  Batch batch;
  const std::vector<const Encoding*> rows = {&one, &two};
  fill_batch(task, rows, batch);
  EXPECT_EQ(batch.source.real, (std::vector<std::uint8_t>{1, 1, 1, 1, 1, 0}));
  ASSERT_EQ(batch.source.values.size(), 12u);
  for (std::size_t i = 8; i < 12; ++i) EXPECT_EQ(batch.source.values[i], 0) << i;
  EXPECT_EQ(static_cast<float>(batch.source.values[2]), two.source.sources[0].rows[0]);
}

TEST(SeveralSources, ModelsThatReadOneOfThemOtherwiseDoNotAnswerAsOne) {
  std::vector<Example> examples;
  for (int i = 0; i < 20; ++i) examples.push_back({"ab", "x", "", 1, {}, {i % 2 ? "a" : "b"}});
  const std::vector<std::string> two = {"columns=source,source2,target"};
  Learned text(two, examples, 2), again(and_also(two, {"training.seed=2"}), examples, 2);
  Learned tags(and_also(two, {"source2.kind=features"}), examples, 2);
  EXPECT_NO_THROW(Predictor({text.folder.path(), again.folder.path()}, 1));
  EXPECT_THROW(Predictor({text.folder.path(), tags.folder.path()}, 1), Error) << "though their symbols are the same";
}

TEST(SeveralSources, LinesInMemoryHaveAColumnForEach) {
  const Pairs pairs = check_pairs({{"a", "x", "", 0, {}, {"b"}}, {"c", "y", "", 0, {}, {"d"}}}, "lines", {});
  EXPECT_EQ(pairs.columns, (std::vector<std::string>{"source", "target", "source2"}));
  EXPECT_EQ(check_pairs({{"", "x", "", 0}}, "lines", {}).columns, (std::vector<std::string>{"target"}));
  EXPECT_THROW(check_pairs({{"a", "x", "", 0, {}, {"b"}}, {"c", "y", "", 0}}, "lines", {}), Error)
      << "one lacks its second";
}

TEST(Frozen, VectorsDoNotDecay) {
  Files files;
  Observer nobody;
  TemporaryFolder folder;
  const std::vector<Example> lines(4, {"ab", "ab", "", 1});
  EXPECT_THROW(Trainer(with({"encoder.frozen=true", "training.weight_decay=0.1"}), {lines, lines},
                       {.folder = folder.path()}, files, nobody),
               Error);
}

}  // namespace
}  // namespace fovea::kinds_test
