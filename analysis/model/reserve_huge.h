// Room in a vector that is about to be filled with a value for each op. Of large ones the kernel is
// asked for huge pages: to fault in 4 KiB at a time costs more than to fill them.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace deepprof {

template <typename T>
void reserve_huge(std::vector<T>& values, size_t count) {
  // Below, the memory may be of the heap that a job uses, too; the in-process miner needs less.
  constexpr size_t kLarge_bytes = size_t{4} << 20;
  constexpr uintptr_t kPage_bytes = 65536;  // or a divisor of it, on every machine
  values.reserve(count);
  if (count * sizeof(T) < kLarge_bytes) return;
  const auto begin = reinterpret_cast<uintptr_t>(values.data()), end = begin + count * sizeof(T);
  const uintptr_t from = (begin + kPage_bytes - 1) / kPage_bytes * kPage_bytes,
                  to = end / kPage_bytes * kPage_bytes;
  madvise(reinterpret_cast<void*>(from), to - from, MADV_HUGEPAGE);  // advice: may be refused
}

}  // namespace deepprof
