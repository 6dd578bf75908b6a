#include "tensor/arena.h"

#include <algorithm>

namespace fovea {

namespace {
constexpr std::size_t smallest_block = std::size_t(1) << 20;
}

void* Arena::bytes(std::size_t count) {
  count = (count + alignment - 1) / alignment * alignment;
  while (block_ < blocks_.size() && offset_ + count > blocks_[block_].get_deleter().size) {
    used_before_ += offset_;
    offset_ = 0;
    ++block_;
  }
  if (block_ == blocks_.size()) {
    const std::size_t size = std::max({count, smallest_block, capacity()});
    blocks_.emplace_back(static_cast<std::byte*>(allocate_large(size)), Free{size});
  }
  void* result = blocks_[block_].get() + offset_;
  offset_ += count;
  return result;
}

void Arena::reset() { block_ = offset_ = used_before_ = 0; }

std::size_t Arena::capacity() const {
  std::size_t sum = 0;
  for (const Block& block : blocks_) sum += block.get_deleter().size;
  return sum;
}

}  // namespace fovea
