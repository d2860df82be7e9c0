// Descriptors of our own. The job's threads and ours share one table of them: a job that closes
// every number, or a daemon that gives its standard streams back, would take ours away, and the
// number that we close or write next could be the job's by then. So each thread of ours that opens
// files leaves that table for one that is empty at first, standard streams included: nothing of the
// job's is kept open there, and neither can reach the other's.
//
// Not for threads that call CUPTI, the driver or NVML: those keep descriptors that the job's
// threads use, too.
#pragma once

#include <cstddef>

namespace deepprof {

// While it lives, which is until the end of the thread, the calling thread has a table of its own.
// It stays with the job's where the kernel refuses, and under a filter of system calls: some of
// those end a process that makes such calls (system_calls.h).
class OwnDescriptors {
 public:
  OwnDescriptors() noexcept;
  ~OwnDescriptors();
  OwnDescriptors(const OwnDescriptors&) = delete;
  OwnDescriptors& operator=(const OwnDescriptors&) = delete;

  // Of the calling thread. Its numbers 0, 1 and 2 are then not the job's standard streams.
  static bool here() noexcept;

 private:
  size_t slot_;
};

// The two ways to such a table, for tests; true: the calling thread has one, and it is empty. The
// second is for kernels that lack the first.
bool leave_descriptors_by_close_range() noexcept;
bool leave_descriptors_by_unshare() noexcept;

}  // namespace deepprof
