// Memory that is mapped straight from the kernel and touched before use: buffers that the job's launching
// threads write into may not meet a page fault there, and must not come from the job's allocator.
#pragma once

#include <cstddef>

namespace deepprof {

// Zeroed, readable, writable, resident. Null when the kernel refuses. `bytes` is a multiple of the page.
std::byte* map_touched_pages(size_t bytes);
void unmap_pages(std::byte* pages, size_t bytes);  // null: nothing to do

}  // namespace deepprof
