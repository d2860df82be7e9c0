#include "libdeepprof/capture/allocation_recorder.h"

#include <algorithm>

#include "libdeepprof/event/allocation_events.h"

namespace deepprof {
namespace {

constexpr int64_t kBetweenStores_ns = 1'000'000'000;  // of the totals

}  // namespace

void AllocationRecorder::add(const Event& event, const AllocationDetail& detail) {
  Allocation step;
  step.time_ns = event.start_ns;
  step.correlation = event.correlation;
  step.device = event.device == kHostSlot ? Allocation::kHost : event.device;
  newest_ns_ = std::max(newest_ns_, step.time_ns);
  if (detail.pool != 0) {
    Allocation pool = step;
    pool.address = detail.pool;
    pool.bytes = detail.pool_bytes;
    pool.kind = AllocationKind::pool_reserved;
    waiting_.push_back(pool);
  }
  step.address = detail.address;
  step.bytes = detail.bytes;
  step.kind = detail.kind;
  step.step = detail.step;
  waiting_.push_back(step);
}

bool AllocationRecorder::flush(TraceWriter& writer, int64_t monotonic_ns, bool last) {
  std::stable_sort(waiting_.begin(), waiting_.end(),
                   [](const Allocation& a, const Allocation& b) { return a.time_ns < b.time_ns; });
  const auto end =
      last ? waiting_.end() : std::find_if(waiting_.begin(), waiting_.end(), [&](const auto& step) {
        return step.time_ns > newest_at_flush_ns_;
      });
  std::for_each(waiting_.begin(), end, [&](const Allocation& step) { take(step, writer); });
  waiting_.erase(waiting_.begin(), end);
  if (last && !counting_ && !ledger_.empty()) count_from(newest_ns_);  // nothing in the window
  newest_at_flush_ns_ = newest_ns_;
  if (not_stored_ && (last || monotonic_ns >= next_store_ns_)) {
    not_stored_ = false;
    next_store_ns_ = monotonic_ns + kBetweenStores_ns;
    writer.put_blob(AllocationLedger::kBlobKey, AllocationLedger::encode(ledger_.totals()));
  }
  return not_stored_ || !waiting_.empty();
}

void AllocationRecorder::take(Allocation step, TraceWriter& writer) {
  if (window_.contains(step.time_ns)) {
    if (!counting_) count_from(step.time_ns);
    return write(step, writer);
  }
  if (!window_.comes_after(step.time_ns)) return;
  if (auto displaced = ledger_.displaced_by(step)) ledger_.add(*displaced);
  ledger_.add(step);
}

void AllocationRecorder::count_from(int64_t now_ns) {
  counting_ = not_stored_ = true;
  ledger_.count_from(window_.from_ns(), now_ns);
}

void AllocationRecorder::write(Allocation step, TraceWriter& writer) {
  if (const auto displaced = ledger_.displaced_by(step)) write(*displaced, writer);
  if (!ledger_.add(step)) return;
  writer.append_allocation(step);
  if (is_event(step)) ++events_written_;
  not_stored_ = true;
}

}  // namespace deepprof
