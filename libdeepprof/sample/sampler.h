// A sampler thread: asks each of its sources on a timer and hands their values to the drain thread
// twice a second. A tick that comes late is not made up for. Sources may block (NVML, a disk behind
// /proc); nobody waits for them but their thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
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
  // `make` runs on the sampler's thread: it may look into files.
  Sampler(int64_t interval_ns, std::function<Sources()> make, SampleSink sink);

  // The thread's name and whose descriptors its sources open.
  bool start(const char* name, WorkerThread::Descriptors descriptors);

  // One more tick, so that the last values are of the end of the run, then the thread ends.
  void stop();
  // After stop(). False: a source still blocks at the monotonic time `deadline_ns`; the thread is
  // left alone.
  bool finished(int64_t deadline_ns) { return thread_.wait_until(deadline_ns); }
  // Of the thread, once it has finished.
  int64_t cpu_ns() const { return cpu_ns_; }

 private:
  void run();
  void tick(const Sources& sources, std::vector<int64_t>& due_ns);
  void end_without_memory();

  const int64_t interval_ns_;
  const std::function<Sources()> make_;
  SampleSink sink_;
  Doorbell bell_;
  WorkerThread thread_;
  std::atomic<bool> stop_{false};
  int64_t hand_on_ns_ = INT64_MIN;
  int64_t cpu_ns_ = 0;
};

}  // namespace deepprof
