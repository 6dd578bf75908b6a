// Settings that suit the data.
#include "tasks/defaults.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/as_size.h"
#include "data/makers/maker.h"
#include "data/picture.h"
#include "data/wav.h"
#include "support/temporary_folder.h"

namespace fovea::defaults_test {
namespace {

std::string value_of(const Config& config, const std::string& setting) {
  for (const Field& field : ConstFieldsRef(config).visit().fields()) {
    if (field.name == setting) return value_text(field);
  }
  return "no such setting";
}

ResolvedConfig resolve(const std::vector<Example>& examples, const std::vector<std::string>& settings = {}) {
  return resolve_config(
      [&](Config& config) {
        for (const std::string& setting : settings) set_field(config, setting);
      },
      examples);
}

std::vector<Example> made(const char* maker, int count) {
  std::vector<Example> examples;
  for (int i = 0; i < count; ++i) examples.push_back(makers().find(maker).make(1, static_cast<std::uint64_t>(i)));
  return examples;
}

// Words of a made-up language: "w17 w203 ...", frequent ones more often.
std::vector<Example> sentences(int count, int different, int words = 10) {
  std::vector<Example> examples;
  for (int i = 0; i < count; ++i) {
    Example example;
    for (int word = 0; word < words; ++word) {
      const int symbol = (i * 31 + word * word * 7) % different % (1 + (i + word) % different);
      example.source += fmt::format("{}w{}", word ? " " : "", symbol);
      example.target += fmt::format("{}v{}", word ? " " : "", symbol);
    }
    examples.push_back(std::move(example));
  }
  return examples;
}

TEST(Defaults, StringsAreReadByCharactersAndSentencesByWords) {
  for (const char* maker : {"dates", "copy", "reverse"}) {
    const Config config = resolve(made(maker, 500)).config;
    EXPECT_EQ(config.source.tokenizer, "char") << maker;
    EXPECT_EQ(config.target.tokenizer, "char") << maker;
    EXPECT_EQ(config.training.metric, "exact") << maker;
  }
  const Config config = resolve(sentences(3000, 1000)).config;
  EXPECT_EQ(config.source.tokenizer, "word");
  EXPECT_EQ(config.target.tokenizer, "word");
}

// However short they are; letter by letter the same ones are strings.
TEST(Defaults, SentencesAreNotJudgedByExactAnswers) {
  const std::vector<Example> examples = sentences(3000, 1000, 7);
  ASSERT_LT(std::ranges::max(examples, {}, [](const Example& e) { return e.target.size(); }).target.size(), 40u);
  EXPECT_EQ(resolve(examples).config.training.metric, "chrf");
  EXPECT_EQ(resolve(examples, {"target.tokenizer=char"}).config.training.metric, "exact");
  EXPECT_EQ(resolve(examples, {"training.metric=bleu"}).config.training.metric, "bleu");
}

// On either side, or both.
TEST(Defaults, TheRateOfTransformersRisesAtFirst) {
  const std::vector<Example> examples = made("copy", 300);
  const auto warmup = [&](const std::vector<std::string>& settings) {
    return value_of(resolve(examples, settings).config, "training.warmup");
  };
  EXPECT_EQ(warmup({}), "0");
  EXPECT_EQ(warmup({"encoder.kind=lstmn"}), "0");
  EXPECT_EQ(warmup({"encoder.kind=transformer"}), "400");
  EXPECT_EQ(warmup({"decoder.kind=transformer"}), "400");
}

// Their vectors would stay small for long; a Transformer multiplies them, and tied ones weigh the choice.
TEST(Defaults, VectorsOfManySymbolsBeginLarge) {
  std::vector<Example> many = sentences(6000, 6000);
  for (std::size_t i = 0; i < many.size(); ++i) {  // words of three letters, each as often as the others
    many[i].target.clear();
    for (std::size_t word = 0; word < 10; ++word) {
      const std::size_t n = (10 * i + word) % 5000;
      const auto letter = [](std::size_t k) { return static_cast<char>('a' + k % 26); };
      many[i].target += {letter(n), letter(n / 26), letter(n / 676), ' '};
    }
  }
  const auto spreads = [&](const std::vector<Example>& examples, const std::vector<std::string>& settings) {
    const Config config = resolve(examples, settings).config;
    return std::pair(config.model.encoder.spread, config.model.decoder.spread);
  };
  EXPECT_EQ(spreads(many, {}), std::pair(1.0, 1.0));
  EXPECT_EQ(spreads(many, {"encoder.kind=transformer"}), std::pair(0.1, 1.0));
  EXPECT_EQ(spreads(many, {"decoder.kind=transformer"}), std::pair(1.0, 0.1));
  EXPECT_EQ(spreads(many, {"generator.tied=true"}), std::pair(1.0, 0.1));
  EXPECT_EQ(spreads(many, {"source.tokenizer=char"}), std::pair(0.1, 1.0));
  EXPECT_EQ(spreads(many, {"target.tokenizer=pieces:100"}), std::pair(1.0, 0.1));
  EXPECT_EQ(spreads(many, {"target.tokenizer=pieces:5000"}), std::pair(1.0, 1.0));
  EXPECT_EQ(spreads(many, {"decoder.spread=0.5"}), std::pair(1.0, 0.5));
  EXPECT_EQ(spreads(sentences(3000, 1000), {}), std::pair(0.1, 0.1));
}

TEST(Defaults, PhonesAreWords) {
  std::vector<Example> examples = made("copy", 300);
  for (Example& example : examples) {
    std::string phones;
    for (const char letter : example.target) phones += fmt::format("{}{}ː", phones.empty() ? "" : " ", letter);
    example.target = phones;
  }
  const Config config = resolve(examples).config;
  EXPECT_EQ(config.source.tokenizer, "char");
  EXPECT_EQ(config.target.tokenizer, "word");
  EXPECT_EQ(config.training.metric, "exact");
}

// Long words too, where there are few; but only to be written: a source may have others.
TEST(Defaults, CaptionsAreWords) {
  std::vector<Example> examples = made("copy", 600);
  for (std::size_t i = 0; i < examples.size(); ++i) {
    examples[i].target = fmt::format("one {} rectangle {} {} triangles", i % 2 ? "purple" : "yellow",
                                     i % 3 ? "above" : "beside", i % 5 ? "three" : "several");
  }
  EXPECT_EQ(resolve(examples).config.target.tokenizer, "word");
  EXPECT_EQ(resolve({examples.begin(), examples.begin() + 50}).config.target.tokenizer, "char") << "too few to tell";
  for (Example& example : examples) example.source = example.target;
  EXPECT_EQ(resolve(examples).config.source.tokenizer, "char");
}

// Batches hold about as many lines as with words, for which pieces need not be learned from all lines.
TEST(Defaults, PiecesAreCountedAsTheyAreCut) {
  const std::vector<Example> examples = sentences(5000, 1000);
  const auto tokens = [&](const char* tokenizer) {
    const std::string setting = tokenizer;
    return resolve(examples, {"source.tokenizer=" + setting, "target.tokenizer=" + setting})
        .config.training.batch.count;
  };
  EXPECT_GT(tokens("pieces:50"), tokens("pieces:4000"));
  EXPECT_GE(tokens("pieces:4000"), tokens("word"));
  EXPECT_LT(tokens("pieces:4000"), tokens("char"));
}

TEST(Defaults, WhatIsGivenStays) {
  const ResolvedConfig free = resolve(made("dates", 500));
  const ResolvedConfig given =
      resolve(made("dates", 500), {"training.batch=7", "source.tokenizer=word", "decoder.size=33"});
  EXPECT_EQ(value_of(given.config, "training.batch"), "7");
  EXPECT_EQ(given.config.source.tokenizer, "word");
  EXPECT_EQ(given.config.model.decoder.size, 33);
  const auto chosen = [](const ResolvedConfig& resolved, const std::string& setting) {
    return std::ranges::any_of(resolved.choices, [&](const Choice& choice) {
      return std::ranges::find(choice.settings, setting) != choice.settings.end();
    });
  };
  for (const char* setting : {"training.batch", "source.tokenizer", "decoder.size"}) {
    EXPECT_TRUE(chosen(free, setting)) << setting;
    EXPECT_FALSE(chosen(given, setting)) << setting;
  }
  EXPECT_TRUE(chosen(given, "training.dropout"));
}

TEST(Defaults, TheRateIsThatOfTheSizeInForce) {
  const std::vector<Example> examples = made("dates", 500);
  EXPECT_EQ(resolve(examples).config.training.learning_rate, 0.002);
  EXPECT_EQ(resolve(examples, {"decoder.size=256"}).config.training.learning_rate, 0.001);
  EXPECT_EQ(resolve(made("copy", 30000)).config.training.learning_rate, 0.001);
}

TEST(Defaults, EveryChoiceIsInForceAndHasAReason) {
  for (const int count : {20, 500, 30000}) {
    const ResolvedConfig resolved = resolve(made("copy", count));
    EXPECT_GE(resolved.choices.size(), 10u);
    for (const Choice& choice : resolved.choices) {
      ASSERT_FALSE(choice.settings.empty()) << choice.name;
      for (const std::string& setting : choice.settings) {
        EXPECT_EQ(value_of(resolved.config, setting), choice.value) << setting;
      }
      EXPECT_FALSE(choice.reason.empty()) << choice.name;
    }
  }
}

// Four updates an epoch and a validation after each would end a run before it has begun.
TEST(Defaults, SmallDataHasSmallBatchesAndPatience) {
  const Config small = resolve(made("copy", 800)).config, large = resolve(made("copy", 30000)).config;
  EXPECT_LT(small.training.batch.count, 500);
  EXPECT_GE(small.training.validate_every.count * small.training.patience, 1000);
  EXPECT_GT(large.training.batch.count, small.training.batch.count);
  EXPECT_GT(small.training.dropout, large.training.dropout);
  EXPECT_GT(large.model.encoder.size, small.model.encoder.size);
}

// Of long texts fewer make an update: 64 of ten words and a label, 32 of two hundred.
TEST(Defaults, BatchesOfLongLinesAreSmall) {
  const auto tokens = [](int words) {
    std::vector<Example> examples(4000, {"", "good", "", 1});
    for (std::size_t i = 0; i < examples.size(); ++i) {
      for (int word = 0; word < words; ++word) examples[i].source += fmt::format("w{} ", (i + as_size(word)) % 1000);
    }
    return resolve(examples, {"task=classify"}).config.training.batch.count;
  };
  EXPECT_EQ(tokens(10), 64 * 13);
  EXPECT_EQ(tokens(200), 32 * 203);
  EXPECT_EQ(tokens(2000), 16 * 2003);
}

TEST(Defaults, LanguageModelsAreNotSmoothed) {
  const std::vector<Example> examples = sentences(600, 1000);
  EXPECT_EQ(resolve(examples).config.model.objective.label_smoothing, 0.1);
  const std::vector<std::string> settings = {"task=language_model", "columns=target"};
  EXPECT_EQ(resolve(examples, settings).config.model.objective.label_smoothing, 0.0);
}

TEST(Defaults, LongEpochsAreValidatedWithin) {
  const Config config = resolve(sentences(70000, 1000)).config;
  EXPECT_EQ(config.training.validate_every, (Period{1000, Period::Unit::updates}));
}

// What a source says of its own settings is chosen like the rest, and what is given stays.
TEST(Defaults, DocumentsAreSentencesOfWords) {
  std::vector<Example> examples = sentences(400, 50);
  for (Example& example : examples) example.target = "good";
  const std::vector<std::string> settings = {"source.kind=document", "task=classify"};
  const Config config = resolve(examples, settings).config;
  EXPECT_EQ(config.source.tokenizer, "word");
  EXPECT_EQ(config.model.encoder.kind, "hierarchical");
  EXPECT_TRUE(config.training.batch.tokens);
  EXPECT_EQ(resolve(examples, {settings[0], settings[1], "encoder.kind=rnn"}).config.model.encoder.kind, "rnn");
}

// Regions of a grid look at one another; strips are read from left to right.
TEST(Defaults, PicturesAreReadByTheirForm) {
  const TemporaryFolder folder;
  const auto encoder = [&](int width) {
    folder.write("a.png", encode_png({width, 20, 3, std::vector<std::uint8_t>(as_size(width * 20 * 3), 9)}));
    std::vector<Example> examples(20, {"a.png", "1", "", 1});
    for (Example& example : examples) example.file = (folder / "data.tsv").string();
    const Config config = resolve(examples, {"source.kind=image"}).config;
    return fmt::format("{} rows, {} {}", config.source.image.rows, config.model.encoder.layers,
                       config.model.encoder.kind);
  };
  EXPECT_EQ(encoder(20), "4 rows, 2 transformer");
  EXPECT_EQ(encoder(80), "1 rows, 1 rnn");
}

TEST(Defaults, SoundsAreReadAtTheirRate) {
  const TemporaryFolder folder;
  folder.write("a.wav", wav(chirp(3000), {.rate = 11025}));
  std::vector<Example> examples(20, {"a.wav", "1", "", 1});
  for (Example& example : examples) example.file = (folder / "data.tsv").string();
  const ResolvedConfig resolved = resolve(examples, {"source.kind=audio", "task=classify"});
  EXPECT_EQ(resolved.config.source.audio.rate, 11025);
  EXPECT_FALSE(resolved.config.training.batch.tokens);
  EXPECT_TRUE(std::ranges::any_of(resolved.choices, [](const Choice& c) { return c.name == "source.audio.rate"; }));
}

}  // namespace
}  // namespace fovea::defaults_test
