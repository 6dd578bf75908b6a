#include "tensor/arena.h"

#include <algorithm>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FOVEA_ADDRESS_SANITIZER
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define FOVEA_ADDRESS_SANITIZER
#endif
#ifdef FOVEA_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#endif

namespace fovea {

namespace {

constexpr std::size_t smallest_block = std::size_t(1) << 20;

#ifdef FOVEA_ADDRESS_SANITIZER
void forbid(const void* from, std::size_t count) { ASAN_POISON_MEMORY_REGION(from, count); }
void allow(const void* from, std::size_t count) { ASAN_UNPOISON_MEMORY_REGION(from, count); }
#else
void forbid(const void*, std::size_t) {}
void allow(const void*, std::size_t) {}
#endif

}  // namespace

void Arena::Free::operator()(std::byte* block) const {
  allow(block, size);
  free_large(block, size);
}

void* Arena::bytes(std::size_t wanted) {
  const std::size_t count = (wanted + alignment - 1) / alignment * alignment;
  while (block_ < blocks_.size() && offset_ + count > blocks_[block_].get_deleter().size) {
    used_before_ += offset_;
    offset_ = 0;
    ++block_;
  }
  if (block_ == blocks_.size()) {
    const std::size_t size = std::max({count, smallest_block, capacity()});
    blocks_.emplace_back(static_cast<std::byte*>(allocate_large(size)), Free{size});
    forbid(blocks_.back().get(), size);
  }
  void* result = blocks_[block_].get() + offset_;
  allow(result, wanted);
  offset_ += count;
  return result;
}

void Arena::reset() {
  for (const Block& block : blocks_) forbid(block.get(), block.get_deleter().size);
  block_ = offset_ = used_before_ = 0;
}

std::size_t Arena::capacity() const {
  std::size_t sum = 0;
  for (const Block& block : blocks_) sum += block.get_deleter().size;
  return sum;
}

}  // namespace fovea
