// Sampling beside the trace: the list of sources, and the thread that asks them. Off with DEEPPROF_SAMPLE_MS=0.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "libdeepprof/capture/definitions.h"
#include "libdeepprof/capture/name_interner.h"
#include "libdeepprof/sample/briefing.h"
#include "libdeepprof/sample/sampler.h"

namespace deepprof {

class Sampling {
 public:
  // Start-up thread, before any other uses `names`. `interval_ns` 0: no sampling. `steps`: Python may tell of
  // optimizer steps.
  Sampling(int64_t interval_ns, bool steps, NameInterner& names, DefinitionLog& log);

  // False: no thread could be had. The trace then says so.
  bool start();
  SamplerBriefing& briefing() { return briefing_; }

  void stop();
  // After stop(): waits for the last values until the monotonic time `deadline_ns`. The trace says if they did not come.
  void finish(int64_t deadline_ns);

 private:
  DefinitionLog& log_;
  const std::string steps_path_;  // TMPDIR may change while the job runs; empty: no steps
  SamplerBriefing briefing_;
  std::unique_ptr<Sampler> sampler_;  // null: off
};

}  // namespace deepprof
