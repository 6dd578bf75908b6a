// Which examples share a batch, and in what order: a pure function of (lengths, size, seed, epoch), so a checkpoint
// stores a cursor and not a history.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/periods.h"

namespace fovea {

struct Length {
  int source = 0;  // tokens
  int target = 0;
};

class BatchPlan {
 public:
  std::size_t size() const { return ends_.size(); }
  // The examples of a batch.
  std::span<const std::uint32_t> operator[](std::size_t batch) const;
  // Cells that hold padding / all cells, over all batches.
  double padding_share() const { return padding_share_; }

 private:
  friend BatchPlan plan_batches(std::span<const Length>, BatchSize, std::uint64_t, std::uint64_t);

  std::vector<std::uint32_t> order_;
  std::vector<std::size_t> ends_;  // of each batch in order_
  double padding_share_ = 0;
};

// By tokens: rows * (longest source + longest target) <= count, which bounds memory and evens out the time of a step; a
// single example beyond that gets a batch of its own. Every example exactly once. Examples are shuffled, sorted by
// length inside large windows, cut into batches, and the batches shuffled.
BatchPlan plan_batches(std::span<const Length> lengths, BatchSize size, std::uint64_t seed, std::uint64_t epoch);

}  // namespace fovea
