#include "libdeepprof/pages.h"

#include <sys/mman.h>

namespace deepprof {

namespace {

std::byte* map(size_t bytes, int flags) {
  void* pages =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
  return pages == MAP_FAILED ? nullptr : static_cast<std::byte*>(pages);
}

}  // namespace

// MAP_POPULATE faults every page in now, in the thread that can afford it.
std::byte* map_touched_pages(size_t bytes) { return map(bytes, MAP_POPULATE); }
std::byte* map_pages(size_t bytes) { return map(bytes, 0); }

void touch_pages(std::byte* pages, size_t bytes) {
  constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE
  ::madvise(pages, bytes, kPopulateWrite);
}

void unmap_pages(std::byte* pages, size_t bytes) {
  if (pages != nullptr) ::munmap(pages, bytes);
}

}  // namespace deepprof
