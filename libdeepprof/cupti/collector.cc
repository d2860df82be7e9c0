#include "libdeepprof/cupti/collector.h"

#include <utility>

namespace deepprof::cupti {
namespace {

// The bell wakes the collector for work; this only bounds the harm if a wake-up were ever missed.
constexpr int64_t kLongestSleep_ns = 500'000'000;

}  // namespace

Collector::Collector(BufferPool& pool, std::unique_ptr<Decoder> decoder, EventRing& ring,
                     Hooks hooks)
    : pool_(pool), decoder_(std::move(decoder)), ring_(ring), hooks_(std::move(hooks)) {}

bool Collector::start() {
  return thread_.start("dp-collect", WorkerThread::Descriptors::jobs, [this] { run(); });
}

bool Collector::finish(int64_t deadline_ns) {
  stop_.store(true, std::memory_order_release);
  bell_.ring();
  return thread_.wait_until(deadline_ns);
}

void Collector::run() {
  pool_.touch_rest();
  while (!stop_.load(std::memory_order_acquire)) {
    hooks_.on_wake();
    pool_.grow();
    if (!collect()) bell_.wait_for(kLongestSleep_ns);
  }
  collect();
}

// One pass over the returned buffers; false: there were none.
bool Collector::collect() {
  bool any = false;
  for (BufferPool::Full full = pool_.take_full(); full.bytes != nullptr; full = pool_.take_full()) {
    decode(full);
    pool_.recycle(full, zeroed_buffers_);
    pool_.grow();
    hooks_.after_buffer();
    any = true;
  }
  return any;
}

void Collector::decode(const BufferPool::Full& full) {
  const auto place = [&] { return ring_.place(); };
  const auto push = [&](const Event& event, const Detail* detail) {
    const bool inside = window_.contains(event.start_ns);
    // What is in use in the window follows from all steps before it (AllocationRecorder).
    const bool taken = inside || event.kind() == Kind::allocation;
    if (inside && is_gpu_op(event.kind())) devices_.add(event.device);
    const bool dropped =
        taken && !ring_.push_built(detail != nullptr);  // a full ring counts that itself
    if (!inside && !dropped) ++outside_window_;
    if (inside && dropped && lost_time_ != nullptr) lost_time_->add(event);
  };
  size_t records = 0;
  try {
    records = decoder_->decode(full.bytes, full.valid_bytes, place, push);
  } catch (...) {
    // Out of memory for a new name: the rest of this buffer is lost, the next may do.
    decoder_->count_abandoned_buffer();
  }
  records_.fetch_add(records, std::memory_order_relaxed);
}

}  // namespace deepprof::cupti
