// The gradient of a batch: shards worked on by threads, each with memory of its own, summed in the order of the shards.
// The number of threads changes nothing but the time.
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
  std::span<const Real> gradient() const { return shards_[0].gradient; }

  // Shares the weights out in pieces that do not depend on the number of threads.
  void for_each_piece(const std::function<void(std::size_t start, std::size_t count)>& work);

 private:
  struct Shard {
    std::vector<std::uint32_t> examples;
    std::vector<Real> gradient;
    double loss = 0;
    std::vector<std::pair<std::string, double>> terms;
    int symbols = 0;
  };
  struct Memory {
    Arena arena;
    Batch batch;
    std::vector<Encoding> changed;  // examples with sources partly replaced by <unk>
  };
  void share_out(std::span<const std::uint32_t> examples, int shards);
  void compute_shard(Shard& shard, Memory& memory, const GradientRequest& request, double scale);
  void fill_batch(const Shard& shard, Memory& memory, const Random& random);
  double sum_shards();

  const Model& model_;
  std::span<const Encoding> examples_;
  Workers& workers_;
  std::vector<float> unknown_;  // by source id, how often training replaces it
  bool replaces_;               // not where sources are targets too
  std::vector<Shard> shards_;
  int shard_count_ = 0;
  std::vector<Memory> memories_;
};

}  // namespace fovea
