#include "libdeepprof/pages.h"

#include <sys/mman.h>

namespace deepprof {

std::byte* map_touched_pages(size_t bytes) {
  // MAP_POPULATE faults every page in now, in the thread that can afford it.
  void* pages = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  return pages == MAP_FAILED ? nullptr : static_cast<std::byte*>(pages);
}

void unmap_pages(std::byte* pages, size_t bytes) {
  if (pages != nullptr) ::munmap(pages, bytes);
}

}  // namespace deepprof
