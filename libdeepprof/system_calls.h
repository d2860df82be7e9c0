// Filters of system calls (seccomp), as containers, sandboxes and services set them. Most answer a
// call that they do not know with an error, and that is handled where it happens; some end the
// process instead. So what a job would hardly call itself is left out wherever there is any filter.
#pragma once

#include <sys/prctl.h>

namespace deepprof {

// Of the calling thread. Asked by the call that names our threads, without a descriptor.
inline bool system_calls_are_filtered() noexcept {
  constexpr int kFilter = 2;  // SECCOMP_MODE_FILTER
  return ::prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == kFilter;
}

}  // namespace deepprof
