#include "tensor/arena.h"

#include <algorithm>
#include <new>

namespace fovea {

namespace {
constexpr std::size_t smallest_block = std::size_t(1) << 20;
}

void Arena::Free::operator()(std::byte* block) const { ::operator delete(block, std::align_val_t(alignment)); }

void Arena::add_block(std::size_t size) {
  used_before_ += offset_;
  offset_ = 0;
  auto* memory = static_cast<std::byte*>(::operator new(size, std::align_val_t(alignment)));
  blocks_.push_back({std::unique_ptr<std::byte, Free>(memory), size});
}

void* Arena::bytes(std::size_t count) {
  count = (count + alignment - 1) / alignment * alignment;
  if (blocks_.empty() || offset_ + count > blocks_.back().size) {
    add_block(std::max({count, smallest_block, blocks_.empty() ? 0 : 2 * blocks_.back().size}));
  }
  void* result = blocks_.back().memory.get() + offset_;
  offset_ += count;
  return result;
}

void Arena::reset() {
  if (blocks_.size() > 1) {
    const std::size_t all = capacity();
    blocks_.clear();
    offset_ = used_before_ = 0;
    add_block(all);
  }
  offset_ = used_before_ = 0;
}

std::size_t Arena::capacity() const {
  std::size_t sum = 0;
  for (const Block& block : blocks_) sum += block.size;
  return sum;
}

}  // namespace fovea
