// Keeps fork() of the job out of our calls into NVML: a child that inherited a lock of NVML's, held
// by a thread that it does not have, would hang in its own first call into NVML.
//
// A fork waits for the call under way, kLongest_ns at most, and calls wait while one is being made.
#pragma once

#include <cstdint>

namespace deepprof {

class ForkGate {
 public:
  static constexpr int64_t kLongest_ns = 50'000'000;

  // Registers the fork handlers, once a process. Any thread.
  static void install();

  // Around each call. Sampler thread.
  ForkGate();
  ~ForkGate();
  ForkGate(const ForkGate&) = delete;
  ForkGate& operator=(const ForkGate&) = delete;
};

}  // namespace deepprof
