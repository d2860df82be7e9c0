#include "libdeepprof/capture/drain.h"

#include <algorithm>
#include <utility>

#include "libdeepprof/capture/clock.h"
#include "libdeepprof/trace/sample_totals.h"

namespace deepprof {

Drain::Drain(EventRing& ring, DefinitionLog& log, LossCounters& losses,
             std::unique_ptr<TraceWriter> writer, int64_t flush_interval_ns,
             std::function<void(const std::string&)> notice)
    : ring_(ring),
      log_(log),
      losses_(losses),
      writer_(std::move(writer)),
      flush_interval_ns_(flush_interval_ns),
      notice_(std::move(notice)) {}

bool Drain::start() {
  return thread_.start("dp-drain", WorkerThread::Descriptors::own, [this] {
    try {
      run();
    } catch (...) {
      // Out of memory. From now on the ring fills, drops and counts; the file stays whole as it is.
      notice_("out of memory while writing the trace: later events are lost");
    }
  });
}

bool Drain::finish(int64_t deadline_ns) {
  const int64_t now_ns = monotonic_ns();
  give_up_ns_.store(now_ns + (deadline_ns - now_ns) / 4 * 3, std::memory_order_relaxed);
  stop_.store(true, std::memory_order_release);
  bell_.ring();
  return thread_.wait_until(deadline_ns);
}

template <typename Call>
void Drain::observe(Call call) {
  if (observer_ == nullptr) return;
  try {
    call(*observer_);
  } catch (...) {
    observer_ = nullptr;
    notice_("out of memory while following the run: its whole-run statistics are incomplete");
  }
}

void Drain::run() {
  writer_->flush();  // opens the file while the job's rights and folders are those of the start
  int64_t next_flush_ns = monotonic_ns() + flush_interval_ns_;
  while (!stop_.load(std::memory_order_acquire)) {
    bell_.wait_for(next_flush_ns - monotonic_ns());
    write_pending();
    if (monotonic_ns() >= next_flush_ns) {
      flush();
      next_flush_ns = monotonic_ns() + flush_interval_ns_;
    }
  }
  write_pending();
  allocations_.flush(*writer_, monotonic_ns(), true);
  observe([this](DrainObserver& observer) { observer.flush(*writer_, true); });
  tell_lost_time();
  count_losses();
  writer_->finish();
  count_losses();
}

void Drain::write_pending() {
  // The order matters: whatever the events up to here use was published before they were.
  const uint64_t until = ring_.published();
  for (const Definition& definition : log_.take()) {
    define(definition);
    unflushed_ = true;
  }
  size_t drained = 0, written = 0;
  bool late = false;
  ring_.drain(until, [&](const Event& event, const Detail* detail) {
    // A look at the clock costs more than an event.
    constexpr size_t kBetweenLooks = 1024;
    if (!late && drained++ % kBetweenLooks == 0)
      late = monotonic_ns() > give_up_ns_.load(std::memory_order_relaxed);
    if (late) {
      ++left_;
      if (lost_time_ != nullptr) lost_time_->add(event);
      return;
    }
    if (event.kind() == Kind::allocation) {
      unflushed_ = true;
      allocations_.add(event, allocation_of(*detail));
      return;
    }
    ++written;
    writer_->append(event, detail);
    observe([&](DrainObserver& observer) { observer.event(event, detail); });
  });
  if (written == 0) return;
  written_.fetch_add(written, std::memory_order_relaxed);
  unflushed_ = true;
}

void Drain::define(const Definition& definition) {
  struct Visitor {
    TraceWriter& writer;
    void operator()(const NameDefinition& name) const { writer.define_name(name.id, name.name); }
    void operator()(const ThreadDefinition& thread) const {
      writer.define_thread(thread.index, thread.pid, thread.tid, thread.name);
    }
    void operator()(const DeviceDefinition& device) const {
      writer.define_device(device.id, device.name, device.sm_count, device.memory_bytes,
                           device.compute_major, device.compute_minor, device.max_threads_per_sm);
    }
    void operator()(const FactDefinition& fact) const { writer.set_fact(fact.key, fact.value); }
    void operator()(const SampleBatch& batch) const {
      for (const SampledValue& sample : batch.samples) {
        writer.append_sample(sample.time_ns, sample.metric, sample.device, sample.value);
      }
      if (!batch.totals.empty()) writer.put_blob(SampleTotals::kBlobKey, batch.totals);
    }
  };
  std::visit(Visitor{*writer_}, definition);
  if (const auto* name = std::get_if<NameDefinition>(&definition)) {
    observe([&](DrainObserver& observer) { observer.name(name->id, name->name); });
  }
}

void Drain::flush() {
  if (!unflushed_) return;
  unflushed_ = allocations_.flush(*writer_, monotonic_ns(), false);
  observe([this](DrainObserver& observer) { observer.flush(*writer_, false); });
  tell_lost_time();
  count_losses();
  writer_->flush();
  count_losses();
}

void Drain::tell_lost_time() {
  if (lost_time_ == nullptr) return;
  const LaneSpans lost = lost_time_->take();
  for (const LaneSpan& span : lost.spans())
    writer_->append_hole(span.lane, span.first_ns, span.last_ns);
}

void Drain::count_losses() {
  losses_.set(Loss::ring_full, ring_.dropped() + left_);
  writer_->set_losses(losses_.snapshot());
  const uint64_t gone = writer_->events_evicted() + writer_->events_lost();
  const uint64_t all = events_written() + allocations_.events_written();
  kept_.store(all - std::min(gone, all), std::memory_order_relaxed);
  file_bytes_.store(writer_->bytes_written(), std::memory_order_relaxed);
  if (!noticed_ && !writer_->error().empty()) {
    noticed_ = true;
    notice_(writer_->error());
  }
}

}  // namespace deepprof
