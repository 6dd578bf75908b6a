// The gradient of a batch. Threads first take shards of it forward and backward, each shard with memory of its own;
// then they take parts of the weights' gradients, which are products over all shards. The number of threads changes
// nothing but the time.
#pragma once

#include <span>
#include <vector>

#include "base/as_size.h"
#include "base/ranks.h"
#include "base/threads.h"
#include "tasks/model.h"
#include "tasks/word_dropout.h"
#include "training/shard_tree.h"

namespace fovea {

// What a step of training asks for.
struct GradientRequest {
  std::span<const std::uint32_t> examples;  // of the batch
  Random random;                            // of this step
  double dropout = 0;
  double scheduled_sampling = 0;
  double expected = 0;  // log-likelihood of a target symbol, by what earlier steps brought
  int shards = 1;
};

struct GradientResult {
  double loss = 0;                                    // summed over target symbols
  double nll = 0;                                     // its part that is minus the log-likelihood
  std::vector<std::pair<std::string, double>> terms;  // all parts, per target symbol; on rank 0 alone
  std::int64_t symbols = 0;                           // of the targets, stop symbols counted
  std::int64_t tokens = 0;                            // of both sides
  double norm = 0;                                    // of the mean gradient
};

class GradientWorker {
 public:
  GradientWorker(const Model& model, std::span<const Encoding> examples, Workers& workers,
                 Ranks& ranks = Ranks::alone());

  // Leaves the mean gradient per target symbol in gradient(), on every rank. All ranks ask for the same.
  GradientResult compute(const GradientRequest& request);
  std::span<const Real> gradient() const { return shards_[0].sum; }

  // Shares the weights out in pieces that do not depend on the number of threads.
  void for_each_piece(const std::function<void(std::size_t start, std::size_t count)>& work);

 private:
  struct Shard {
    std::vector<std::uint32_t> examples;
    Arena arena;
    Batch batch;
    std::vector<WeightGradient> gradients;  // of each weight; in the arena
    std::vector<std::string> names;
    std::vector<double> losses;  // the whole, then its terms by name
    // Of the branch of the tree that the shard is the first of: of all weights if the branch is this rank's own or
    // begins at shard 0, else of this rank's part of the weights.
    LargeVector<Real> sum;
  };
  struct Part {
    std::size_t start;
    std::size_t count;
  };
  void share_out(std::span<const std::uint32_t> examples, int shards);
  void compute_shard(Shard& shard, const GradientRequest& request, double scale);
  void fill_shard(Shard& shard, const Random& random);
  Shard& shard(int index) { return shards_[as_size(index)]; }
  std::size_t weights() const { return as_size(model_.parameters().count()); }
  Part part_of(int rank) const;  // of the weights, that it adds up over all ranks
  std::span<Real> sum_of(int branch, Part part);
  void sum_branch(const Branch& branch);
  void sum_across_ranks(const ShardTree& tree);
  double norm();
  void sum_losses(const ShardTree& tree, GradientResult& result);
  void for_each_piece_of(Part part, const std::function<void(Part)>& work);

  const Model& model_;
  std::span<const Encoding> examples_;
  Workers& workers_;
  Ranks& ranks_;
  WordDropout word_dropout_;
  std::vector<Shard> shards_;
  int shard_count_ = 0;
  std::vector<Arena> rooms_;           // of each worker
  std::vector<WeightGradient> notes_;  // [weights, leaves of a branch]
};

}  // namespace fovea
