// One capture of one process: from the driver's call at cuInit to the report at exit. Everything it
// owns lives as long as the process, because CUPTI and our threads may use it until the very end.
//
//   job threads ─ buffer_requested ─► pool ─► CUPTI
//   CUPTI ─ buffer_completed ─► collector ─ decode ─► ring ─► drain ─► .dprof
//   control: flushes CUPTI on a timer, asks it what it dropped
//   sampler: NVML, /proc and /sys on a timer ─► drain
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "inject/options.h"
#include "inject/output.h"
#include "inject/run_watch.h"
#include "inject/sampling.h"
#include "libdeepprof/capture/buffer_pool.h"
#include "libdeepprof/capture/definitions.h"
#include "libdeepprof/capture/drain.h"
#include "libdeepprof/capture/loss_counters.h"
#include "libdeepprof/capture/name_interner.h"
#include "libdeepprof/cupti/activation.h"
#include "libdeepprof/cupti/callbacks.h"
#include "libdeepprof/cupti/collector.h"
#include "libdeepprof/cupti/control.h"
#include "libdeepprof/cupti/cupti_clock.h"
#include "libdeepprof/cupti/library.h"
#include "libdeepprof/cupti/strides.h"
#include "libdeepprof/cupti/takeover.h"
#include "libdeepprof/result.h"
#include "libdeepprof/ring/event_ring.h"

namespace deepprof {

class Session {
 public:
  // Start-up thread. An error is the one sentence for stderr; nothing is then left running or on
  // disk. `on_early_request` runs inside the first few buffer requests, on the job's threads.
  static Result<std::unique_ptr<Session>> start(Options options, const Rank& rank,
                                                void (*on_early_request)());

  // Ends capture and prints the report. The first call does it, on the thread that exits; later
  // ones and those of a forked child return at once. Under five seconds whatever CUPTI or the disk
  // do.
  void finish() noexcept;

 private:
  Session(Options options, cupti::Library library, void (*on_early_request)());

  Status start_threads();
  void abandon();
  void on_wake();
  void publish_facts(const Rank& rank);
  RecordingWindow recording_window() const;
  void publish_left_out();
  void stop_capture(int64_t now_ns);
  const char* nothing_recorded() const;
  void report(int64_t deadline_ns);

  const Options options_;
  const cupti::Library library_;
  cupti::Strides strides_;  // collector thread, once capture runs
  cupti::Activation activation_;
  Output output_;

  LossCounters losses_;
  DefinitionLog log_;
  cupti::CallFilter filter_;
  NameInterner names_;
  EventRing ring_;
  LostTime lost_time_;
  BufferPool pool_;
  RunWatch watch_;
  Sampling sampling_;
  std::unique_ptr<Drain> drain_;
  std::unique_ptr<cupti::Collector> collector_;
  std::unique_ptr<cupti::BufferDesk> desk_;
  std::unique_ptr<cupti::CuptiClock> clock_;
  std::unique_ptr<cupti::TakeoverWatch> takeover_;
  std::unique_ptr<cupti::Control> control_;
  void (*const on_early_request_)();
  bool strides_probed_again_ = false;  // collector thread
  std::atomic<bool> finished_{false};
  bool collected_ = false, file_closed_ = false;
};

}  // namespace deepprof
