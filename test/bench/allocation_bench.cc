// allocation_bench: what a record of DEEPPROF_MEMORY=1 costs our threads: the collector, from
// CUPTI's buffer into the ring, and the drain thread, from there to the file and to what is in use.
// CUPTI's own cost on the job's thread is not in it. Run by hand.
#include <unistd.h>

#include <cstdio>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "libdeepprof/capture/allocation_recorder.h"
#include "libdeepprof/capture/clock.h"
#include "libdeepprof/cupti/decoder.h"
#include "libdeepprof/ring/event_ring.h"
#include "test/cupti/record_buffer.h"

using namespace deepprof;

namespace {

constexpr size_t kBufferBytes = size_t{1} << 20;
constexpr size_t kRecords = 1'000'000;
constexpr size_t kRecordsAFlush = 4'000;  // 20,000 a second, flushed five times a second

// The thread's own time, so that a busy machine does not show in the figure.
int64_t thread_ns() { return read_clock_ns(CLOCK_THREAD_CPUTIME_ID); }

double each(int64_t spent_ns, size_t count) {
  return static_cast<double>(spent_ns) / static_cast<double>(count);
}

// Allocate and release in turns, `in_use` pieces at a time, of any size and age.
class Steps {
 public:
  explicit Steps(size_t in_use) : in_use_(in_use) {}
  AllocationDetail next() {
    AllocationDetail step;
    step.kind = AllocationKind::device;
    const bool release = pieces_.size() >= in_use_;
    step.step = release ? AllocationStep::release : AllocationStep::allocate;
    if (release) {
      std::swap(pieces_[random_() % pieces_.size()], pieces_.back());
      std::tie(step.address, step.bytes) = pieces_.back();
      pieces_.pop_back();
    } else {
      step.address = 0x7f00'0000'0000 + ++number_ * 512;
      step.bytes = 512 * (1 + random_() % 40'000);
      pieces_.push_back({step.address, step.bytes});
    }
    return step;
  }

 private:
  const size_t in_use_;
  uint64_t number_ = 0;
  std::mt19937_64 random_{1};
  std::vector<std::pair<uint64_t, uint64_t>> pieces_;
};

double decoded() {
  using Layout = cupti::MemoryLayout;
  const cupti::Strides strides = test::strides_of_13_0();
  cupti::Api api;
  cupti::CallFilter filter;
  DefinitionLog log;
  LossCounters losses;
  NameInterner names{log, losses, 64 << 20};
  cupti::Decoder decoder{strides, api, filter, names, log, losses};
  EventRing ring{1 << 19};
  test::RecordBuffer buffer(strides);
  for (uint32_t i = 0; buffer.bytes().size() + 128 <= kBufferBytes; ++i) {
    buffer.add(cupti::ActivityKind::memory2)
        .put(Layout::operation, 1 + i % 2)
        .put(Layout::memory_kind, 3u)
        .put(Layout::address, 0x7f00'0000'0000 + uint64_t{i / 2} * 4096)
        .put(Layout::bytes, uint64_t{4096})
        .put(Layout::time, uint64_t{1000} + i)
        .put(Layout::correlation, i);
  }
  size_t records = 0;
  int64_t spent_ns = 0;
  while (records < kRecords) {
    const int64_t began = thread_ns();
    records +=
        decoder.decode(buffer.bytes().data(), buffer.bytes().size(),
                       [&](const Event& event, const Detail* detail) { ring.push(event, detail); });
    spent_ns += thread_ns() - began;
    ring.drain(ring.published(), [](const Event&, const Detail*) {});
  }
  return each(spent_ns, records);
}

struct Drained {
  double ns_a_record, bytes_a_record;
};

Drained drained(size_t in_use, const std::string& path) {
  ::unlink(path.c_str());
  auto writer = std::move(TraceWriter::create({path, 0})).value();
  AllocationRecorder recorder;
  Steps steps(in_use);
  std::mt19937_64 random(2);
  int64_t time_ns = 1'000'000'000, spent_ns = 0;
  const auto go_on = [&](size_t records) {
    for (size_t done = 0; done < records; done += kRecordsAFlush) {
      std::vector<AllocationDetail> batch(kRecordsAFlush);
      for (AllocationDetail& step : batch) step = steps.next();
      const int64_t began = thread_ns();
      for (const AllocationDetail& step : batch) {
        Event event;
        event.start_ns = time_ns += static_cast<int64_t>(random() % 100'000);
        recorder.add(event, step);
      }
      recorder.flush(*writer, time_ns, false);
      writer->flush();
      spent_ns += thread_ns() - began;
    }
  };
  go_on(in_use);  // until that many are in use
  spent_ns = 0;
  const uint64_t before = writer->bytes_written();
  go_on(kRecords);
  const double bytes = static_cast<double>(writer->bytes_written() - before) / kRecords;
  if (!writer->error().empty()) std::printf("%s\n", writer->error().c_str());
  writer.reset();
  ::unlink(path.c_str());
  return {each(spent_ns, kRecords), bytes};
}

}  // namespace

int main(int argc, char** argv) {
  const std::string path = (argc > 1 ? argv[1] : "/tmp") + std::string("/allocation_bench.dprof");
  std::printf("decoded, pushed into the ring                %6.1f ns\n", decoded());
  for (const size_t in_use : {100, 10'000, 1'000'000}) {
    const Drained figures = drained(in_use, path);
    std::printf("drained to the file, %9zu pieces in use %6.1f ns, %.1f bytes\n", in_use,
                figures.ns_a_record, figures.bytes_a_record);
  }
}
