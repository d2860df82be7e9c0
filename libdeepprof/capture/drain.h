// The drain thread: takes events off the ring and writes them to the trace file, makes the file
// whole on a timer, and closes it at the end. The only thread that touches the TraceWriter, and the
// only one that may wait for the disk: while it does, the ring fills and then drops and counts.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "libdeepprof/capture/allocation_recorder.h"
#include "libdeepprof/capture/definitions.h"
#include "libdeepprof/capture/doorbell.h"
#include "libdeepprof/capture/drain_observer.h"
#include "libdeepprof/capture/loss_counters.h"
#include "libdeepprof/capture/lost_time.h"
#include "libdeepprof/capture/worker_thread.h"
#include "libdeepprof/ring/event_ring.h"
#include "libdeepprof/trace/writer.h"

namespace deepprof {

class Drain {
 public:
  // `notice` is called, on the drain thread, with the sentence of the first write error.
  Drain(EventRing& ring, DefinitionLog& log, LossCounters& losses,
        std::unique_ptr<TraceWriter> writer, int64_t flush_interval_ns,
        std::function<void(const std::string&)> notice);

  // Before start(). Must outlive the drain thread.
  void observe_with(DrainObserver* observer) { observer_ = observer; }
  // Before start(): the file is told of it.
  void tell_of(LostTime* lost) { lost_time_ = lost; }
  // Before the first event.
  void keep_allocations_of(const RecordingWindow& window) { allocations_.keep_only(window); }

  bool start();

  // Any thread: there is something in the ring.
  void wake() noexcept { bell_.ring(); }

  // Writes what is in the ring, closes the file and ends the thread. What a slow disk or a busy
  // machine leaves no time for is counted as Loss::ring_full. False: not done by the monotonic time
  // `deadline_ns` even so; the file is whole up to its last flush.
  bool finish(int64_t deadline_ns);

  // Steps of allocation left aside.
  uint64_t events_written() const { return written_.load(std::memory_order_relaxed); }
  // Still in the file, steps of allocation included: neither let go for its ceiling nor lost to a
  // failed write.
  uint64_t events_kept() const { return kept_.load(std::memory_order_relaxed); }
  uint64_t file_bytes() const { return file_bytes_.load(std::memory_order_relaxed); }

 private:
  void run();
  template <typename Call>
  void observe(Call call);
  void write_pending();
  void define(const Definition& definition);
  void flush();
  void tell_lost_time();
  void count_losses();

  EventRing& ring_;
  DefinitionLog& log_;
  LossCounters& losses_;
  const std::unique_ptr<TraceWriter> writer_;
  const int64_t flush_interval_ns_;
  const std::function<void(const std::string&)> notice_;

  AllocationRecorder allocations_;
  DrainObserver* observer_ = nullptr;
  LostTime* lost_time_ = nullptr;
  Doorbell bell_;
  WorkerThread thread_;
  // monotonic: from then on events are counted, not written
  std::atomic<int64_t> give_up_ns_{INT64_MAX};
  std::atomic<bool> stop_{false};
  std::atomic<uint64_t> written_{0};
  std::atomic<uint64_t> kept_{0};
  std::atomic<uint64_t> file_bytes_{0};
  bool noticed_ = false;
  bool unflushed_ = false;
  uint64_t left_ = 0;  // events given up on
};

}  // namespace deepprof
