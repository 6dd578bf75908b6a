#include "data/batches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/as_size.h"
#include "base/error.h"
#include "base/random.h"

namespace fovea::batches_test {
namespace {

using Batches = std::vector<std::vector<std::uint32_t>>;

Batches list(const BatchPlan& plan) {
  Batches batches;
  for (std::size_t i = 0; i < plan.size(); ++i) batches.emplace_back(plan[i].begin(), plan[i].end());
  return batches;
}

std::vector<Length> random_lengths(std::uint64_t count, std::uint64_t longest) {
  std::vector<Length> lengths;
  for (std::uint64_t i = 0; i < count; ++i) {
    const int source = 1 + static_cast<int>(mix(i, 1) % longest);
    lengths.push_back({source, source / 2 + static_cast<int>(mix(i, 2) % 5)});
  }
  return lengths;
}

std::int64_t cells(const std::vector<std::uint32_t>& batch, const std::vector<Length>& lengths) {
  int source = 0;
  int target = 0;
  for (const auto row : batch) {
    source = std::max(source, lengths[row].source);
    target = std::max(target, lengths[row].target);
  }
  return static_cast<std::int64_t>(batch.size()) * (source + target);
}

void expect_each_once(const Batches& batches, std::size_t count) {
  std::vector<int> seen(count, 0);
  for (const auto& batch : batches) {
    EXPECT_FALSE(batch.empty());
    for (const auto row : batch) ++seen.at(row);
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<std::ptrdiff_t>(count));
}

TEST(Batches, EveryExampleOnceWithinTheBudget) {
  const auto lengths = random_lengths(20000, 60);
  for (const char* size : {"64", "1", "4000t", "500t", "1000000t", "100000"}) {
    const BatchSize batch_size = parse_batch_size(size);
    const BatchPlan plan = plan_batches(lengths, batch_size, 1, 0);
    const Batches batches = list(plan);
    expect_each_once(batches, lengths.size());
    std::int64_t all = 0;
    std::int64_t used = 0;
    for (const auto& batch : batches) {
      all += cells(batch, lengths);
      const bool tokens = batch_size.tokens;
      EXPECT_LE(tokens ? cells(batch, lengths) : static_cast<std::int64_t>(batch.size()), batch_size.count) << size;
    }
    for (const Length& length : lengths) used += length.source + length.target;
    EXPECT_NEAR(plan.padding_share(), 1 - static_cast<double>(used) / static_cast<double>(all), 1e-12);
  }
}

TEST(Batches, RowBatchesAreFull) {
  const BatchPlan plan = plan_batches(random_lengths(20000, 60), parse_batch_size("64"), 1, 0);
  EXPECT_EQ(plan.size(), (20000u + 63) / 64);
}

TEST(Batches, LittlePaddingAndGoodFilling) {
  const auto lengths = random_lengths(50000, 60);
  std::int64_t used = 0;
  for (const Length& length : lengths) used += length.source + length.target;
  const BatchPlan plan = plan_batches(lengths, parse_batch_size("4000t"), 1, 0);
  EXPECT_LT(plan.padding_share(), 0.053);  // 0.056 if all windows are sorted upwards
  EXPECT_LT(static_cast<double>(plan.size()), 1.15 * static_cast<double>(used) / 4000);
}

TEST(Batches, OrderIsAPureFunctionOfSeedAndEpoch) {
  const auto lengths = random_lengths(5000, 30);
  const BatchSize size = parse_batch_size("2000t");
  const Batches first = list(plan_batches(lengths, size, 1, 0));
  EXPECT_EQ(list(plan_batches(lengths, size, 1, 0)), first);
  using Key = std::pair<std::uint64_t, std::uint64_t>;
  for (const auto& [seed, epoch] : {Key{1, 1}, Key{2, 0}, Key{0, 1}}) {
    const Batches other = list(plan_batches(lengths, size, seed, epoch));
    EXPECT_NE(other, first);
    EXPECT_NE(other.front(), first.front());
    expect_each_once(other, lengths.size());
    // Not the same batches in another order either.
    std::size_t same = 0;
    for (const auto& batch : other) same += as_size(std::count(first.begin(), first.end(), batch));
    EXPECT_LT(same, first.size() / 10 + 1);
  }
}

TEST(Batches, BatchesAreNotInOrderOfLength) {
  const auto lengths = random_lengths(20000, 60);
  const Batches batches = list(plan_batches(lengths, parse_batch_size("64"), 1, 0));
  std::size_t rises = 0;
  for (std::size_t i = 1; i < batches.size(); ++i) {
    rises += lengths[batches[i][0]].source >= lengths[batches[i - 1][0]].source ? 1 : 0;
  }
  EXPECT_GT(rises, batches.size() * 2 / 5);
  EXPECT_LT(rises, batches.size() * 3 / 5);
}

// Of few lines, too, it is drawn anew which ones share a batch: sorted as a whole they would have the same mates
// forever.
TEST(Batches, FewLinesAreSortedInSeveralWindows) {
  const auto lengths = random_lengths(300, 60);
  const auto batches_of = [&](std::uint64_t epoch) {
    return list(plan_batches(lengths, parse_batch_size("16"), 1, epoch));
  };
  const auto mates = [&](std::uint64_t epoch) {
    std::vector<std::set<std::uint32_t>> of(lengths.size());
    for (const auto& batch : batches_of(epoch)) {
      for (const auto row : batch) of[row] = {batch.begin(), batch.end()};
    }
    return of;
  };
  const auto first = mates(0), second = mates(1);
  std::size_t shared = 0, all = 0;
  for (std::size_t row = 0; row < lengths.size(); ++row) {
    for (const auto mate : first[row]) shared += mate != row && second[row].contains(mate);
    all += first[row].size() - 1;
  }
  EXPECT_LT(shared, all / 5) << "of " << all;
  // Nor is each length in one batch alone.
  const auto batches = batches_of(0);
  const auto spans = [&](int length) {
    return std::ranges::count_if(batches, [&](const auto& batch) {
      const auto [low, high] = std::ranges::minmax(batch, {}, [&](std::uint32_t row) { return lengths[row].source; });
      return lengths[low].source <= length && length <= lengths[high].source;
    });
  };
  EXPECT_GE(spans(30), 5);
}

TEST(Batches, OneBeyondTheBudgetIsAlone) {
  std::vector<Length> lengths(10, Length{5, 5});
  lengths[3] = {2'000'000'000, 2'000'000'000};
  const Batches batches = list(plan_batches(lengths, parse_batch_size("100t"), 1, 0));
  expect_each_once(batches, 10);
  for (const auto& batch : batches) {
    if (std::count(batch.begin(), batch.end(), 3u) > 0) {
      EXPECT_EQ(batch.size(), 1u);
    }
  }
}

TEST(Batches, NothingAndZeroLengths) {
  EXPECT_EQ(plan_batches({}, parse_batch_size("64"), 1, 0).size(), 0u);
  const std::vector<Length> empty(7, Length{0, 0});
  const BatchPlan plan = plan_batches(empty, parse_batch_size("10t"), 1, 0);
  expect_each_once(list(plan), 7);
  EXPECT_EQ(plan.padding_share(), 0.0);
  EXPECT_THROW(plan[plan.size()], Error);
}

}  // namespace
}  // namespace fovea::batches_test
