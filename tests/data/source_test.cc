#include "data/source.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"

namespace fovea::source_test {
namespace {

struct Sample {
  std::vector<std::string_view> cells;
  std::string_view cell;  // one more
};

const std::map<std::string, Sample>& samples() {
  static const std::map<std::string, Sample> all = {{"text", {{"ab", "ba a"}, "abz"}},
                                                    {"features", {{"V;PST", "N|PL"}, "N;X"}},
                                                    {"vectors", {{"1 2; 3 4", "5 6"}, "2 2;4 4; 9 1"}}};
  return all;
}

SourcePtr learned(const SourceKind& kind) {
  std::vector<int> lengths;
  return kind.learn({}, samples().at(std::string(kind.name)).cells, lengths);
}

TEST(EverySource, HasASample) {
  std::vector<std::string> names = sources().names(), known;
  for (const auto& [name, sample] : samples()) known.push_back(name);
  std::ranges::sort(names);
  EXPECT_EQ(names, known);
}

TEST(EverySource, SaysHowLongTheCellsAre) {
  const std::map<std::string, std::vector<int>> wanted = {{"text", {2, 4}}, {"features", {2, 2}}, {"vectors", {2, 1}}};
  for (const SourceKind* kind : sources()) {
    std::vector<int> lengths;
    kind->learn({}, samples().at(std::string(kind->name)).cells, lengths);
    EXPECT_EQ(lengths, wanted.at(std::string(kind->name))) << kind->name;
  }
}

TEST(EverySource, HasAPositionForEachThatItReads) {
  for (const SourceKind* kind : sources()) {
    const SourcePtr source = learned(*kind);
    const std::string_view cell = samples().at(std::string(kind->name)).cell;
    const SourceData data = source->encode(cell);
    EXPECT_GT(data.length, 1) << kind->name;
    EXPECT_EQ(source->positions(cell, data).size(), static_cast<std::size_t>(data.length)) << kind->name;
    EXPECT_EQ(kind->symbols, source->as_symbols() != nullptr) << kind->name;
    const SourceShape shape = source->shape();
    EXPECT_EQ(data.symbols.size(), kind->symbols ? static_cast<std::size_t>(data.length) : 0u) << kind->name;
    EXPECT_EQ(data.rows.size(), static_cast<std::size_t>(data.length * shape.width)) << kind->name;
    for (const std::int32_t symbol : data.symbols) EXPECT_LT(symbol, shape.symbols) << kind->name;
  }
}

TEST(EverySource, ReadsTheSameOnceItIsRestored) {
  for (const SourceKind* kind : sources()) {
    const SourcePtr source = learned(*kind);
    std::map<std::string, std::string> kept;
    for (const auto& [key, text] : source->learned()) kept["source." + key] = text;
    const SourcePtr restored = kind->restore({}, LearnedTexts(kept, "source.", "m"));
    const std::string_view cell = samples().at(std::string(kind->name)).cell;
    EXPECT_EQ(restored->encode(cell).symbols, source->encode(cell).symbols) << kind->name;
    EXPECT_EQ(restored->encode(cell).rows, source->encode(cell).rows) << kind->name;
    EXPECT_EQ(restored->learned(), source->learned()) << kind->name;
  }
}

TEST(EverySource, RefusesAFileThatLacksWhatItLearned) {
  for (const SourceKind* kind : sources()) {
    for (const char* text : {"", "[", "[[1]]", "{}", "[\"a\"]", "[]", "[1e999]"}) {
      std::map<std::string, std::string> kept;
      for (const auto& [key, good] : learned(*kind)->learned()) {
        if (*text) kept["source." + key] = text;
      }
      try {
        kind->restore({}, LearnedTexts(kept, "source.", "m"));
        ADD_FAILURE() << kind->name << " takes " << text;
      } catch (const Error& e) {
        EXPECT_EQ(e.kind(), ErrorKind::model) << kind->name << " " << text;
      }
    }
  }
}

// Mean 0 and deviation 1 over the training data: columns 1 3 5 and 2 4 6 have the means 3 and 4 and the variance 8/3.
TEST(Vectors, AreBroughtToOneScale) {
  const SourceData data = learned(sources().find("vectors"))->encode("3 4; 5 0");
  const double deviation = std::sqrt(8.0 / 3);
  ASSERT_EQ(data.rows.size(), 4u);
  EXPECT_NEAR(data.rows[0], 0, 1e-6);
  EXPECT_NEAR(data.rows[1], 0, 1e-6);
  EXPECT_NEAR(data.rows[2], 2 / deviation, 1e-6);
  EXPECT_NEAR(data.rows[3], -4 / deviation, 1e-6);
}

TEST(Vectors, OfAnotherWidthAreRefused) {
  EXPECT_THROW(learned(sources().find("vectors"))->encode("1 2 3"), Error);
  std::vector<int> lengths;
  EXPECT_THROW(sources().find("vectors").learn({}, std::vector<std::string_view>{"1 2", "1"}, lengths), Error);
  EXPECT_THROW(sources().find("vectors").learn({}, std::vector<std::string_view>{";"}, lengths), Error);
}

TEST(Vectors, AColumnThatNeverChangesStaysFinite) {
  std::vector<int> lengths;
  const SourcePtr source = sources().find("vectors").learn({}, std::vector<std::string_view>{"7 1; 7 2"}, lengths);
  EXPECT_EQ(source->encode("7 1").rows[0], 0);
}

TEST(Features, StandWhereTheyWereWritten) {
  const auto positions = learned(sources().find("features"))->positions("é;PL |N", {});
  ASSERT_EQ(positions.size(), 3u);
  EXPECT_EQ(positions[1].text, "PL");
  EXPECT_EQ(positions[1].start, 2);
  EXPECT_EQ(positions[1].end, 4);
  EXPECT_EQ(positions[2].start, 6);
}

}  // namespace
}  // namespace fovea::source_test
