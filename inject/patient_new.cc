// The library's own operator new (hidden: the job's is another), so that a passing shortage of
// memory does not end one of our threads. libstdc++'s own delete, nothrow and array forms call this
// one and free().
#include <cstdlib>
#include <new>

#include "libdeepprof/capture/memory_patience.h"

void* operator new(std::size_t bytes) {
  for (deepprof::MemoryPatience patience;;) {
    if (void* memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
    if (!patience.wait()) throw std::bad_alloc();
  }
}
