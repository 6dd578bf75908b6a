// Memory of one pass of one worker: handed out by moving a pointer, given back all at once. Blocks are kept, so that
// after the first pass nothing is asked of the heap any more. The address sanitizer is told what is handed out, so that
// it notices who reads or writes beyond the last piece.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/large_pages.h"

namespace fovea {

class Arena {
 public:
  static constexpr std::size_t alignment = cache_line;

  // Uninitialised.
  void* bytes(std::size_t wanted);

  template <class T>
  std::span<T> array(std::size_t count) {
    static_assert(std::is_trivially_destructible_v<T>, "nothing in an arena is destroyed");
    return {static_cast<T*>(bytes(count * sizeof(T))), count};
  }

  // Everything handed out becomes invalid.
  void reset();

  std::size_t used() const { return used_before_ + offset_; }
  std::size_t capacity() const;

 private:
  struct Free {
    std::size_t size = 0;
    void operator()(std::byte* block) const;
  };
  using Block = std::unique_ptr<std::byte, Free>;
  std::vector<Block> blocks_;
  std::size_t block_ = 0;        // the one in use
  std::size_t offset_ = 0;       // in it
  std::size_t used_before_ = 0;  // in the blocks before it
};

}  // namespace fovea
