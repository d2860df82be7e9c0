#include "inject/run_watch.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <thread>

#include "analysis/online/run_statistics_blob.h"
#include "libdeepprof/capture/clock.h"
#include "test/online/job.h"
#include "test/support/catch.h"

using namespace deepprof;
using deepprof::test::Ops;

namespace {

// Keeps what is stored through it.
class BlobWriter final : public TraceWriter {
 public:
  void define_name(NameId, std::string_view) override {}
  void define_thread(uint32_t, uint32_t, uint64_t, std::string_view) override {}
  void define_device(uint32_t, std::string_view, uint32_t, uint64_t, uint32_t, uint32_t,
                     uint32_t) override {}
  void set_fact(std::string_view, std::string_view) override {}
  void set_losses(const LossCounts&) override {}
  void put_blob(std::string_view key, std::string_view bytes) override {
    blobs[std::string(key)] = bytes;
  }
  void append(const Event&, const Detail*) override {}
  void append_sample(int64_t, NameId, uint32_t, double) override {}
  void append_allocation(const Allocation&) override {}
  void append_range(int64_t, int64_t, NameId, uint32_t, uint8_t) override {}
  void append_hole(uint32_t, int64_t, int64_t) override {}
  void keep_slowest(std::span<const SlowStretch> stretches) override {
    slowest.assign(stretches.begin(), stretches.end());
  }
  void flush() override {}
  void finish() override {}
  uint64_t bytes_written() const override { return 0; }
  uint64_t events_lost() const override { return 0; }
  uint64_t events_evicted() const override { return evicted; }
  const std::string& error() const override { return error_; }

  std::map<std::string, std::string> blobs;
  uint64_t evicted = 0;
  std::vector<SlowStretch> slowest;

 private:
  std::string error_;
};

constexpr int64_t kPatience_ns = 60'000'000'000;  // a busy machine and a sanitizer

void name_all(RunWatch& watch) {
  for (NameId id = 1; id <= 120; ++id) watch.name(id, "kernel_" + std::to_string(id));
}

// A training job whose steps begin with an input copy, which tells them from what merely repeats.
test::Job training(uint32_t seed, double noise, size_t steps) {
  test::Job job(seed, noise);
  job.run(test::training_step(12), steps);
  for (Event& op : job.events)
    if (op.name == 1) op.set_kind(Kind::memcpy, true);
  return job;
}

void watch_op(RunWatch& watch, const Event& op) {
  Detail to_device;
  to_device.bytes = 1 << 20;
  to_device.copy_kind = CopyKind::host_to_device;
  watch.event(op, op.has_detail() ? &to_device : nullptr);
}

}  // namespace

TEST_CASE("what the drain thread hands over is followed on another thread and stored at the end") {
  const test::Job job = training(1, .001, 800);
  RunWatch watch(kPatience_ns);
  BlobWriter writer;
  writer.evicted = 1;
  REQUIRE(watch.start());
  name_all(watch);
  for (Event event : job.events) {
    watch_op(watch, event);
    event.set_kind(Kind::api_call, false);  // no GPU op
    watch.event(event, nullptr);
  }
  watch.flush(writer, true);
  REQUIRE(writer.blobs.count("run_statistics.0") == 1);
  CHECK(watch.stored() == writer.blobs);
  const auto run = decode_run_statistics(writer.blobs["run_statistics.0"]);
  REQUIRE(run.has_value());
  CHECK(run->statistics.ops + run->statistics.skipped_ops == job.events.size());
  CHECK(run->statistics.skipped_ops == 0);
  CHECK(static_cast<double>(run->statistics.iteration_count()) == Approx(800).epsilon(.005));
  CHECK(run->name(3) == "kernel_3");
}

TEST_CASE("devices are followed each for itself") {
  test::Job job(2, 0);
  job.run(test::training_step(12), 800);
  RunWatch watch(kPatience_ns);
  BlobWriter writer;
  writer.evicted = 1;
  REQUIRE(watch.start());
  name_all(watch);
  for (Event event : job.events) {
    for (const uint8_t device : {0, 3, 200}) {  // the last is beyond those that are followed
      event.device = device;
      watch.event(event, nullptr);
    }
  }
  watch.flush(writer, true);
  CHECK(writer.blobs.size() == 2);
  const auto run = decode_run_statistics(writer.blobs["run_statistics.3"]);
  REQUIRE(run.has_value());
  CHECK(run->statistics.device == 3);
  CHECK(run->statistics.ops + run->statistics.skipped_ops == job.events.size());
}

TEST_CASE("a run too short to be mined on the way stores nothing: its trace is whole") {
  test::Job job(3, 0);
  job.run(test::training_step(2), 10);
  RunWatch watch(kPatience_ns);
  BlobWriter writer;
  REQUIRE(watch.start());
  name_all(watch);
  for (const Event& event : job.events) watch.event(event, nullptr);
  watch.flush(writer, true);
  CHECK(writer.blobs.empty());
}

TEST_CASE("a short run with more events than the summary can read back is summed up, too") {
  const test::Job job = training(5, 0, 100);
  for (const uint64_t more : {0, 1}) {
    RunWatch watch(kPatience_ns);
    BlobWriter writer;
    watch.summary_reads_back(job.events.size() - more);
    REQUIRE(watch.start());
    name_all(watch);
    for (const Event& event : job.events) watch_op(watch, event);
    watch.flush(writer, true);
    CHECK(writer.blobs.size() == more);
  }
}

TEST_CASE(
    "a short run whose oldest events were let go is summed up, with or without launch order") {
  const test::Job job = training(3, 0, 100);
  for (const bool launch_order : {true, false}) {
    RunWatch watch(kPatience_ns);
    BlobWriter writer;
    writer.evicted = 1;
    REQUIRE(watch.start());
    name_all(watch);
    for (Event event : job.events) {
      if (!launch_order) event.correlation = 0;
      watch_op(watch, event);
    }
    watch.flush(writer, true);
    const auto run = decode_run_statistics(writer.blobs["run_statistics.0"]);
    REQUIRE(run.has_value());
    CHECK(run->statistics.ops == job.events.size());
    CHECK(run->statistics.verdict == Verdict::iteration);
    CHECK(run->statistics.iteration_count() == 100);
  }
}

TEST_CASE("statistics are stored while the job runs, for it may be killed") {
  const test::Job job = training(5, 0, 800);
  RunWatch watch(kPatience_ns);
  BlobWriter writer;
  writer.evicted = 1;
  REQUIRE(watch.start());
  name_all(watch);
  for (const Event& event : job.events) watch_op(watch, event);
  std::optional<StoredRun> run;
  for (const int64_t until_ns = monotonic_ns() + kPatience_ns; !run && monotonic_ns() < until_ns;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    watch.flush(writer, false);
    if (writer.blobs.count("run_statistics.0") == 1)
      run = decode_run_statistics(writer.blobs["run_statistics.0"]);
  }
  REQUIRE(run.has_value());
  CHECK(run->statistics.iteration_count() > 100);
  CHECK(run->statistics.ops <= job.events.size());
  watch.flush(writer, true);
}

TEST_CASE("the slowest iterations are told to the writer while the job runs") {
  test::Job job = training(4, 0, 800);
  constexpr size_t kSlow = 700;
  constexpr int64_t kPause_ns = 40'000'000;
  for (size_t i = job.begins[kSlow] + 5; i < job.events.size(); ++i)
    job.events[i].start_ns += kPause_ns;
  const auto start_of = [&](size_t iteration) {
    return job.events[job.begins[iteration]].start_ns;
  };
  RunWatch watch(kPatience_ns);
  BlobWriter writer;
  writer.evicted = 1;
  REQUIRE(watch.start());
  name_all(watch);
  for (const Event& event : job.events) watch_op(watch, event);
  watch.flush(writer, true);
  REQUIRE(!writer.slowest.empty());
  const auto slowest = std::max_element(
      writer.slowest.begin(), writer.slowest.end(),
      [](const SlowStretch& a, const SlowStretch& b) { return a.excess_ns < b.excess_ns; });
  CHECK(static_cast<double>(slowest->excess_ns) == Approx(kPause_ns).epsilon(.1));
  CHECK(slowest->from_ns <= start_of(kSlow - 1) + kPause_ns / 100);
  CHECK(slowest->to_ns >= start_of(kSlow + 2) - kPause_ns / 100);
}
