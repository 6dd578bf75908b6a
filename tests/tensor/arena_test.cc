#include "tensor/arena.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace fovea::arena_test {
namespace {

constexpr std::size_t mebibyte = std::size_t(1) << 20;

TEST(Arena, EveryPieceIsAligned) {
  Arena arena;
  for (const std::size_t count : {1, 3, 64, 65, 0, 1000, 7}) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(arena.bytes(count)) % Arena::alignment, 0u) << count;
  }
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(arena.bytes(5 * mebibyte)) % Arena::alignment, 0u);
}

// Pieces small and larger than a block keep what was written to them, so none overlap.
TEST(Arena, PiecesKeepTheirContentWhileItGrows) {
  Arena arena;
  std::vector<std::span<int>> pieces;
  for (int i = 0; i < 200; ++i) {
    pieces.push_back(arena.array<int>(i == 100 ? 3 * mebibyte / sizeof(int) : 4001));
    std::ranges::fill(pieces.back(), i);
  }
  EXPECT_GT(arena.capacity(), 5 * mebibyte);
  for (int i = 0; i < 200; ++i) {
    EXPECT_TRUE(std::ranges::all_of(pieces[i], [&](int value) { return value == i; })) << i;
  }
}

TEST(Arena, CountsWhatIsUsed) {
  Arena arena;
  EXPECT_EQ(arena.used(), 0u);
  arena.bytes(1);
  EXPECT_EQ(arena.used(), Arena::alignment);
  arena.bytes(Arena::alignment + 1);
  EXPECT_EQ(arena.used(), 3 * Arena::alignment);
  arena.bytes(4 * mebibyte);
  EXPECT_EQ(arena.used(), 4 * mebibyte + 3 * Arena::alignment);
  arena.reset();
  EXPECT_EQ(arena.used(), 0u);
}

TEST(Arena, ItsBlocksServeTheSamePassAgain) {
  Arena arena;
  const auto pass = [&] {
    arena.reset();
    void* first = arena.bytes(mebibyte / 2);
    for (int i = 0; i < 20; ++i) arena.bytes(mebibyte / 2 + 1);
    return first;
  };
  pass();
  void* const second = pass();
  const std::size_t capacity = arena.capacity();
  EXPECT_GE(capacity, 10 * mebibyte);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(pass(), second);
    EXPECT_EQ(arena.capacity(), capacity);
  }
}

}  // namespace
}  // namespace fovea::arena_test
