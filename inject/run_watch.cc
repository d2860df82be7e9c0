#include "inject/run_watch.h"

#include "analysis/online/mine_stretch.h"
#include "analysis/online/run_statistics_blob.h"
#include "inject/log.h"
#include "libdeepprof/capture/clock.h"

namespace deepprof {
namespace {

constexpr size_t kBatch = 4096;
constexpr int64_t kIdleWait_ns = 1'000'000'000;
constexpr int64_t kMining_ns = 2'000'000'000;
// A killed job loses the statistics since the last time they were stored.
constexpr int64_t kStoreInterval_ns = 5'000'000'000;

// The item of this id; the list grows to hold it.
template <typename T>
decltype(auto) at_id(std::vector<T>& items, NameId id) {
  if (id >= items.size()) items.resize(id + size_t{1});
  return items[id];
}

}  // namespace

RunWatch::Device::Device(RunWatch& watch, uint8_t number)
    : miner(number, [&watch](std::span<const Event> ops) {
        watch.encode_if_wanted();  // mining may take longer than the job goes on
        return mine_stretch(ops, watch.names_, watch.copies_, kMining_ns);
      }) {}

bool RunWatch::start() {
  running_ = thread_.start("dp-follow", WorkerThread::Descriptors::own, [this] {
    try {
      run();
    } catch (...) {
      log_line("out of memory while following the run: its whole-run statistics are incomplete");
    }
  });
  return running_;
}

void RunWatch::name(NameId id, std::string_view text) {
  if (running_) filling_.names.emplace_back(id, text);
}

void RunWatch::event(const Event& event, const Detail* detail) {
  ++events_;
  if (!running_ || !is_gpu_op(event.kind()) || event.device >= kMaxDevices || event.start_ns <= 0)
    return;
  filling_.ops.push_back(event);
  const bool copy = event.kind() == Kind::memcpy && detail != nullptr;
  const bool scalar = copy && detail->bytes > 0 && detail->bytes <= kScalar_bytes;
  filling_.ops.back().set_kind(event.kind(), scalar);
  if (copy && !at_id(copy_known_, event.name)) {
    at_id(copy_known_, event.name) = true;
    filling_.copies.emplace_back(event.name, *detail);
  }
  if (filling_.ops.size() >= kBatch) hand_over();
}

// Of a file that tells all nobody reads the statistics, and mining the beginning early is most of
// what following costs in the run's first seconds. A part of its room: the slow iterations have to
// be known before any events are let go.
bool RunWatch::file_may_not_tell_all(const TraceWriter& writer) const {
  constexpr uint64_t kPart = 4;
  return events_ > most_read_back_ || writer.events_evicted() + writer.events_lost() > 0 ||
         (most_file_bytes_ > 0 && writer.bytes_written() > most_file_bytes_ / kPart);
}

void RunWatch::flush(TraceWriter& writer, bool last) {
  if (!running_) return;
  if (!last && file_may_not_tell_all(writer)) look_early_.store(true, std::memory_order_relaxed);
  hand_over();
  if (last) {
    file_tells_all_ =
        writer.events_evicted() + writer.events_lost() == 0 && events_ <= most_read_back_;
    last_.store(true);
    bell_.ring();
    const int64_t wait_ns = file_tells_all_ ? last_wait_ns_ : 2 * last_wait_ns_;
    if (!thread_.wait_until(monotonic_ns() + wait_ns))
      log_line("the whole-run statistics lack the end of the run");
  }
  std::vector<SlowStretch> slowest;
  {
    const std::lock_guard lock(mutex_);
    slowest.swap(slowest_);
  }
  if (!slowest.empty()) writer.keep_slowest(slowest);
  if (!last && monotonic_ns() >= next_store_ns_) {
    next_store_ns_ = monotonic_ns() + kStoreInterval_ns;
    encode_wanted_.store(true);  // stored by the next flush
    bell_.ring();
  }
  Blobs ready;
  {
    const std::lock_guard lock(mutex_);
    ready.swap(encoded_);
  }
  for (auto& [key, bytes] : ready) {
    writer.put_blob(key, bytes);
    stored_[key] = std::move(bytes);
  }
}

void RunWatch::hand_over() {
  if (filling_.ops.empty() && filling_.names.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    if (queued_ops_ + filling_.ops.size() > kMaxQueued) {
      for (const Event& op : filling_.ops) ++skipped_[op.device];
      filling_.ops.clear();
      if (filling_.names.empty() && filling_.copies.empty()) return;
    }
    queued_ops_ += filling_.ops.size();
    queue_.push_back(std::exchange(filling_, {}));
    filling_.ops.swap(spare_);
  }
  filling_.ops.reserve(kBatch);
  bell_.ring();
}

bool RunWatch::take(Batch& batch) {
  const std::lock_guard lock(mutex_);
  if (queue_.empty()) return false;
  batch.ops.clear();
  spare_.swap(batch.ops);
  batch = std::move(queue_.front());
  queue_.pop_front();
  queued_ops_ -= batch.ops.size();
  return true;
}

void RunWatch::run() {
  Batch batch;
  for (;;) {
    const bool last = last_.load();  // before the queue is found empty
    while (take(batch)) {
      follow(batch);
      note_slowest();
      encode_if_wanted();  // a busy queue may never be found empty
    }
    if (last) break;
    encode_if_wanted();
    bell_.wait_for(kIdleWait_ns);
  }
  finish_devices();
  note_slowest();
  encode();
}

void RunWatch::learn(const Batch& batch) {
  for (const auto& [id, text] : batch.names) at_id(names_, id) = text;
  for (const auto& [id, detail] : batch.copies) at_id(copies_, id) = detail;
}

void RunWatch::follow(const Batch& batch) {
  learn(batch);
  for (const Event& op : batch.ops) {
    std::unique_ptr<Device>& device = devices_[op.device];
    if (device == nullptr) device = std::make_unique<Device>(*this, op.device);
    device->window.add(op, [&](std::span<const Event> ops) { device->miner.add(ops); });
  }
  if (!look_early_.load(std::memory_order_relaxed)) return;
  for (const auto& device : devices_)
    if (device != nullptr) device->miner.look_early();
}

// A run too short to have been mined on the way is not worth it at the end if its trace tells all,
// nor is one to be mined again.
void RunWatch::finish_devices() {
  for (const auto& device : devices_) {
    if (device == nullptr) continue;
    device->window.release_all([&](std::span<const Event> ops) { device->miner.add(ops); });
    if (device->miner.statistics().minings > 0 || !file_tells_all_)
      device->miner.finish(!file_tells_all_);
  }
}

// With one usual iteration on either side: they show where the slow one begins and ends.
void RunWatch::note_slowest() {
  uint64_t count = 0;
  const auto for_each_kind = [&](auto visit) {
    for (const auto& device : devices_) {
      if (device == nullptr) continue;
      RunStatistics& run = device->miner.statistics();
      for (const IterationStats& kind : run.iterations) visit(run.device, kind);
    }
  };
  for_each_kind([&](uint16_t, const IterationStats& kind) { count += kind.slow_count; });
  if (count == slow_noted_) return;
  slow_noted_ = count;
  std::vector<SlowStretch> slowest;
  for_each_kind([&](uint16_t device, const IterationStats& kind) {
    const int64_t usual_ns = kind.slow.empty() ? 0 : kind.time.quantile_ns(.5);
    for (const auto& slow : kind.slow) {
      const int64_t end_ns = slow.start_ns + slow.duration_ns;
      slowest.push_back(
          {device, slow.start_ns - usual_ns, end_ns + usual_ns, slow.duration_ns - usual_ns});
    }
  });
  const std::lock_guard lock(mutex_);
  slowest_ = std::move(slowest);
}

// When the drain thread asks, and when a stretch was mined: a job that is killed in its first
// seconds keeps that.
void RunWatch::encode_if_wanted() {
  uint64_t minings = 0;
  for (const auto& device : devices_)
    if (device != nullptr) minings += device->miner.statistics().minings;
  if (!encode_wanted_.exchange(false) && minings == minings_encoded_) return;
  minings_encoded_ = minings;
  encode();
}

void RunWatch::encode() {
  Blobs blobs;
  for (const auto& device : devices_) {
    if (device == nullptr || device->miner.statistics().ops == 0) continue;
    RunStatistics& run = device->miner.statistics();
    {
      const std::lock_guard lock(mutex_);
      run.skipped_ops = skipped_[run.device];
    }
    blobs[run_statistics_key(run.device)] = encode_run_statistics(run, names_);
  }
  const std::lock_guard lock(mutex_);
  encoded_ = std::move(blobs);
}

}  // namespace deepprof
