// However many ranks there are, the same numbers are added in the same order.
#include "training/shard_tree.h"

#include <gtest/gtest.h>

#include <span>
#include <string>

#include "base/as_size.h"

namespace fovea::shard_tree_test {
namespace {

void add(std::vector<std::string>& values, const Addition& a) {
  auto& into = values[as_size(a.into)];
  auto& from = values[as_size(a.from)];
  EXPECT_FALSE(into.empty() || from.empty()) << "added twice";
  into = "(" + into + from + ")";
  from.clear();
}

std::string formula_of(std::span<const int> leaves) {
  if (leaves.size() == 1) return leaves[0] == no_shard ? "" : std::string(1, static_cast<char>('a' + leaves[0]));
  const std::string left = formula_of(leaves.first(leaves.size() / 2)),
                    right = formula_of(leaves.subspan(leaves.size() / 2));
  return left.empty() || right.empty() ? left + right : "(" + left + right + ")";
}

// The sum as a formula.
std::string formula(int shards, int ranks) {
  const ShardTree tree(shards, ranks);
  std::vector<std::string> values(as_size(shards));
  for (int rank = 0; rank < ranks; ++rank) {
    for (const Branch& branch : tree.branches(rank)) {
      for (const int shard : branch.leaves) {
        EXPECT_TRUE(shard == no_shard || (shard >= tree.begin(rank) && shard < tree.begin(rank + 1))) << "not its own";
      }
      values[as_size(branch.first)] = formula_of(branch.leaves);
    }
  }
  for (const Addition& a : tree.across()) add(values, a);
  return values[0];
}

TEST(ShardTree, AddsHalvesOfHalves) {
  EXPECT_EQ(formula(1, 1), "a");
  EXPECT_EQ(formula(4, 1), "((ab)(cd))");
  EXPECT_EQ(formula(7, 1), "(((ab)(cd))((ef)g))");
}

TEST(ShardTree, RanksChangeNothing) {
  for (int shards = 1; shards <= 20; ++shards) {
    const std::string expected = formula(shards, 1);
    for (int ranks = 2; ranks <= 23; ++ranks) {
      EXPECT_EQ(formula(shards, ranks), expected) << shards << " shards, " << ranks << " ranks";
    }
  }
}

TEST(ShardTree, EveryShardHasOneRankAndTheFirstHasWork) {
  for (int shards = 1; shards <= 20; ++shards) {
    for (int ranks = 1; ranks <= 23; ++ranks) {
      const ShardTree tree(shards, ranks);
      EXPECT_EQ(tree.begin(0), 0);
      EXPECT_GE(tree.begin(1), 1);
      EXPECT_EQ(tree.begin(ranks), shards);
      for (int rank = 0; rank < ranks; ++rank) {
        EXPECT_LE(tree.begin(rank + 1) - tree.begin(rank), (shards + ranks - 1) / ranks);
      }
    }
  }
}

TEST(ShardTree, PowersOfTwoSendOneSumEach) {
  for (int shards = 1; shards <= 64; ++shards) {
    for (const int ranks : {1, 2, 4, 8, 16}) {
      const ShardTree tree(shards, ranks);
      for (int rank = 0; rank < ranks; ++rank) EXPECT_LE(tree.branches(rank).size(), 1u) << shards << " over " << ranks;
    }
  }
}

}  // namespace
}  // namespace fovea::shard_tree_test
