// Memory of one pass of one worker: handed out by moving a pointer, given back all at once. After the first few passes
// the blocks have become one block large enough, and nothing is asked of the heap any more.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace fovea {

class Arena {
 public:
  static constexpr std::size_t alignment = 64;

  // Uninitialised.
  void* bytes(std::size_t count);

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
    void operator()(std::byte* block) const;
  };
  struct Block {
    std::unique_ptr<std::byte, Free> memory;
    std::size_t size = 0;
  };
  void add_block(std::size_t size);

  std::vector<Block> blocks_;
  std::size_t offset_ = 0;       // in the last block
  std::size_t used_before_ = 0;  // in the blocks before it
};

}  // namespace fovea
