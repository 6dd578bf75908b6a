// In which order the gradients of shards are added up, and which rank holds what of them: a binary tree over the shards
// that depends on their number alone, so that every number of ranks adds the same numbers in the same order.
#pragma once

#include <cstddef>
#include <vector>

#include "base/as_size.h"

namespace fovea {

inline constexpr int no_shard = -1;

// A part of the tree whose shards are all of one rank. It is summed by halves: a power of two of places for shards.
struct Branch {
  int first = 0;            // shard, which names the branch's sum
  std::vector<int> leaves;  // shards in order, or no_shard
};

// Of two branches' sums; the first takes both.
struct Addition {
  int into;
  int from;
};

class ShardTree {
 public:
  ShardTree(int shards, int ranks);

  // The shards of a rank: from begin(rank) to begin(rank + 1). Rank 0 has one at least.
  int begin(int rank) const;

  // The largest branches that the rank holds whole, in order. For 1, 2, 4, 8, ... ranks it is one at most.
  const std::vector<Branch>& branches(int rank) const { return branches_[as_size(rank)]; }
  // Additions that make of the sums of all branches the sum of all shards, which is then kept at 0.
  const std::vector<Addition>& across() const { return across_; }

 private:
  int visit(int first_leaf, int last_leaf);
  int shard_at(int leaf) const;
  void add_branch(int rank, int first_leaf, int last_leaf);

  int shards_;
  int ranks_;
  int leaves_;
  std::vector<std::vector<Branch>> branches_;  // by rank
  std::vector<Addition> across_;
};

}  // namespace fovea
