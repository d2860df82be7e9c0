// Sampling beside the trace: the lists of sources, and the threads that ask them. Off with
// DEEPPROF_SAMPLE_MS=0.
//
// Two threads: the one that reads files has descriptors of its own, and NVML must be called among
// the job's, which may use the same copy of it. An NVML that hangs takes no sample of the host with
// it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "libdeepprof/capture/definitions.h"
#include "libdeepprof/capture/name_interner.h"
#include "libdeepprof/sample/briefing.h"
#include "libdeepprof/sample/sampler.h"

namespace deepprof {

class Sampling {
 public:
  struct Wanted {
    int64_t interval_ns = 0;  // 0: no sampling
    bool steps = false;       // Python may tell of optimizer steps
    bool gpus = false;        // the briefing will tell of GPUs
  };
  // Start-up thread, before any other uses `names`.
  Sampling(const Wanted& wanted, NameInterner& names, DefinitionLog& log);

  // False: a thread could not be had. The trace then says so.
  bool start();
  SamplerBriefing& briefing() { return briefing_; }

  void stop();
  // After stop(): waits for the last values until the monotonic time `deadline_ns`. The trace says
  // if they did not come.
  void finish(int64_t deadline_ns);
  // What was counted of the whole run, as it is stored in the trace. Any thread.
  std::string totals() const { return account_.totals(); }

 private:
  struct Part {
    const char* thread_name;
    WorkerThread::Descriptors descriptors;
    std::unique_ptr<Sampler> sampler;
  };
  void add(const char* thread_name, WorkerThread::Descriptors descriptors,
           std::function<Sampler::Sources()> make, const MetricNames& names);

  DefinitionLog& log_;
  const int64_t interval_ns_;
  const std::string steps_path_;  // TMPDIR may change while the job runs; empty: no steps
  SamplerBriefing briefing_;
  SampleAccount account_;
  std::vector<Part> parts_;  // none: off
};

}  // namespace deepprof
