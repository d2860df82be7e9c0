// What one of our own threads does when there is no memory: it waits a while and tries again.
// Meanwhile buffers and ring fill, and what finds no room is dropped and counted, so that nothing
// is lost without being counted. Only when the shortage lasts does std::bad_alloc come, as it does
// on the job's threads at once.
#pragma once

#include <cstddef>
#include <cstdint>

namespace deepprof {

// The waiting for one allocation.
class MemoryPatience {
 public:
  // A moment's pause, then true: try again. False: not a thread of ours, or it has lasted too long.
  bool wait() noexcept;

 private:
  int64_t give_up_ns_ = 0;
};

// Makes the thread that it lives on one of ours.
class PatientThread {
 public:
  PatientThread() noexcept;
  ~PatientThread();
  PatientThread(const PatientThread&) = delete;
  PatientThread& operator=(const PatientThread&) = delete;

 private:
  size_t slot_;
};

}  // namespace deepprof
