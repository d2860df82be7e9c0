// The collector thread: takes the buffers that CUPTI has returned, decodes them into the ring,
// gives them back to the pool. It never calls CUPTI and never waits for the disk, so buffers keep
// flowing whatever either of them does.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "libdeepprof/capture/buffer_pool.h"
#include "libdeepprof/capture/doorbell.h"
#include "libdeepprof/capture/lost_time.h"
#include "libdeepprof/capture/recording_window.h"
#include "libdeepprof/capture/worker_thread.h"
#include "libdeepprof/cupti/decoder.h"
#include "libdeepprof/ring/event_ring.h"

namespace deepprof::cupti {

// Which devices have shown up in records: set by the collector, read by the control thread.
class SeenDevices {
 public:
  void add(uint8_t device) {
    std::atomic<uint64_t>& word = words_[device / 64];
    const uint64_t bit = uint64_t{1} << device % 64;
    if ((word.load(std::memory_order_relaxed) & bit) == 0)
      word.fetch_or(bit, std::memory_order_relaxed);
  }
  bool contains(uint8_t device) const {
    return (words_[device / 64].load(std::memory_order_relaxed) >> device % 64 & 1) != 0;
  }

 private:
  std::array<std::atomic<uint64_t>, 4> words_{};
};

class Collector {
 public:
  // Both run on the collector thread: `on_wake` each time it wakes, `after_buffer` when new events
  // are in the ring.
  struct Hooks {
    std::function<void()> on_wake, after_buffer;
  };
  Collector(BufferPool& pool, std::unique_ptr<Decoder> decoder, EventRing& ring, Hooks hooks);

  // Before start(): CUPTI was promised zeroed buffers, so recycling zeroes them.
  void buffers_must_be_zeroed(bool zeroed) { zeroed_buffers_ = zeroed; }
  // Before start(): only what began in the window goes on into the ring.
  void keep_only(const RecordingWindow& window) { window_ = window; }
  // Before start(): told when those events ran that the ring had no room for.
  void note_lost_time(LostTime* lost) { lost_time_ = lost; }
  bool start();
  Doorbell& bell() { return bell_; }

  // Decodes what has been returned so far and ends the thread. False: not done by the monotonic
  // time `deadline_ns`.
  bool finish(int64_t deadline_ns);

  // Any thread.
  uint64_t records() const { return records_.load(std::memory_order_relaxed); }
  const SeenDevices& devices() const { return devices_; }
  // After finish() has succeeded.
  uint64_t calls_left_out() const { return decoder_->calls_left_out(); }
  uint64_t outside_window() const { return outside_window_; }

 private:
  void run();
  bool collect();
  void decode(const BufferPool::Full& full);

  BufferPool& pool_;
  const std::unique_ptr<Decoder> decoder_;
  EventRing& ring_;
  bool zeroed_buffers_ = false;
  RecordingWindow window_;
  uint64_t outside_window_ = 0;
  LostTime* lost_time_ = nullptr;
  const Hooks hooks_;

  Doorbell bell_;
  WorkerThread thread_;
  std::atomic<bool> stop_{false};
  std::atomic<uint64_t> records_{0};
  SeenDevices devices_;
};

}  // namespace deepprof::cupti
