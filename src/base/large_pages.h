// Memory for large arrays in large pages, where the system has them: products walk through megabytes of weights, and
// with pages of 4 KiB finding the pages takes a good part of the time.
#pragma once

#include <cstddef>
#include <vector>

namespace fovea {

inline constexpr std::size_t cache_line = 64;

// Aligned to a cache line at least.
void* allocate_large(std::size_t bytes);
void free_large(void* memory, std::size_t bytes);

template <class T>
struct LargeAllocator {
  using value_type = T;
  LargeAllocator() = default;
  template <class U>
  LargeAllocator(const LargeAllocator<U>&) {}

  T* allocate(std::size_t count) { return static_cast<T*>(allocate_large(count * sizeof(T))); }
  void deallocate(T* memory, std::size_t count) { free_large(memory, count * sizeof(T)); }
  bool operator==(const LargeAllocator&) const { return true; }
};

template <class T>
using LargeVector = std::vector<T, LargeAllocator<T>>;

}  // namespace fovea
