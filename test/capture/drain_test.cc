#include "libdeepprof/capture/drain.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "libdeepprof/capture/clock.h"
#include "libdeepprof/capture/name_interner.h"
#include "test/support/catch.h"

namespace deepprof {
namespace {

constexpr int64_t kSecond_ns = 1'000'000'000;

// What a TraceWriter was told, and a disk that can be slow or full.
struct Written {
  std::mutex mutex;
  std::map<NameId, std::string> names;
  std::vector<uint32_t> correlations;
  std::vector<LaneSpan> holes;
  uint64_t undefined_names = 0;
  LossCounts losses;
  int flushes = 0;
  bool finished = false;
  uint64_t fail_after = UINT64_MAX;
  int64_t stall_ns = 0;  // at the first append
};

class RecordingWriter final : public TraceWriter {
 public:
  explicit RecordingWriter(Written& written) : written_(written) {}

  void define_name(NameId id, std::string_view name) override {
    const std::lock_guard lock(written_.mutex);
    written_.names.emplace(id, name);
  }
  void define_thread(uint32_t, uint32_t, uint64_t, std::string_view) override {}
  void define_device(uint32_t, std::string_view, uint32_t, uint64_t, uint32_t, uint32_t,
                     uint32_t) override {}
  void set_fact(std::string_view, std::string_view) override {}
  void set_losses(const LossCounts& losses) override {
    const std::lock_guard lock(written_.mutex);
    written_.losses = losses;
  }
  void put_blob(std::string_view, std::string_view) override {}
  void append(const Event& event, const Detail*) override {
    if (const int64_t stall = std::exchange(written_.stall_ns, 0)) {
      std::this_thread::sleep_for(std::chrono::nanoseconds(stall));
    }
    const std::lock_guard lock(written_.mutex);
    if (written_.correlations.size() >= written_.fail_after) {
      ++lost_;
      error_ = "trace.dprof: No space left on device";
      return;
    }
    if (written_.names.count(event.name) == 0) ++written_.undefined_names;
    written_.correlations.push_back(event.correlation);
  }
  void append_sample(int64_t, NameId, uint32_t, double) override {}
  void append_allocation(const Allocation&) override {}
  void append_range(int64_t, int64_t, NameId, uint32_t, uint8_t) override {}
  void append_hole(uint32_t device, int64_t start_ns, int64_t end_ns) override {
    const std::lock_guard lock(written_.mutex);
    written_.holes.push_back({device, start_ns, end_ns});
  }
  void keep_slowest(std::span<const SlowStretch>) override {}
  void flush() override {
    const std::lock_guard lock(written_.mutex);
    ++written_.flushes;
  }
  void finish() override {
    const std::lock_guard lock(written_.mutex);
    written_.finished = true;
  }
  uint64_t bytes_written() const override { return 0; }
  uint64_t events_lost() const override { return lost_; }
  uint64_t events_evicted() const override { return 0; }
  const std::string& error() const override { return error_; }

 private:
  Written& written_;
  uint64_t lost_ = 0;
  std::string error_;
};

struct Rig {
  explicit Rig(size_t slots, int64_t flush_interval_ns = 10'000'000) : ring(slots) {
    drain = std::make_unique<Drain>(ring, log, losses, std::make_unique<RecordingWriter>(written),
                                    flush_interval_ns,
                                    [this](const std::string& error) { notices.push_back(error); });
  }
  // Whatever a test has found, the thread ends before what it uses.
  ~Rig() { drain->finish(monotonic_ns() + 60 * kSecond_ns); }
  void push(uint32_t correlation) {
    Event event;
    event.correlation = correlation;
    event.name = names.intern("kernel_" + std::to_string(correlation % 50));
    event.set_kind(Kind::kernel, false);
    ring.push(event, nullptr);
  }
  bool finish() { return drain->finish(monotonic_ns() + 20 * kSecond_ns); }

  Written written;
  EventRing ring;
  DefinitionLog log;
  LossCounters losses;
  NameInterner names{log, losses, 1 << 20};
  std::vector<std::string> notices;
  std::unique_ptr<Drain> drain;
};

}  // namespace

TEST_CASE(
    "the drain thread writes every event after the names that it uses, then closes the file") {
  Rig rig(1 << 12);
  REQUIRE(rig.drain->start());
  for (uint32_t i = 0; i < 100'000; ++i) {
    rig.push(i);
    if (i % 512 == 0) {
      rig.drain->wake();
      std::this_thread::yield();
    }
  }
  REQUIRE(rig.finish());
  CHECK(rig.written.undefined_names == 0);
  CHECK(rig.written.finished);
  CHECK(rig.written.correlations.size() + rig.ring.dropped() == 100'000);
  CHECK(rig.written.losses[Loss::ring_full] == rig.ring.dropped());
  CHECK(rig.drain->events_written() == rig.written.correlations.size());
}

TEST_CASE("the file is told when those events ran that found no room in the ring") {
  Rig rig(1 << 12);
  LostTime lost;
  rig.drain->tell_of(&lost);
  Event event;
  event.set_kind(Kind::kernel, false);
  event.device = 3;
  for (const int64_t start_ns : {500, 100, 900}) {
    event.start_ns = start_ns;
    event.set_duration(50);
    lost.add(event);
  }
  event.set_kind(Kind::overhead, false);
  event.start_ns = 5'000;
  lost.add(event);  // the profiler's own time is nobody's idle time
  REQUIRE(rig.drain->start());
  rig.push(1);
  REQUIRE(rig.finish());
  CHECK(rig.written.holes == std::vector<LaneSpan>{{3, 100, 950}});
}

TEST_CASE("steps of allocation count among the events that the summary would read back") {
  Rig rig(1 << 12);
  REQUIRE(rig.drain->start());
  for (uint32_t i = 0; i < 1'000; ++i) {
    Event event;
    event.start_ns = i;
    event.set_kind(Kind::allocation, true);
    AllocationDetail step;
    step.address = i + 1;
    step.bytes = 512;
    step.kind = AllocationKind::pool;
    step.pool = 1;  // its size is no event of its own
    step.pool_bytes = 512 * (i + 1);
    const Detail slot = as_slot(step);
    rig.ring.push(event, &slot);
  }
  REQUIRE(rig.finish());
  CHECK(rig.drain->events_written() == 0);  // that the job did something on a GPU is not told
  CHECK(rig.drain->events_kept() + rig.ring.dropped() == 1'000);
}

TEST_CASE("an observer sees every event after its name, and the end") {
  struct Observer final : DrainObserver {
    void name(NameId id, std::string_view) override { names.insert(id); }
    void event(const Event& event, const Detail*) override {
      ++events;
      unnamed += names.count(event.name) == 0;
    }
    void flush(TraceWriter&, bool last) override { ended = last; }
    std::set<NameId> names;
    size_t events = 0, unnamed = 0;
    bool ended = false;
  } observer;
  Rig rig(1 << 12);
  rig.drain->observe_with(&observer);
  REQUIRE(rig.drain->start());
  for (uint32_t i = 0; i < 1'000; ++i) rig.push(i);
  REQUIRE(rig.finish());
  CHECK(observer.events == 1'000);
  CHECK(observer.unnamed == 0);
  CHECK(observer.ended);
}

TEST_CASE("an observer that runs out of memory costs no event of the trace") {
  struct Observer final : DrainObserver {
    void name(NameId, std::string_view) override {}
    void event(const Event&, const Detail*) override { throw std::bad_alloc(); }
    void flush(TraceWriter&, bool) override {}
  } observer;
  Rig rig(1 << 12);
  rig.drain->observe_with(&observer);
  REQUIRE(rig.drain->start());
  for (uint32_t i = 0; i < 1'000; ++i) rig.push(i);
  REQUIRE(rig.finish());
  CHECK(rig.written.correlations.size() == 1'000);
  CHECK(rig.notices.size() == 1);
}

TEST_CASE("the file is flushed on the timer while the job runs") {
  Rig rig(1 << 10);
  REQUIRE(rig.drain->start());
  rig.push(1);
  rig.drain->wake();
  const int64_t patience = monotonic_ns() + 20 * kSecond_ns;
  int flushes = 0;
  while (flushes < 2 && monotonic_ns() < patience) {  // the first is of the start
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const std::lock_guard lock(rig.written.mutex);
    flushes = rig.written.flushes;
  }
  CHECK(flushes >= 2);
  CHECK(rig.finish());
}

TEST_CASE("while the disk stalls the ring drops and counts, and nothing else waits") {
  Rig rig(64);
  rig.written.stall_ns = kSecond_ns / 2;
  REQUIRE(rig.drain->start());
  rig.push(0);
  rig.drain->wake();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const int64_t before = monotonic_ns();
  for (uint32_t i = 1; i < 1000; ++i) rig.push(i);
  CHECK(monotonic_ns() - before < kSecond_ns / 4);
  REQUIRE(rig.finish());
  CHECK(rig.ring.dropped() > 0);
  CHECK(rig.written.correlations.size() + rig.written.losses[Loss::ring_full] == 1000);
}

TEST_CASE("a drain that cannot finish in time is given up on") {
  Rig rig(64);
  rig.written.stall_ns = kSecond_ns;
  REQUIRE(rig.drain->start());
  rig.push(0);
  const int64_t before = monotonic_ns();
  CHECK_FALSE(rig.drain->finish(before + 50'000'000));
  CHECK(monotonic_ns() - before < kSecond_ns / 2);
  REQUIRE(rig.finish());  // for the test's own sake
}

TEST_CASE("what a slow disk leaves no time for at the end is counted, and the file is closed") {
  Rig rig(1 << 14);
  rig.written.stall_ns = 2 * kSecond_ns;
  for (uint32_t i = 0; i < 5000; ++i) rig.push(i);
  const int64_t before = monotonic_ns();
  REQUIRE(rig.drain->start());
  // three quarters of it are less than the stall
  REQUIRE(rig.drain->finish(before + 2 * kSecond_ns + kSecond_ns / 2));
  CHECK(rig.written.finished);
  CHECK(rig.written.correlations.size() < 5000);
  CHECK(rig.written.correlations.size() + rig.written.losses[Loss::ring_full] == 5000);
}

TEST_CASE("a full disk is told once") {
  Rig rig(1 << 10);
  rig.written.fail_after = 10;
  REQUIRE(rig.drain->start());
  for (uint32_t i = 0; i < 100; ++i) rig.push(i);
  REQUIRE(rig.finish());
  CHECK(rig.notices == std::vector<std::string>{"trace.dprof: No space left on device"});
}

}  // namespace deepprof
