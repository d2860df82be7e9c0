// The record of a process that uses no GPU: what the sampler reads of it and of its machine, from
// the start of the program to its exit. For the one process that DEEPPROF_CPU names (`deepprof run
// --cpu`); nothing of CUDA is touched. Lives as long as the process.
#pragma once

#include <atomic>
#include <memory>

#include "inject/options.h"
#include "inject/output.h"
#include "inject/sampling.h"
#include "libdeepprof/capture/definitions.h"
#include "libdeepprof/capture/drain.h"
#include "libdeepprof/capture/loss_counters.h"
#include "libdeepprof/capture/name_interner.h"
#include "libdeepprof/result.h"
#include "libdeepprof/ring/event_ring.h"

namespace deepprof {

class HostSession {
 public:
  // Start-up thread. An error is the one sentence for stderr; nothing is then left running or on
  // disk.
  static Result<std::unique_ptr<HostSession>> start(Options options, const Rank& rank);

  // The thread that exits. Later calls, and those of a forked child, return at once.
  void finish() noexcept;

  const std::string& trace_path() const { return output_.trace_path; }

 private:
  explicit HostSession(Options options);
  // Nothing can be recorded: no file is left behind.
  void abandon();

  const Options options_;
  Output output_;
  LossCounters losses_;
  DefinitionLog log_;
  NameInterner names_;
  EventRing ring_;  // stays empty
  Sampling sampling_;
  std::unique_ptr<Drain> drain_;
  std::atomic<bool> finished_{false};
};

}  // namespace deepprof
