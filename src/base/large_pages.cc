#include "base/large_pages.h"

#include <sys/mman.h>

#include <new>

namespace fovea {

namespace {

constexpr std::size_t large_page = std::size_t(1) << 21;

std::align_val_t alignment(std::size_t bytes) {
  return std::align_val_t(bytes >= large_page ? large_page : cache_line);
}

}  // namespace

void* allocate_large(std::size_t bytes) {
  void* memory = ::operator new(bytes, alignment(bytes));
  if (bytes >= large_page) madvise(memory, bytes, MADV_HUGEPAGE);  // a wish: without it all is merely slower
  return memory;
}

void free_large(void* memory, std::size_t bytes) { ::operator delete(memory, alignment(bytes)); }

}  // namespace fovea
