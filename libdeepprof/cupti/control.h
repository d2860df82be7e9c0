// The control thread: the only one of ours that calls CUPTI and the driver once capture runs,
// because any such call may block. On a timer it asks CUPTI for its finished buffers and for what
// it dropped, describes new devices, watches the clocks and our hold on CUPTI; at the end it makes
// the forced flush.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libdeepprof/capture/clock.h"
#include "libdeepprof/capture/definitions.h"
#include "libdeepprof/capture/doorbell.h"
#include "libdeepprof/capture/loss_counters.h"
#include "libdeepprof/capture/worker_thread.h"
#include "libdeepprof/cupti/activation.h"
#include "libdeepprof/cupti/callbacks.h"
#include "libdeepprof/cupti/collector.h"
#include "libdeepprof/cupti/library.h"
#include "libdeepprof/cupti/takeover.h"
#include "libdeepprof/sample/briefing.h"

namespace deepprof::cupti {

class Control {
 public:
  // `filter` is told which thread is ours.
  Control(const Library& library, const Activation& activation, const CuptiClock& clock,
          const SeenDevices& devices, CallFilter& filter, TakeoverWatch& takeover,
          const BufferDesk& desk, SamplerBriefing& briefing, DefinitionLog& log,
          LossCounters& losses, int64_t flush_interval_ns);

  bool start();

  // The forced flush: CUPTI returns every buffer, finished or not, and gets no more. False: it had
  // not come back by the monotonic time `deadline_ns`; the thread is left alone in its call.
  bool finish(int64_t deadline_ns);

 private:
  void run();
  void wait_for_tick();
  void tick();
  void make_own_calls_known();
  void flush(uint32_t flags);
  void count_dropped();
  void describe_new_devices();
  void brief_sampler();
  void watch_clocks();
  void watch_copies();
  ClockTriple read_clocks() const;

  const Library& library_;
  const Activation& activation_;
  const CuptiClock& clock_;
  const SeenDevices& devices_;
  CallFilter& filter_;
  TakeoverWatch& takeover_;
  const BufferDesk& desk_;
  SamplerBriefing& briefing_;
  DefinitionLog& log_;
  LossCounters& losses_;
  const int64_t flush_interval_ns_;

  Doorbell bell_;
  WorkerThread thread_;
  std::atomic<bool> stop_{false};
  SeenDevices described_;
  std::optional<std::vector<std::string>> bus_ids_;  // by device; the driver is asked once
  ClockTriple first_clocks_, last_clocks_;
  uint32_t clock_steps_ = 0;
  int64_t next_clock_ns_ = 0;
  size_t copies_ = 1;  // of libcupti in the process
  int hurried_ticks_ = 0;
  bool any_device_ = false;  // described
  bool dropped_unknown_ = false;
};

}  // namespace deepprof::cupti
