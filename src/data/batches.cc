#include "data/batches.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "base/as_size.h"
#include "base/error.h"
#include "base/random.h"

namespace fovea {

namespace {

using Row = std::uint32_t;
using Batches = std::vector<std::span<const Row>>;

// Sorting by hash rather than swapping: the place of one element does not depend on how many were drawn before.
template <class T>
void shuffle(std::vector<T>& elements, const Random& random) {
  std::vector<std::pair<std::uint64_t, std::size_t>> keys(elements.size());
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = {random.bits(i), i};
  std::sort(keys.begin(), keys.end());
  std::vector<T> shuffled;
  shuffled.reserve(elements.size());
  for (const auto& [key, i] : keys) shuffled.push_back(elements[i]);
  elements = std::move(shuffled);
}

// The cells of a batch while rows are added to it.
struct Extent {
  std::int64_t rows = 0;
  std::int64_t source = 0;  // longest
  std::int64_t target = 0;

  Extent with(const Length& length) const {
    return {rows + 1, std::max<std::int64_t>(source, length.source), std::max<std::int64_t>(target, length.target)};
  }
  std::int64_t cells() const { return rows * (source + target); }
  bool fits(BatchSize size) const { return (size.tokens ? cells() : rows) <= size.count; }
};

std::int64_t count_tokens(std::span<const Length> lengths) {
  std::int64_t tokens = 0;
  for (const Length& length : lengths) tokens += std::int64_t{length.source} + length.target;
  return tokens;
}

// Large enough that neighbours have nearly equal lengths, small enough that which lines share a batch is drawn anew
// every epoch: few batches are sorted in many small windows.
std::size_t window_size(std::span<const Length> lengths, BatchSize size) {
  constexpr double max_batches = 64, fewest_windows = 8;
  double rows = static_cast<double>(size.count);
  if (size.tokens) {
    rows *= static_cast<double>(lengths.size()) / static_cast<double>(std::max<std::int64_t>(count_tokens(lengths), 1));
  }
  const double lines = static_cast<double>(lengths.size());
  const double window = std::min(max_batches * rows, lines / fewest_windows);
  return as_size(std::max(1.0, std::clamp(window, std::min(rows, lines), lines)));
}

// Every other window is sorted downwards, so that the last batch of a window can go on smoothly into the next one.
void sort_windows(std::vector<Row>& order, std::span<const Length> lengths, std::size_t window) {
  const auto shorter = [&](Row a, Row b) {
    return std::pair(lengths[a].source, lengths[a].target) < std::pair(lengths[b].source, lengths[b].target);
  };
  bool upwards = true;
  for (std::size_t begin = 0; begin < order.size(); begin += window) {
    const auto rows = std::span(order).subspan(begin, std::min(window, order.size() - begin));
    std::stable_sort(rows.begin(), rows.end(), shorter);
    if (!upwards) std::reverse(rows.begin(), rows.end());
    upwards = !upwards;
  }
}

Batches cut(std::span<const Row> order, std::span<const Length> lengths, BatchSize size, std::int64_t& cells) {
  Batches batches;
  for (std::size_t begin = 0; begin < order.size();) {
    Extent extent = Extent().with(lengths[order[begin]]);
    std::size_t end = begin + 1;
    for (; end < order.size(); ++end) {
      const Extent wider = extent.with(lengths[order[end]]);
      if (!wider.fits(size)) break;
      extent = wider;
    }
    batches.push_back(order.subspan(begin, end - begin));
    cells += extent.cells();
    begin = end;
  }
  return batches;
}

}  // namespace

std::span<const std::uint32_t> BatchPlan::operator[](std::size_t batch) const {
  check(batch < ends_.size(), "batch {} of {}", batch, ends_.size());
  const std::size_t begin = batch == 0 ? 0 : ends_[batch - 1];
  return std::span(order_).subspan(begin, ends_[batch] - begin);
}

BatchPlan plan_batches(std::span<const Length> lengths, BatchSize size, std::uint64_t seed, std::uint64_t epoch) {
  check(lengths.size() <= std::numeric_limits<Row>::max(), "{} examples are too many for one epoch", lengths.size());
  const Random random = Random(seed, Purpose::order).at(epoch);

  std::vector<Row> order(lengths.size());
  std::iota(order.begin(), order.end(), Row{0});
  shuffle(order, random.at(0));
  sort_windows(order, lengths, window_size(lengths, size));

  std::int64_t cells = 0;
  Batches batches = cut(order, lengths, size, cells);
  shuffle(batches, random.at(1));

  BatchPlan plan;
  plan.order_.reserve(order.size());
  for (const auto& batch : batches) {
    plan.order_.insert(plan.order_.end(), batch.begin(), batch.end());
    plan.ends_.push_back(plan.order_.size());
  }
  if (cells > 0) plan.padding_share_ = 1 - static_cast<double>(count_tokens(lengths)) / static_cast<double>(cells);
  return plan;
}

}  // namespace fovea
