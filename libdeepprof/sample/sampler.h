// The sampler thread: asks every source on a timer and hands each tick's values to the drain thread. A tick
// that comes late is not made up for. Sources may block (NVML, a disk behind /proc); nobody waits for them
// but this thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "libdeepprof/capture/doorbell.h"
#include "libdeepprof/capture/worker_thread.h"
#include "libdeepprof/sample/source.h"

namespace deepprof {

// The fact that says why samples are missing from some time on.
inline constexpr const char* kSamplingLost = "na.sampling";

class Sampler {
 public:
  using Sources = std::vector<std::unique_ptr<SampleSource>>;
  Sampler(int64_t interval_ns, Sources sources, SampleSink sink);

  bool start();

  // One more tick, so that the last values are of the end of the run, then the thread ends.
  void stop();
  // After stop(). False: a source still blocks at the monotonic time `deadline_ns`; the thread is left alone.
  bool finished(int64_t deadline_ns) { return thread_.wait_until(deadline_ns); }

 private:
  void run();
  void tick();
  void end_without_memory();

  const int64_t interval_ns_;
  const Sources sources_;
  SampleSink sink_;
  Doorbell bell_;
  WorkerThread thread_;
  std::atomic<bool> stop_{false};
};

}  // namespace deepprof
