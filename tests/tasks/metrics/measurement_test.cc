// Known values, and what holds of all metrics together.
#include "tasks/metrics/measurement.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fovea::measurement_test {
namespace {

using Texts = std::vector<std::string>;

void add(Measurement& measured, const std::string& target, const std::string& answer) {
  measured.add({.references = {&target, 1}, .text = answer});
}

double value(const Measurement& measured, const char* name) { return measured.values().find(name).value(); }

TEST(Measurement, CountsOverAllAnswers) {
  Measurement measured;
  add(measured, "abcd", "abcd");
  add(measured, "日本語", "日本");
  add(measured, "xyz", "");
  EXPECT_EQ(measured.sources(), 3);
  EXPECT_EQ(measured.lines(), 3);
  EXPECT_FALSE(measured.all_right());
  EXPECT_DOUBLE_EQ(value(measured, "exact"), 1.0 / 3);
  EXPECT_DOUBLE_EQ(value(measured, "cer"), 4.0 / 10);
  EXPECT_DOUBLE_EQ(value(measured, "edit_distance"), 4.0 / 3);
  EXPECT_DOUBLE_EQ(value(measured, "wer"), 2.0 / 3);
  EXPECT_FALSE(measured.values().find("beauty"));
}

TEST(Measurement, WhatWasCutIsNotRight) {
  const std::string target = "abcd";
  Measurement measured;
  measured.add({.references = {&target, 1}, .text = "abcd", .finished = false});
  EXPECT_EQ(value(measured, "exact"), 0);
  EXPECT_EQ(value(measured, "cer"), 0);
  EXPECT_EQ(measured.unfinished(), 1);
  EXPECT_FALSE(measured.all_right());
}

TEST(Measurement, WordsAreWhatStandsBetweenWhiteSpace) {
  Measurement measured;
  add(measured, "the cat sat  on the mat", "the cat\u00A0sat\u3000on mat");
  EXPECT_DOUBLE_EQ(value(measured, "wer"), 1.0 / 6) << "one is missing";
  add(measured, "a b", " a c b ");
  EXPECT_DOUBLE_EQ(value(measured, "wer"), 2.0 / 8) << "one is too many";
  add(measured, "a b", "a\u200Bb");
  EXPECT_DOUBLE_EQ(value(measured, "wer"), 4.0 / 10) << "a space of no width is none";
}

TEST(Measurement, PerIsOfTheSymbolsThatTheModelWrites) {
  const TokenizerPtr phones = make_tokenizer("word");
  Measurement measured({}, phones.get());
  add(measured, "AA B ER G", "AA B IH");
  EXPECT_DOUBLE_EQ(value(measured, "per"), 2.0 / 4);
  Measurement letters;
  add(letters, "AA B", "AA C");
  EXPECT_DOUBLE_EQ(value(letters, "per"), 1.0 / 4) << "characters, as nothing else is known";
}

TEST(Measurement, CaseCountsUnlessSaidOtherwise) {
  Measurement as_it_is, lower({.lowercase = true});
  for (Measurement* one : {&as_it_is, &lower}) add(*one, "Ärger", "äRGER");
  EXPECT_EQ(value(as_it_is, "exact"), 0);
  EXPECT_EQ(value(lower, "exact"), 1);
  EXPECT_EQ(value(lower, "cer"), 0);
}

TEST(Measurement, AnyReferenceIsRightAndTheNearestCounts) {
  const Texts references = {"abcdefghijkl", "abc", "xyz"};
  Measurement measured;
  measured.add({.references = references, .text = "xyz", .lines = 3});
  EXPECT_EQ(value(measured, "exact"), 1);
  EXPECT_TRUE(measured.all_right());
  measured.add({.references = references, .text = "ab", .finished = false, .lines = 4});
  EXPECT_DOUBLE_EQ(value(measured, "exact"), 0.5);
  EXPECT_DOUBLE_EQ(value(measured, "cer"), 1.0 / 6) << "one edit to abc, and three characters each";
  EXPECT_EQ(measured.sources(), 2);
  EXPECT_EQ(measured.unfinished(), 1);
  EXPECT_EQ(measured.lines(), 7);
  ASSERT_EQ(measured.by_length().size(), 1u) << "of the nearest";
}

TEST(Measurement, ByLengthOfTheReferenceInCharacters) {
  Measurement measured;
  std::string nine, ten;
  for (int i = 0; i < 9; ++i) nine += "é";
  ten = nine + "é";
  add(measured, nine, nine);
  add(measured, "a", "b");
  add(measured, ten, nine);
  add(measured, std::string(35, 'x'), std::string(35, 'x'));
  const auto rows = measured.by_length();
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].shortest, 0);
  EXPECT_EQ(rows[0].longest, 9);
  EXPECT_EQ(rows[0].sources, 2);
  EXPECT_DOUBLE_EQ(rows[0].metrics.find("exact").value(), 0.5);
  EXPECT_DOUBLE_EQ(rows[0].metrics.find("cer").value(), 0.1);
  EXPECT_EQ(rows[1].shortest, 10);
  EXPECT_EQ(rows[1].sources, 1);
  EXPECT_DOUBLE_EQ(rows[1].metrics.find("cer").value(), 0.1);
  EXPECT_EQ(rows[2].shortest, 30);
  EXPECT_EQ(rows[2].longest, 39);
  EXPECT_DOUBLE_EQ(rows[2].metrics.find("exact").value(), 1);
}

}  // namespace
}  // namespace fovea::measurement_test
