#include "data/aligner.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "base/as_size.h"
#include "base/error.h"
#include "base/random.h"

namespace fovea::aligner_test {
namespace {

using Ids = std::vector<std::int32_t>;
using Links = std::vector<Link>;

struct Made {
  Ids source;
  Ids target;
  Links links;  // how it was made
};

constexpr int letters = 20;
constexpr int cipher_letters = 23;  // three of them are only ever inserted

std::int32_t cipher(std::int32_t letter) { return (letter * 7 + 5) % letters; }

// Words in a letter-to-letter cipher, with a random letter after one letter in six and one letter in ten left out.
std::vector<Made> make_words(int count) {
  std::vector<Made> words(as_size(count));
  for (std::size_t w = 0; w < words.size(); ++w) {
    const Random random = Random(1, Purpose::data).at(w);
    std::uint64_t counter = 0;
    const int length = 4 + static_cast<int>(random.below(9, counter++));
    for (int i = 0; i < length; ++i) {
      auto& [source, target, links] = words[w];
      source.push_back(static_cast<std::int32_t>(random.below(letters, counter++)));
      if (random.below(10, counter++) > 0) {
        links.push_back({i, static_cast<int>(target.size()), true});
        target.push_back(cipher(source.back()));
      }
      if (random.below(6, counter++) == 0) {
        links.push_back({i, static_cast<int>(target.size()), false});
        target.push_back(static_cast<std::int32_t>(random.below(cipher_letters, counter++)));
      }
    }
  }
  return words;
}

std::vector<SymbolPair> pairs_of(const std::vector<Made>& words) {
  std::vector<SymbolPair> pairs;
  for (const Made& word : words) pairs.push_back({word.source, word.target});
  return pairs;
}

template <class Call>
std::string error_of(ErrorKind kind, Call call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }
  return "no error";
}

TEST(Aligner, RecoversACipherWithInsertionsAndDeletions) {
  const auto words = make_words(400);
  const auto pairs = pairs_of(words);
  const Aligner aligner(pairs, letters, cipher_letters);
  int sure = 0, same_sure = 0, all = 0, same = 0;
  for (std::size_t w = 0; w < words.size(); ++w) {
    const Links links = aligner.align(pairs[w]);
    ASSERT_EQ(links.size(), words[w].target.size());
    for (std::size_t j = 0; j < links.size(); ++j) {
      const Link& wanted = words[w].links[j];
      ++all, same += links[j].source == wanted.source;
      if (wanted.sure) ++sure, same_sure += links[j] == wanted;
    }
  }
  EXPECT_GE(same_sure, 0.95 * sure) << same_sure << " of " << sure;
  EXPECT_GE(same, 0.95 * all) << same << " of " << all;
}

TEST(Aligner, LikelihoodRisesEveryRound) {
  const auto words = make_words(200);
  const Aligner aligner(pairs_of(words), letters, cipher_letters, 12);
  const auto likelihoods = aligner.log_likelihoods();
  ASSERT_EQ(likelihoods.size(), 12u);
  for (std::size_t round = 1; round < likelihoods.size(); ++round) {
    EXPECT_GT(likelihoods[round], likelihoods[round - 1]) << round;
  }
  EXPECT_LT(likelihoods.back(), 0);
}

// The number of ways to write 2 symbols as 1 is 5: three of three operations, two of two.
TEST(Aligner, FirstLikelihoodIsTheSumOverAllWays) {
  const Ids source = {0, 1}, target = {1};
  const std::vector<SymbolPair> pairs = {{source, target}};
  const Aligner aligner(pairs, 2, 3, 1);
  const double p = 1.0 / 12;  // of each of (2 + 1) * (3 + 1) operations
  ASSERT_EQ(aligner.log_likelihoods().size(), 1u);
  EXPECT_NEAR(aligner.log_likelihoods()[0], std::log((3 * p * p * p + 2 * p * p) * p), 1e-12);
}

// One pair of one symbol each: with x = s / (s + 2 i d) the share of the substitution, the expected counts of the
// substitution, the insertion, the deletion and the end are x, 1 - x, 1 - x and 1.
TEST(Aligner, SecondLikelihoodFollowsFromExpectedCounts) {
  const Ids source = {0}, target = {0};
  const std::vector<SymbolPair> pairs = {{source, target}};
  const Aligner aligner(pairs, 1, 1, 2);
  const double x = 0.25 / (0.25 + 2 * 0.25 * 0.25), total = x + 2 * (1 - x) + 1;
  const double s = x / total, i = (1 - x) / total;
  ASSERT_EQ(aligner.log_likelihoods().size(), 2u);
  EXPECT_NEAR(aligner.log_likelihoods()[1], std::log((s + 2 * i * i) / total), 1e-12);
}

TEST(Aligner, SameDataSameResult) {
  const auto words = make_words(50);
  const auto pairs = pairs_of(words);
  const Aligner a(pairs, letters, cipher_letters), b(pairs, letters, cipher_letters);
  EXPECT_EQ(Links(a.align(pairs[3])), b.align(pairs[3]));
  EXPECT_EQ(a.log_likelihoods().back(), b.log_likelihoods().back());
}

TEST(Aligner, LinksNeverGoBack) {
  const auto words = make_words(100);
  const Aligner aligner(pairs_of(words), letters, cipher_letters);
  for (std::size_t w = 0; w + 1 < words.size(); ++w) {
    const SymbolPair stranger = {words[w].source, words[w + 1].target};
    const Links links = aligner.align(stranger);
    ASSERT_EQ(links.size(), stranger.target.size());
    for (std::size_t j = 0; j < links.size(); ++j) {
      EXPECT_EQ(links[j].target, static_cast<int>(j));
      EXPECT_LT(links[j].source, static_cast<int>(stranger.source.size()));
      EXPECT_GE(links[j].source, j == 0 ? 0 : links[j - 1].source);
    }
  }
}

TEST(Aligner, InsertedSymbolsBelongToTheOneBefore) {
  const Ids ab = {0, 1}, a = {0}, insert_first = {2, 0, 1}, insert_last = {0, 2}, none;
  std::vector<SymbolPair> pairs(20, SymbolPair{ab, ab});
  pairs.insert(pairs.end(), 20, SymbolPair{a, a});
  pairs.push_back({ab, insert_first});
  pairs.push_back({a, insert_last});
  const Aligner aligner(pairs, 2, 3);
  EXPECT_EQ(aligner.align({ab, insert_first}), (Links{{0, 0, false}, {0, 1, true}, {1, 2, true}}));
  EXPECT_EQ(aligner.align({a, insert_last}), (Links{{0, 0, true}, {0, 1, false}}));
  EXPECT_EQ(aligner.align({none, ab}), Links{});
  EXPECT_EQ(aligner.align({ab, none}), Links{});
  EXPECT_EQ(aligner.align({none, none}), Links{});
}

// An insertion is the last thing done before a substitution or the end: deletions beside it come first, also where
// rounding makes the other order look better.
TEST(Aligner, DeletionsComeBeforeInsertions) {
  const auto words = make_words(100);
  const Aligner aligner(pairs_of(words), letters, cipher_letters);
  int insertions = 0;
  for (std::size_t w = 0; w + 1 < words.size(); ++w) {
    const Links links = aligner.align({words[w].source, words[w + 1].target});
    for (std::size_t j = 0; j < links.size(); ++j) {
      if (links[j].sure || (links[j].source == 0 && links[0].source == 0)) continue;  // 0 may mean none used yet
      ++insertions;
      const int next = j + 1 < links.size() ? links[j + 1].source : static_cast<int>(words[w].source.size());
      const bool next_inserted = j + 1 < links.size() && !links[j + 1].sure;
      EXPECT_EQ(next, links[j].source + (next_inserted ? 0 : 1)) << w << " " << j;
    }
  }
  EXPECT_GT(insertions, 50);
}

// Deletions and insertions were seen, but never the two symbols in one pair.
TEST(Aligner, WhatStandsForADeletedSymbolIsLinkedToIt) {
  const Ids ab = {0, 1}, a = {0}, inserted = {0, 2}, aba = {0, 1, 0}, replaced = {0, 2, 0};
  std::vector<SymbolPair> pairs(20, SymbolPair{ab, a});
  pairs.insert(pairs.end(), 20, SymbolPair{a, inserted});
  const Aligner aligner(pairs, 2, 3);
  EXPECT_EQ(aligner.align({aba, replaced}), (Links{{0, 0, true}, {1, 1, false}, {2, 2, true}}));
}

TEST(Aligner, UnseenSymbolsLeaveTheOthersWhereTheyBelong) {
  const Ids ab = {0, 1}, acb = {0, 2, 1};
  const std::vector<SymbolPair> pairs(5, SymbolPair{ab, ab});
  const Aligner aligner(pairs, 3, 3);
  EXPECT_EQ(aligner.align({acb, ab}), (Links{{0, 0, true}, {2, 1, true}}));
  EXPECT_EQ(aligner.align({ab, acb}), (Links{{0, 0, true}, {0, 1, false}, {1, 2, true}}));
  EXPECT_EQ(aligner.align({acb, acb}), (Links{{0, 0, true}, {1, 1, true}, {2, 2, true}}));
}

TEST(Aligner, LongPairsDoNotUnderflow) {
  Ids source, target;
  for (std::int32_t i = 0; i < 400; ++i) {
    source.push_back(i % letters);
    if (i % 4 > 0) target.push_back(cipher(i % letters));
  }
  const std::vector<SymbolPair> pairs = {{source, target}};
  const Aligner aligner(pairs, letters, cipher_letters, 3);
  for (const double likelihood : aligner.log_likelihoods()) EXPECT_TRUE(std::isfinite(likelihood));
  EXPECT_LT(aligner.log_likelihoods()[0], -1000);
  EXPECT_EQ(aligner.align(pairs[0]).size(), target.size());
}

// The words of a cipher one after the other: longer than what is looked at as a whole.
TEST(Aligner, LongPairsAreAlignedAlongTheDiagonal) {
  std::vector<Made> lines(3);
  const auto words = make_words(1200);
  for (std::size_t w = 0; w < words.size(); ++w) {
    auto& [source, target, links] = lines[w / 400];
    const int from = static_cast<int>(source.size()), to = static_cast<int>(target.size());
    for (const Link& link : words[w].links) links.push_back({link.source + from, link.target + to, link.sure});
    source.insert(source.end(), words[w].source.begin(), words[w].source.end());
    target.insert(target.end(), words[w].target.begin(), words[w].target.end());
  }
  ASSERT_GT(lines[0].source.size() * lines[0].target.size(), std::size_t{6} << 20);
  const auto pairs = pairs_of(lines);
  const Aligner aligner(pairs, letters, cipher_letters);
  for (std::size_t line = 0; line < lines.size(); ++line) {
    const Links links = aligner.align(pairs[line]);
    ASSERT_EQ(links.size(), lines[line].target.size());
    int same = 0;
    for (std::size_t j = 0; j < links.size(); ++j) same += links[j].source == lines[line].links[j].source;
    EXPECT_GE(same, 0.95 * static_cast<double>(links.size()));
  }
}

// However the sides differ in length, the ends belong together.
TEST(Aligner, LongPairsOfAnyShapeHaveAWay) {
  const Aligner aligner({}, 2, 2);
  for (const auto& [rows, columns] : {std::pair(1, 100'000),
                                      {2, 90'001},
                                      {7, 70'003},
                                      {300, 20'011},
                                      {20'011, 300},
                                      {700, 701},
                                      {90'001, 2},
                                      {9'000, 9'100}}) {
    const Ids source(as_size(rows), 0), target(as_size(columns), 1);
    const Links links = aligner.align({source, target});
    ASSERT_EQ(links.size(), target.size()) << rows;
    EXPECT_EQ(links.back().target, columns - 1);
    for (std::size_t j = 1; j < links.size(); ++j) ASSERT_GE(links[j].source, links[j - 1].source);
  }
}

TEST(Aligner, NoPairsNoRounds) {
  const Ids ab = {0, 1};
  const Aligner aligner({}, 2, 2);
  EXPECT_TRUE(aligner.log_likelihoods().empty());
  EXPECT_EQ(aligner.align({ab, ab}), (Links{{0, 0, true}, {1, 1, true}}));
}

TEST(Aligner, LimitsAreNamed) {
  EXPECT_NE(error_of(ErrorKind::usage, [] { Aligner({}, 100'000, 100'000); }).find("may be 16777216 at most"),
            std::string::npos);
  const Ids long_one(40'000, 0), outside = {2}, negative = {-1}, inside = {0};
  const Aligner aligner({}, 2, 2);
  EXPECT_NE(error_of(ErrorKind::data, [&] { aligner.align({long_one, long_one}); }).find("40000 and 40000 symbols"),
            std::string::npos);
  EXPECT_NE(error_of(ErrorKind::failure, [&] { aligner.align({outside, inside}); }).find("source id 2"),
            std::string::npos);
  EXPECT_NE(error_of(ErrorKind::failure, [&] { aligner.align({inside, negative}); }).find("target id -1"),
            std::string::npos);
  const std::vector<SymbolPair> pairs = {{inside, outside}};
  EXPECT_NE(error_of(ErrorKind::failure, [&] { Aligner(pairs, 2, 2); }).find("target id 2"), std::string::npos);
}

}  // namespace
}  // namespace fovea::aligner_test
