#include "training/shard_tree.h"

#include <bit>
#include <cstddef>

#include "base/as_size.h"

namespace fovea {

namespace {
constexpr int nobody = -1;

// Shares rounded up, so that the first gets one if there is any.
int start_of_share(int all, int share, int shares) { return (all * share + shares - 1) / shares; }

}  // namespace

// The tree halves a power of two of equal shares of the shards, none with more than one. So a rank's shards, where the
// number of ranks is a power of two, are a branch.
ShardTree::ShardTree(int shards, int ranks)
    : shards_(shards),
      ranks_(ranks),
      leaves_(static_cast<int>(std::bit_ceil(static_cast<unsigned>(shards)))),
      branches_(as_size(ranks)) {
  add_branch(visit(0, leaves_), 0, leaves_);
}

int ShardTree::begin(int rank) const { return start_of_share(shards_, rank, ranks_); }

// The first shard at this leaf or behind it.
int ShardTree::shard_at(int leaf) const { return start_of_share(shards_, leaf, leaves_); }

void ShardTree::add_branch(int rank, int first_leaf, int last_leaf) {
  if (rank == nobody) return;
  Branch branch = {shard_at(first_leaf), {}};
  for (int leaf = first_leaf; leaf < last_leaf; ++leaf) {
    const int shard = shard_at(leaf);
    branch.leaves.push_back(shard < shard_at(leaf + 1) ? shard : no_shard);
  }
  branches_[as_size(rank)].push_back(std::move(branch));
}

// Of a branch with at least one shard; returns the rank that holds it whole.
int ShardTree::visit(int first_leaf, int last_leaf) {
  const int half = (first_leaf + last_leaf) / 2;
  const int first = shard_at(first_leaf), middle = shard_at(half);
  if (shard_at(last_leaf) - first == 1) {
    int rank = 0;
    while (begin(rank + 1) <= first) ++rank;
    return rank;
  }
  const int left = visit(first_leaf, half), right = visit(half, last_leaf);
  if (left == right && left != nobody) return left;
  add_branch(left, first_leaf, half);
  add_branch(right, half, last_leaf);
  across_.push_back({first, middle});
  return nobody;
}

}  // namespace fovea
