// The gradient of a batch. Threads first take shards of it forward and backward, each shard with memory of its own;
// then they take parts of the weights' gradients, which are products over all shards. The number of threads changes
// nothing but the time.
#pragma once

#include <span>
#include <vector>

#include "base/threads.h"
#include "tasks/model.h"

namespace fovea {

// What a step of training asks for.
struct GradientRequest {
  std::span<const std::uint32_t> examples;  // of the batch
  Random random;                            // of this step
  double dropout = 0;
  double sampling = 0;
  int shards = 1;
};

struct GradientResult {
  double loss = 0;                                    // summed over target symbols
  double likelihood = 0;                              // its part that is minus the log-likelihood
  std::vector<std::pair<std::string, double>> terms;  // all parts, per target symbol
  std::int64_t symbols = 0;                           // of the targets, stop symbols counted
  std::int64_t tokens = 0;                            // of both sides
  double norm = 0;                                    // of the mean gradient
};

class GradientWorker {
 public:
  GradientWorker(const Model& model, std::span<const Encoding> examples, Workers& workers);

  // Leaves the mean gradient per target symbol in gradient().
  GradientResult compute(const GradientRequest& request);
  std::span<const Real> gradient() const { return gradient_; }

  // Shares the weights out in pieces that do not depend on the number of threads.
  void for_each_piece(const std::function<void(std::size_t start, std::size_t count)>& work);

 private:
  struct Shard {
    std::vector<std::uint32_t> examples;
    Arena arena;
    Batch batch;
    std::vector<Encoding> changed;          // examples with sources partly replaced by <unk>
    std::vector<WeightGradient> gradients;  // of each weight; in the arena
    double loss = 0;
    std::vector<std::pair<std::string, double>> terms;
    int symbols = 0;
  };
  void share_out(std::span<const std::uint32_t> examples, int shards);
  void compute_shard(Shard& shard, const GradientRequest& request, double scale);
  void fill_batch(Shard& shard, const Random& random);
  void sum_shards();
  double norm();

  const Model& model_;
  std::span<const Encoding> examples_;
  Workers& workers_;
  std::vector<float> unknown_;  // by source id, how often training replaces it
  bool replaces_;               // not where sources are targets too
  std::vector<Shard> shards_;
  int shard_count_ = 0;
  std::vector<Arena> rooms_;  // of each worker
  std::vector<Real> gradient_;
};

}  // namespace fovea
