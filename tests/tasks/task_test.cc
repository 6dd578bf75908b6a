#include "tasks/task.h"

#include "base/as_size.h"
#include "tasks/batching.h"
#include "tasks/explaining.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "data/temporary_file.h"

namespace fovea::task_test {
namespace {

const std::vector<Example> examples = {{"ab é", "日本 x", "", 1}, {"b a", "x y", "", 2}};

Task with_unit(const std::string& tokenizer) {
  Config config;
  config.source.tokenizer = config.target.tokenizer = tokenizer;
  return {config, examples};
}

class EveryTokenizer : public testing::TestWithParam<std::string> {};

TEST_P(EveryTokenizer, TextSurvivesTheRoundTrip) {
  const Task task = with_unit(GetParam());
  for (const Example& example : examples) {
    EXPECT_EQ(task.target_text(task.encode_target(example.target), {}), example.target);
  }
  EXPECT_EQ(task.target_text({}, {}), "");
  EXPECT_TRUE(task.encode_source("").empty());
}

TEST_P(EveryTokenizer, UnknownSymbolsBecomeTheUnknownSymbol) {
  const Task task = with_unit(GetParam());
  EXPECT_EQ(task.encode_source("☃").sources[0].symbols.back(), Vocabulary::unknown);
  EXPECT_EQ(task.encode_target("é").back(), Vocabulary::unknown);  // known on the other side only
}

// The tokens shown cover the source text, but for spaces between words, each where it stands.
TEST_P(EveryTokenizer, SourceTokensStandWhereTheyAre) {
  const Task task = with_unit(GetParam());
  const std::string text = " é☃ b  日a ";
  std::vector<std::string> characters = {" ", "é", "☃", " ", "b", " ", " ", "日", "a", " "};
  const Output output = make_output(task, {text}, task.encode_source(text), {});
  ASSERT_FALSE(output.source.empty());
  EXPECT_EQ(output.source.size(), task.encode_source(text).sources[0].symbols.size() + 1);
  int end = 0;
  for (std::size_t i = 0; i + 1 < output.source.size(); ++i) {
    const SourceToken& token = output.source[i];
    for (; end < token.start; ++end) EXPECT_EQ(characters[as_size(end)], " ") << end;
    std::string between;
    for (; end < token.end; ++end) between += characters[as_size(end)];
    const bool marked = token.text.starts_with(word_mark);
    if (token.text == word_mark) between.clear();  // stands for spaces
    EXPECT_EQ(marked ? token.text.substr(word_mark.size()) : token.text, between);
  }
  for (int c = end; c < std::ssize(characters); ++c) EXPECT_EQ(characters[as_size(c)], " ");
  EXPECT_EQ(output.source.back().text, "</s>");
  EXPECT_EQ(output.source.back().start, end);
  EXPECT_EQ(output.source.back().end, end);
}

INSTANTIATE_TEST_SUITE_P(Tokenizers, EveryTokenizer, testing::Values("char", "word", "pieces:12"),
                         [](const auto& info) { return info.param.substr(0, info.param.find(':')); });

TEST(Task, NoByteIsUnknownOnceItWasSeen) {
  const Task task = with_unit("bytes");
  EXPECT_EQ(task.target_text(task.encode_target("日本 x"), {}), "日本 x");
  EXPECT_EQ(task.encode_target("日").size(), 3u);
  const Output output = make_output(task, {"é"}, task.encode_source("é"), {});
  ASSERT_EQ(output.source.size(), 3u);
  EXPECT_EQ(output.source[1].text, "<A9>");
  EXPECT_EQ(output.source[1].start, 0);
  EXPECT_EQ(output.source[1].end, 1);
}

TEST(Task, TextThatLooksLikeASpecialSymbolIsNone) {
  const Task task = with_unit("word");
  for (const std::string text : {"<pad>", "<s>", "</s>"}) {
    EXPECT_EQ(task.encode_source(text).sources[0].symbols, Symbols{Vocabulary::unknown}) << text;
  }
}

TEST(Task, KeepsTheMostFrequentSymbols) {
  Config config;
  config.source.max_symbols = 2;
  const Task task(config, examples);  // a, b and the space twice each, é once: by code point the space and a
  EXPECT_EQ(task.source().size(), Vocabulary::first_symbol + 2);
  EXPECT_EQ(task.encode_source(" aé").sources[0].symbols, (Symbols{4, 5, Vocabulary::unknown}));
}

TEST(Task, LeavesOutRareSymbols) {
  Config config;
  config.source.min_count = 2;
  const Task task(config, examples);
  EXPECT_EQ(task.source().size(), Vocabulary::first_symbol + 3);
  EXPECT_EQ(task.encode_source("é").sources[0].symbols, (Symbols{Vocabulary::unknown}));
  EXPECT_EQ(task.target().size(), Task(Config(), examples).target().size());
  config.target.min_count = 1000;
  EXPECT_EQ(Task(config, examples).target().size(), Vocabulary::first_symbol);
}

TEST(Task, FramesABatch) {
  const Task task = with_unit("char");
  const Encoding one = {{{{{7, 8}, {}, 2}}}, {9}}, two = {{{{{6}, {}, 1}}}, {5, 4}};
  const std::vector<const Encoding*> rows = {&one, &two};
  Batch batch;
  fill_batch(task, rows, batch);
  constexpr int pad = Vocabulary::pad, start = Vocabulary::start, stop = Vocabulary::stop;
  EXPECT_EQ(batch.source.ids, (Symbols{7, 6, 8, stop, stop, pad}));
  EXPECT_EQ(batch.previous.ids, (Symbols{start, start, 9, 5, pad, 4}));
  EXPECT_EQ(batch.targets.ids, (Symbols{9, 5, stop, 4, pad, stop}));
}

TEST(Task, SearchNeverWritesSpecialSymbols) {
  const SearchSymbols options = with_unit("char").search_symbols();
  EXPECT_EQ(options.start, Vocabulary::start);
  EXPECT_EQ(options.stop, Vocabulary::stop);
  EXPECT_EQ(options.never, (Symbols{Vocabulary::pad, Vocabulary::unknown, Vocabulary::start}));
}

TEST(Task, ExplainsTheBestAnswer) {
  const Task task = with_unit("char");
  const auto x = task.encode_target("x")[0], y = task.encode_target("y")[0];
  StepExplanation first, last;
  first.probability = 0.7;
  first.alternatives = {{x, 0.7}, {y, 0.2}};
  first.looks = {
      {{{1, 2, 3, 0, 0}, {0.5, 0.25, 0.25, 0, 0}, 1.5}}};  // the batch is wider than "ab" and its stop symbol
  last.probability = 0.9;
  last.looks = first.looks;
  const std::vector<Answer> answers = {{{x}, -0.3, true, {first, last}}, {{y, y}, -0.8, true, {}}};
  const Output output = make_output(task, {"ab"}, task.encode_source("ab"), answers);
  EXPECT_EQ(output.source_text, "ab");
  EXPECT_EQ(output.text, "x");
  EXPECT_EQ(output.score, -0.3);
  ASSERT_EQ(output.nbest.size(), 2u);
  EXPECT_EQ(output.nbest[0].text, "x");
  EXPECT_EQ(output.nbest[1].text, "yy");
  EXPECT_EQ(output.nbest[1].score, -0.8);
  ASSERT_EQ(output.maps.size(), 1u);
  ASSERT_EQ(output.steps.size(), 2u);
  EXPECT_EQ(output.steps[0].token, "x");
  EXPECT_EQ(output.steps[0].probability, 0.7);
  ASSERT_EQ(output.steps[0].alternatives.size(), 2u);
  EXPECT_EQ(output.steps[0].alternatives[1].token, "y");
  EXPECT_EQ(output.steps[0].looks[0].scores, (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(output.steps[0].looks[0].weights, (std::vector<float>{0.5, 0.25, 0.25}));
  EXPECT_EQ(output.steps[0].looks[0].context_norm, 1.5);
  EXPECT_EQ(output.steps[1].token, "</s>");
}

constexpr int unknown = Vocabulary::unknown, stop = Vocabulary::stop, step = Vocabulary::first_symbol;

Config words_with(const std::vector<std::string>& settings) {
  Config config;
  config.source.tokenizer = config.target.tokenizer = "word";
  for (const std::string& setting : settings) set_field(config, setting);
  return config;
}

Batch batch_of(const Task& task, const std::vector<Example>& lines) {
  std::vector<Encoding> encoded;
  for (const Example& line : lines) encoded.push_back(task.encode(line));
  std::vector<const Encoding*> rows;
  for (const Encoding& encoding : encoded) rows.push_back(&encoding);
  Batch batch;
  fill_batch(task, rows, batch);
  return batch;
}

const std::vector<Example> animals = {{"red cat", "red chat", "", 1}, {"red red", "red", "", 2}};

TEST(Features, AreSymbolsOfTheirOwn) {
  const Task task(words_with({"columns=source,target,features"}), std::vector<Example>{{"a b", "x", "N;PL", 1}});
  ASSERT_TRUE(task.reads_features());
  const Reading ids = task.encode_source("b a", "PL,V|N");
  EXPECT_EQ(ids.size(), 2) << "they are no part of the source";
  ASSERT_EQ(ids.feature_symbols.size(), 3u);
  EXPECT_EQ(task.features().text(ids.feature_symbols[0]), "PL");
  EXPECT_EQ(ids.feature_symbols[1], unknown);
  EXPECT_EQ(task.features().text(ids.feature_symbols[2]), "N");
  EXPECT_EQ(task.encode({"b a", "x", "PL,V|N", 1}).source.feature_symbols, ids.feature_symbols);
  EXPECT_EQ(task.encode_source("N PL").sources[0].symbols, (Symbols{unknown, unknown})) << "a word is no feature";
  EXPECT_TRUE(task.encode_source("", "N").empty()) << "nothing to read";
  const Output output = make_output(task, {"b a"}, task.encode_source("b a", "PL"), {});
  ASSERT_EQ(output.source.size(), 3u);
  EXPECT_EQ(output.source[0].text, "b");
  EXPECT_EQ(output.source_text, "b a");
  EXPECT_EQ(output.features, "PL");
  EXPECT_EQ(output.read_text(), "b a PL");
}

TEST(Features, OfABatchAreFilledUpWithPads) {
  const Task task(words_with({"columns=source,target,features"}), std::vector<Example>{{"a b", "x", "N;PL", 1}});
  const int n = task.features().encode("N"), pl = task.features().encode("PL");
  const FeatureIds features =
      batch_of(task, {{"a", "x", "PL", 1}, {"b", "x", "", 2}, {"a", "x", "N;PL", 3}}).source.features;
  constexpr int pad = Vocabulary::pad;
  EXPECT_EQ(features.length, 2);
  EXPECT_EQ(features.batch, 3);
  EXPECT_EQ(features.ids, (Symbols{pl, pad, n, pad, pad, pl}));
  EXPECT_EQ(features.real, (std::vector<std::uint8_t>{1, 0, 1, 0, 0, 1}));
}

TEST(Features, OfAnotherColumnAreNotRead) {
  const Task reads(words_with({"columns=source,features,target"}), std::vector<Example>{{"a b", "x", "N;PL", 1}});
  const Task does_not(words_with({}), animals);
  EXPECT_EQ(does_not.encode({"cat", "red", "N", 1}).source.size(), 1);
  EXPECT_EQ(does_not.encode_source("cat", "N").features, "");
  EXPECT_EQ(reads.unknown_feature(reads.encode_source("a", "PL;N")), "");
  EXPECT_EQ(reads.unknown_feature(reads.encode_source("a", "PL;V;X")), "V");
  EXPECT_EQ(does_not.unknown_feature(does_not.encode_source("a", "V")), "");
  EXPECT_EQ(reads.columns().text(), "source,features,target");

  const auto refusal = [](const Task& task, const char* columns) -> std::string {
    try {
      task.check_columns(Columns::parse(columns));
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::usage);
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(refusal(reads, "features,source"), "");
  EXPECT_EQ(refusal(reads, "source,target"), "columns source,target: this model reads features; name their column");
  EXPECT_EQ(refusal(does_not, "source,skip,alignment"), "");
  EXPECT_EQ(refusal(does_not, "source,features"),
            "columns source,features: this model reads no features; call that column skip");
}

Reading reading_of(int symbols) { return {{SourceData{{}, {}, symbols}}}; }

TEST(Lengths, SayHowLongAnAnswerMayGet) {
  const Task one_to_many(words_with({}),
                         std::vector<Example>{{"a", std::string("x") + std::string(160, ' ') + "y", "", 1}});
  EXPECT_EQ(one_to_many.learned().lengths->longest_target, 2);
  std::string eighty = "x";
  for (int i = 1; i < 80; ++i) eighty += " x";
  const Task long_answers(words_with({}), std::vector<Example>{{"a", eighty, "", 1}, {"a b", "x", "", 2}});
  EXPECT_EQ(long_answers.max_steps(reading_of(1)), 120 + 10 + 1) << "half as many again, and ten, and the stop symbol";
  EXPECT_EQ(long_answers.max_steps(reading_of(2)), 131) << "no source had more";
  EXPECT_EQ(long_answers.max_steps(reading_of(4)), 240 + 11) << "twice as long as any source";
  EXPECT_EQ(long_answers.max_steps(reading_of(4), 7), 8) << "as asked for";
  const Task copies(words_with({}), std::vector<Example>{{"a b c d", "a b c d", "", 1}, {"a b", "a", "", 2}});
  EXPECT_EQ(copies.max_steps(reading_of(2)), 3 + 11) << "no target was longer than its source";
  Task::Learned old = copies.learned();
  old.lengths.reset();
  const Task unknown(words_with({}), old);
  EXPECT_FALSE(unknown.learned().lengths);
  EXPECT_EQ(unknown.max_steps(reading_of(4)), 58 + 1);
  const Task features(words_with({"columns=source,target,features"}), std::vector<Example>{{"a", "x y", "N;PL", 1}});
  EXPECT_EQ(features.learned().lengths->longest_source, 1) << "features are no part of it";

  Config walks;
  set_field(walks, "attention.select=actions");
  const Task walk(walks, std::vector<Example>{{"abcd", "abcd", "", 1}});
  EXPECT_EQ(walk.max_steps(reading_of(4)), 6 + 11 + 4) << "a step for each position";
  EXPECT_EQ(walk.max_steps(reading_of(4), 2), 2 + 4 + 1);
}

TEST(CopiedSymbols, NumbersWhatTheTargetDoesNotKnow) {
  const Task task(words_with({"generator.kind=pointer_generator"}), animals);
  const int red = task.target().encode("red"), first = task.target().size();
  const Encoding e = task.encode({"red dog cat dog", "dog bird red cat dog", "", 1});
  EXPECT_EQ(e.source.copies, (Symbols{red, first, first + 1, first, stop}));
  EXPECT_EQ(e.source.unknown, (std::vector<std::string>{"dog", "cat"}));
  EXPECT_EQ(e.source.sources[0].symbols[1], unknown);
  EXPECT_EQ(e.source.sources[0].symbols[2], task.source().encode("cat")) << "known to the source alone";
  EXPECT_EQ(e.target, (Symbols{first, unknown, red, first + 1, first}));
  EXPECT_EQ(task.target_text(e.target, e.source), "dog <unk> red cat dog");
  EXPECT_EQ(task.target_text(Symbols{first + 2}, e.source), "<unk>");

  const Encoding plain = Task(words_with({}), animals).encode({"red dog", "dog red", "", 1});
  EXPECT_TRUE(plain.source.copies.empty());
  EXPECT_EQ(plain.target, (Symbols{unknown, red}));
}

TEST(CopiedSymbols, ControlCharactersAreNot) {
  const Task task(words_with({"generator.kind=pointer_generator"}), animals);
  const Reading source = task.encode_source("dog \x1B[2J fox");
  EXPECT_EQ(source.copies, (Symbols{task.target().size(), unknown, task.target().size() + 1, stop}));
  EXPECT_EQ(source.unknown, (std::vector<std::string>{"dog", "fox"}));
}

TEST(CopiedSymbols, LinksPositionsToWhatTheyStandFor) {
  const Task task(words_with({"generator.kind=pointer_generator"}), animals);
  const int red = task.target().encode("red"), first = task.target().size();
  const Batch batch = batch_of(task, {{"red dog", "x", "", 1}, {"cat", "x", "", 2}});
  const CopyMap& links = batch.source.copy_map;
  EXPECT_EQ(links.width, first + 1) << "each row has its own numbers";
  EXPECT_EQ(links.starts, (Symbols{0, 1, 2, 3, 4, 5, 5})) << "a pad stands for nothing";
  EXPECT_EQ(links.symbols, (Symbols{red, first, first, stop, stop}));
  EXPECT_EQ(links.shares, std::vector<Real>(5, Real(1)));
}

TEST(CopiedSymbols, FeaturesAreNot) {
  const Task task(words_with({"generator.kind=pointer_generator", "columns=source,target,features"}),
                  std::vector<Example>{{"a", "<N> a", "N", 1}});
  const int a = task.target().encode("a");
  const Reading source = task.encode_source("a", "N;PL");
  EXPECT_EQ(source.copies, (Symbols{a, stop}));
  EXPECT_TRUE(source.unknown.empty());
  EXPECT_EQ(batch_of(task, {{"a", "a", "N", 1}}).source.copy_map.symbols, (Symbols{a, stop}));
}

TEST(LookingUp, LinksPositionsToTheLexicon) {
  const TemporaryFile file("cat\tred\t0.25\ncat\tchat\t0.75\nred\trouge\t1\ndog\tchat\t1\n");
  const Lexicon lexicon(file.path());
  const Task task(words_with({"generator.kind=lexicon_bias"}), animals, &lexicon);
  const int chat = task.target().encode("chat"), red = task.target().encode("red");
  const CopyMap links = batch_of(task, {{"cat red cat dog", "x", "", 1}, {"red", "x", "", 2}}).source.copy_map;
  EXPECT_EQ(links.width, task.target().size());
  // cat red | red stop | cat - | dog - | stop -: what the vocabularies do not know stands for nothing.
  EXPECT_EQ(links.starts, (Symbols{0, 2, 2, 2, 3, 5, 5, 5, 5, 6, 6}));
  EXPECT_EQ(links.symbols, (Symbols{chat, red, stop, chat, red, stop}));
  EXPECT_EQ(links.shares, (std::vector<Real>{0.75, 0.25, 1, 0.75, 0.25, 1}));
}

TEST(LookingUp, NeedsALexiconAndKeepsNoneThatIsNotNeeded) {
  const TemporaryFile file("cat\tchat\t1\n");
  const Lexicon lexicon(file.path());
  try {
    Task(words_with({"generator.kind=lexicon_bias"}), animals);
    FAIL() << "accepted";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::usage);
    EXPECT_NE(std::string(e.what()).find("`lexicon`"), std::string::npos);
  }
  EXPECT_TRUE(Task(words_with({}), animals, &lexicon).lexicon().empty());
}

TEST(Alignment, SharesTheWeightOfEachTargetSymbol) {
  const Task task(words_with({"columns=source,target,alignment", "objective.supervised=1"}), animals);
  const Batch batch = batch_of(task, {{"a b c", "x y z", "", 1, "0-0 1p0 2-2"}, {"a", "x", "", 2}});
  ASSERT_EQ(batch.targets.length, 4);
  ASSERT_EQ(batch.source.length, 4);
  const std::vector<Real> none = {0, 0, 0, 0};
  const std::vector<std::vector<Real>> wanted = {{0.5, 0.5, 0, 0}, none, {0, 0, 1, 0}, {0, 0, 0, 1}};
  ASSERT_EQ(batch.alignment.size(), 32u);
  for (std::ptrdiff_t t = 0; t < 4; ++t) {
    const auto row = batch.alignment.begin() + t * 8;
    EXPECT_EQ(std::vector<Real>(row, row + 4), wanted[as_size(t)]) << t;
    EXPECT_EQ(std::vector<Real>(row + 4, row + 8), none) << "a line without links";
  }
}

// A share of what is wanted goes to all positions alike; the stop symbol, and steps of which nothing is known, stay.
TEST(Alignment, IsSmoothedOverAllPositions) {
  const Task task(
      words_with({"columns=source,target,alignment", "objective.supervised=1", "objective.supervised_smoothing=0.2"}),
      animals);
  const Batch batch = batch_of(task, {{"a b c", "x y z", "", 1, "0-0 1-0 2-2"}, {"a", "x", "", 2, "0-0"}});
  const std::vector<std::vector<double>> wanted = {{0.45, 0.45, 0.05, 0.05},
                                                   {0.9, 0.1, 0, 0},  // of 4 and 2 positions
                                                   {0, 0, 0, 0},
                                                   {0, 1, 0, 0},
                                                   {0.05, 0.05, 0.85, 0.05},
                                                   {0, 0, 0, 0},
                                                   {0, 0, 0, 1},
                                                   {0, 0, 0, 0}};
  ASSERT_EQ(batch.alignment.size(), 32u);
  for (std::size_t i = 0; i < 32; ++i) {
    EXPECT_NEAR(static_cast<double>(batch.alignment[i]), wanted[i / 4][i % 4], 1e-6) << "row " << i / 4;
  }
}

TEST(Alignment, BadLinksNameTheLine) {
  const Task task(words_with({"columns=source,target,alignment"}), animals);
  for (const std::string links : {"0-0 2-0", "0-5", "0:0", "-1-0"}) {
    try {
      task.encode({"a b", "x y", "", 7, links});
      ADD_FAILURE() << "accepted: " << links;
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::data) << links;
      EXPECT_TRUE(std::string(e.what()).starts_with("line 7: ")) << e.what();
    }
  }
}

TEST(Alignment, CountsWordsNotFeatures) {
  const Task task(words_with({"columns=source,target,features,alignment"}),
                  std::vector<Example>{{"a b", "x", "N;PL", 1}});
  const Encoding encoding = task.encode({"a b", "x y", "N;PL", 1, "0-1 1p0"});
  EXPECT_EQ(encoding.links, (std::vector<Link>{{0, 1, true}, {1, 0, false}}));
  EXPECT_THROW(task.encode({"a b", "x y", "N;PL", 1, "2-0"}), Error) << "there are two words";
}

TEST(BothWays, TheOtherDirectionReadsTheTarget) {
  const Task task(words_with({"objective.agreement=1"}), animals);
  const Batch batch = batch_of(task, animals);
  constexpr int pad = Vocabulary::pad, start = Vocabulary::start;
  const int red = task.source().encode("red"), cat = task.source().encode("cat");
  EXPECT_EQ(batch.reverse_source.ids, batch.targets.ids);
  EXPECT_EQ(batch.reverse_source.real, batch.targets.real);
  EXPECT_EQ(batch.reverse_targets.ids, (Symbols{red, red, cat, red, stop, stop}));
  EXPECT_EQ(batch.reverse_previous.ids, (Symbols{start, start, red, red, cat, red}));
  EXPECT_EQ(batch.reverse_source.ids[5], pad);
  EXPECT_EQ(batch_of(Task(words_with({}), animals), animals).reverse_source.length, 0);
}

const std::vector<Example> shortened = {{"abcd", "abd", "", 1}, {"dcba", "dba", "", 2}, {"bad", "bad", "", 3},
                                        {"cab", "ab", "", 4},   {"cc", "xyz", "", 5},   {"abc", "abx", "", 6}};

// Where an encoding's walk over the source writes each of its symbols; the last is where it ends.
std::vector<int> walk(const Symbols& actions) {
  std::vector<int> positions;
  int at = 0;
  for (const std::int32_t action : actions) {
    if (action == step) {
      ++at;
    } else {
      positions.push_back(at);
    }
  }
  positions.push_back(at);
  return positions;
}

TEST(Actions, WalkToWhereEachSymbolComesFrom) {
  Config config;
  set_field(config, "attention.select=actions");
  const Task task(config, shortened);
  ASSERT_TRUE(task.acts());
  ASSERT_EQ(task.target().text(step), "<next step>");
  std::vector<Symbols> sources, targets;
  for (const Example& example : shortened) {
    sources.push_back(task.encode_source(example.source).sources[0].symbols);
    targets.push_back(task.encode_target(example.target));
  }
  std::vector<SymbolPair> pairs;
  for (std::size_t i = 0; i < sources.size(); ++i) pairs.push_back({sources[i], targets[i]});
  const Aligner aligner(pairs, task.source().size(), task.target().size());
  for (std::size_t i = 0; i < shortened.size(); ++i) {
    const Encoding encoding = task.encode(shortened[i]);
    std::vector<int> wanted;
    for (const Link& link : aligner.align(pairs[i])) wanted.push_back(link.source);
    wanted.push_back(encoding.source.size());  // its stop symbol
    EXPECT_EQ(walk(encoding.target), wanted) << shortened[i].source;
    EXPECT_EQ(task.target_text(encoding.target, encoding.source), shortened[i].target);
  }
  EXPECT_EQ(walk(task.encode(shortened[0]).target), (std::vector<int>{0, 1, 3, 4}));

  std::vector<Answer> answers = {{task.encode(shortened[0]).target, 0, true, {}}};
  EXPECT_EQ(make_output(task, {"abcd"}, task.encode_source("abcd"), answers).text, "abd");
}

TEST(Actions, MayCopyWhatTheTargetDoesNotKnow) {
  Config config;
  for (const char* setting : {"attention.select=actions", "generator.kind=pointer_generator", "target.max_symbols=3"}) {
    set_field(config, setting);
  }
  const Task task(config, shortened);
  for (const Example& example : {shortened[0], Example{"aqd", "aqd", "", 7}}) {
    const Encoding encoding = task.encode(example);
    EXPECT_EQ(task.target_text(encoding.target, encoding.source), example.target);
    EXPECT_EQ(walk(encoding.target).back(), encoding.source.size());
  }
}

TEST(Actions, AreOfNoUseWithoutAttention) {
  Config config;
  for (const char* setting : {"attention.select=actions", "decoder.style=plain"}) set_field(config, setting);
  EXPECT_FALSE(Task(config, shortened).acts());
}

TEST(Replacement, IsTheMostAttendedWord) {
  const Task task(words_with({}), animals);
  const int red = task.target().encode("red");
  const auto looking = [](std::vector<std::vector<float>> heads) {
    StepExplanation explained;
    for (auto& weights : heads) explained.looks.push_back({{weights, weights, 1}, 0, 0});
    return explained;
  };
  // The stop symbol, though most attended, is no word; heads count together.
  const std::vector<Answer> answers = {
      {{unknown, red, unknown, unknown},
       -1,
       true,
       {looking({{0.1f, 0.6f, 0.2f, 0.1f}}), looking({{1, 0, 0, 0}}), looking({{0.1f, 0.05f, 0.15f, 0.7f}}),
        looking({{0.5f, 0, 0.4f, 0.1f}, {0.1f, 0, 0.4f, 0.5f}}), looking({{0, 0, 0, 1}})}}};
  const std::string line = "cat dog fox";
  const Reading source = task.encode_source(line);
  EXPECT_EQ(make_output(task, {line}, source, answers).text, "dog red fox fox");
  const TemporaryFile file("dog\tHund\t0.3\ndog\tchien\t0.6\ncat\tchat\t1\n");
  const Lexicon dictionary(file.path());
  EXPECT_EQ(make_output(task, {line}, source, answers, &dictionary).text, "chien red fox fox");
  const std::string odd = "cat \x1B[2J fox";
  EXPECT_EQ(make_output(task, {odd}, task.encode_source(odd), answers).text, "\xE2\x90\x9B[2J red fox fox")
      << "never raw";
  const std::vector<Answer> unexplained = {{{unknown, red}, -1, true, {}}};
  EXPECT_EQ(make_output(task, {line}, source, unexplained, &dictionary).text, "<unk> red");
  std::vector<Answer> pointing = answers;
  pointing[0].steps[0].looks.push_back({{{9, 0, 0, 0}, {9, 0, 0, 0}, 0}, 0, 0, true});
  EXPECT_EQ(make_output(task, {line}, source, pointing).text, "dog red fox fox") << "pointing is no attention";
  const std::vector<Answer> blind = {{{unknown}, -1, true, {{}, {}}}};
  EXPECT_EQ(make_output(task, {line}, source, blind).text, "<unk>") << "no attention to go by";
}

}  // namespace
}  // namespace fovea::task_test
