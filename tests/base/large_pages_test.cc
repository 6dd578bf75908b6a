#include "base/large_pages.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace fovea::large_memory_test {
namespace {

bool aligned(const void* memory, std::size_t to) { return reinterpret_cast<std::uintptr_t>(memory) % to == 0; }

// Whether the kernel was asked for large pages at this address: "hg" among the flags of its mapping.
bool asked_for_large_pages(const void* memory) {
  std::ifstream maps("/proc/self/smaps");
  bool inside = false;
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0, end = 0;
    char dash = 0;
    std::istringstream range(line);
    if (range >> std::hex >> begin >> dash >> end && dash == '-') {
      inside = reinterpret_cast<std::uintptr_t>(memory) >= begin && reinterpret_cast<std::uintptr_t>(memory) < end;
    } else if (inside && line.starts_with("VmFlags:")) {
      return line.find(" hg") != std::string::npos;
    }
  }
  return false;
}

TEST(LargeMemory, StartsAtALineOfTheCache) {
  for (const std::size_t size : {1u, 63u, 1000u, 100'000u}) EXPECT_TRUE(aligned(LargeVector<char>(size).data(), 64));
}

TEST(LargeMemory, OfManyMegabytesIsInLargePages) {
  const LargeVector<float> large(std::size_t(4) << 20, 1.0f);
  EXPECT_TRUE(aligned(large.data(), std::size_t(2) << 20));
  EXPECT_EQ(large.back(), 1.0f);
  if (!std::filesystem::exists("/sys/kernel/mm/transparent_hugepage")) GTEST_SKIP() << "this system has no large pages";
  EXPECT_TRUE(asked_for_large_pages(large.data()));
}

}  // namespace
}  // namespace fovea::large_memory_test
