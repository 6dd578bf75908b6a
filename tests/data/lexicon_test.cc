#include "data/lexicon.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "packed.h"
#include "temporary_file.h"

namespace fovea {
namespace {

using Targets = std::vector<std::pair<std::string, double>>;

Targets targets_of(const Lexicon& lexicon, std::string_view source) {
  Targets targets;
  for (const auto& [target, probability] : lexicon.of(source)) targets.emplace_back(target, probability);
  return targets;
}

// What follows the file's name.
std::string error_of(const std::string& content, std::int64_t max_lines = 20'000'000) {
  const TemporaryFile file(content);
  try {
    Lexicon(file.path(), max_lines);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
    const std::string text = error.what();
    EXPECT_EQ(text.find('\n'), std::string::npos);
    EXPECT_EQ(text.find(file.path()), 0u);
    return text.substr(file.path().size());
  }
  return "no error";
}

TEST(Lexicon, GivesTheTargetsOfASource) {
  const std::string content =
      "house\tHaus\t0.75\na\tein\t0.5\n\nhouse\tGebäude\t2.5e-1\na\teine\t0.5\nto go\tgehen\t1\n";
  for (const std::string& bytes : {content, gzip(content)}) {
    const TemporaryFile file(bytes);
    const Lexicon lexicon(file.path());
    EXPECT_EQ(lexicon.size(), 5u);
    EXPECT_EQ(targets_of(lexicon, "house"), (Targets{{"Gebäude", 0.25}, {"Haus", 0.75}}));
    EXPECT_EQ(targets_of(lexicon, "a"), (Targets{{"ein", 0.5}, {"eine", 0.5}}));
    EXPECT_EQ(targets_of(lexicon, "to go"), (Targets{{"gehen", 1.0}}));
    EXPECT_EQ(targets_of(lexicon, "House"), Targets{});
    EXPECT_EQ(targets_of(lexicon, ""), Targets{});
  }
}

TEST(Lexicon, ThreeColumnsAreNeeded) {
  const std::string wanted = ", but source<TAB>target<TAB>probability is needed";
  EXPECT_EQ(error_of("a\tb\t1\nhé\n"), ":2:3: 1 column" + wanted);
  EXPECT_EQ(error_of("a\tb\n"), ":1:4: 2 columns" + wanted);
  EXPECT_EQ(error_of("a\tb\t1\t\n"), ":1:6: 4 columns" + wanted);
  EXPECT_EQ(error_of("\tb\t1\n"), ":1:1: the source is empty");
  EXPECT_EQ(error_of("hé\t\t1\n"), ":1:4: the target is empty");
}

TEST(Lexicon, ProbabilitiesAreMoreThanZeroAndAtMostOne) {
  for (const std::string number :
       {"0", "-0.5", "1.0001", "2", "nan", "inf", "", "x", "0.5x", " 0.5", "0.5 ", "+0.5", "0x1", "1e-999", "1e999"}) {
    EXPECT_EQ(
        error_of("a\tb\t1\né\tb\t" + number + "\n"),
        ":2:5: \"" + number + "\" is no probability: more than 0 and at most 1 is needed; divide counts by their sum");
  }
  EXPECT_EQ(error_of("a\tb\t1e-300\n"), "no error");
  EXPECT_LT(error_of("a\tb\t" + std::string(1 << 20, '9')).size(), 200u);
}

TEST(Lexicon, BadTextIsNamedByItsColumn) {
  EXPECT_NE(error_of("é\tb\xFF\t1\n").find(":1:4: byte 0xFF is not UTF-8"), std::string::npos);
}

TEST(Lexicon, ControlCharactersAreRefused) {
  const std::string why = " has a control character, which no model reads or writes; leave the line out";
  EXPECT_EQ(error_of("a\tb\t1\na\tb\x1B\t1\n"), ":2:1: \"a␉b␛␉1\"" + why);
  EXPECT_NE(error_of("a\xC2\x85\tb\t1\n").find(why), std::string::npos);
}

TEST(Lexicon, APairMayBeThereOnce) {
  EXPECT_EQ(error_of("a\tb\t0.5\nc\tb\t1\na\td\t0.1\na\tb\t0.25\n"),
            ": the pair \"a\" and \"b\" is there more than once; keep one line of it");
}

TEST(Lexicon, NothingAndTooMuchAreErrors) {
  EXPECT_EQ(error_of(""), ": the lexicon is empty");
  EXPECT_EQ(error_of("\n\n"), ": the lexicon is empty");
  EXPECT_EQ(error_of("a\tb\t1\nc\tb\t1\n", 2), "no error");
  EXPECT_EQ(error_of("a\tb\t1\nc\tb\t1\nd\tb\t1\n", 2), ":3:1: a lexicon of more than 2 lines is not read");
}

}  // namespace
}  // namespace fovea
