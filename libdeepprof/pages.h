// Memory that is mapped straight from the kernel: it must not come from the job's allocator, and
// buffers that the job's launching threads write into may not meet a page fault there.
#pragma once

#include <cstddef>

namespace deepprof {

// Zeroed, readable, writable; null when the kernel refuses. `bytes` is a multiple of the page.
// Touched: every page is resident from the start.
std::byte* map_touched_pages(size_t bytes);
std::byte* map_pages(size_t bytes);
// Makes the pages of map_pages() resident, whoever writes to them meanwhile. Nothing before Linux
// 5.14.
void touch_pages(std::byte* pages, size_t bytes);
void unmap_pages(std::byte* pages, size_t bytes);  // null: nothing to do

}  // namespace deepprof
