// Follows the run while it is recorded: the online miner of each device. Its whole-run statistics
// are stored in the trace now and then and at the end, so that the summary covers the whole run
// however many raw events had to be let go; and it tells the writer which iterations were slowest,
// so that their raw events are let go last.
//
// The drain thread only copies what it sees into batches; a thread of its own follows them, because
// mining a stretch takes longer than the ring can hold events at their fullest. Where that thread
// falls too far behind, batches are left out and counted (RunStatistics::skipped_ops).
//
// Memory: kMaxQueued ops of 32 bytes at most (64 MB, while a stretch is mined), and the online
// miner's (analysis/online/online_miner.h) for each device. Devices from kMaxDevices on are not
// followed: their ops are in the trace alone.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "analysis/online/launch_window.h"
#include "analysis/online/mine_stretch.h"
#include "analysis/online/online_miner.h"
#include "libdeepprof/capture/doorbell.h"
#include "libdeepprof/capture/drain_observer.h"
#include "libdeepprof/capture/worker_thread.h"

namespace deepprof {

class RunWatch final : public DrainObserver {
 public:
  static constexpr size_t kMaxDevices = 16;
  static constexpr size_t kMaxQueued = size_t{2} << 20;
  using Blobs = std::map<std::string, std::string>;

  // At the end of the run the drain thread waits so long for the last batches to be followed; twice
  // as long where nothing else will tell of the whole run.
  static constexpr int64_t kLastWait_ns = 1'000'000'000;
  explicit RunWatch(int64_t last_wait_ns = kLastWait_ns) : last_wait_ns_(last_wait_ns) {}

  // Before start(): of a run with more events the summary is made from what is stored here, as it
  // is where the file lacks events.
  void summary_reads_back(uint64_t most_events) { most_read_back_ = most_events; }

  // Before start(): of a file with more bytes events are let go; 0: of none.
  void file_has_room_for(uint64_t most_bytes) { most_file_bytes_ = most_bytes; }

  // False: no thread. Nothing is then followed.
  bool start();

  // Drain thread.
  void name(NameId id, std::string_view text) override;
  void event(const Event& event, const Detail* detail) override;
  void flush(TraceWriter& writer, bool last) override;

  // What the last flush stored. Any thread, once the drain thread has ended.
  const Blobs& stored() const { return stored_; }

 private:
  struct Batch {
    std::vector<std::pair<NameId, std::string>> names;
    std::vector<std::pair<NameId, Detail>> copies;  // the first copy of each name
    std::vector<Event> ops;
  };
  struct Device {
    Device(RunWatch& watch, uint8_t number);
    LaunchWindow window;
    OnlineMiner miner;
  };

  bool file_may_not_tell_all(const TraceWriter& writer) const;
  void hand_over();
  void run();
  bool take(Batch& batch);
  void learn(const Batch& batch);
  void follow(const Batch& batch);
  void finish_devices();
  void note_slowest();
  void encode_if_wanted();
  void encode();

  const int64_t last_wait_ns_;
  uint64_t most_read_back_ = UINT64_MAX;
  uint64_t most_file_bytes_ = 0;

  // Drain thread.
  Batch filling_;
  uint64_t events_ = 0;
  std::vector<bool> copy_known_;  // by NameId: its direction has been handed over
  Blobs stored_;
  int64_t next_store_ns_ = 0;
  bool running_ = false;

  // The two meet here.
  std::mutex mutex_;
  std::deque<Batch> queue_;
  std::vector<Event> spare_;  // a batch's memory that was followed: no other is asked for
  size_t queued_ops_ = 0;
  std::array<uint64_t, kMaxDevices> skipped_{};
  Blobs encoded_;
  std::vector<SlowStretch> slowest_;  // empty: nothing new
  std::atomic<bool> encode_wanted_{false}, look_early_{false}, last_{false};
  bool file_tells_all_ = true;  // written before last_
  Doorbell bell_;
  WorkerThread thread_;

  // Following thread.
  std::vector<std::string> names_;  // by NameId
  std::vector<Detail> copies_;      // by NameId: what copies of that name move between
  std::array<std::unique_ptr<Device>, kMaxDevices> devices_;
  uint64_t slow_noted_ = 0;  // iterations
  uint64_t minings_encoded_ = 0;
};

}  // namespace deepprof
