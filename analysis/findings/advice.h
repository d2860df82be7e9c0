// What to do about a finding, in the words of the framework that the job was written in.
#pragma once

#include <cstddef>
#include <cstdint>

#include "analysis/categories/framework.h"

namespace deepprof {

enum class Advice : uint8_t {
  feed_faster,     // the input pipeline is late
  short_waits,     // many short host waits between launches
  fewer_launches,  // the launching thread is busy launching
  read_later,      // results are read back in the loop
  keep_memory,     // memory is allocated or freed in the loop
  overlap_communication,
  copy_ahead,
  pin_memory,
  fuse_kernels,
  more_at_once,    // kernels too small for the GPU
  look_at_memory,  // the GPU's memory is nearly full
  find_leak,       // each iteration keeps more memory than the one before
  copy_less,       // copies within the GPU
  copy_back_less,  // copies to the host
  pin_results,     // copies to the host, into pageable memory
  prefetch_pages,  // pages of managed memory that move when they are touched
  warm_up,         // a library starts in the first call of it
  flushed_cache,   // the framework's allocator gives memory back
};
inline constexpr size_t kAdvices = 18;

const char* advice(Advice about, Framework framework);

}  // namespace deepprof
