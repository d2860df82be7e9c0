// How small and how fast the .dprof coding is: bytes an event, encode and decode in millions of
// events a second. Not a test.
//
//   trace_bench [FILE.dprof ...]     real recordings; without one, a modelled training loop of 4 M
//                                    events
//
// Each input is read into events, written again through the writer until about 4 M events have
// passed (processor time), and read back.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "analysis/model/dprof.h"
#include "libdeepprof/trace/chunk_scan.h"
#include "libdeepprof/trace/payloads.h"
#include "libdeepprof/trace/row_block.h"

using namespace deepprof;

namespace {

constexpr size_t kEventsToPass = 4'000'000;

// Processor time: the coding is one thread's work, and a machine that does other things is no
// slower coder.
double processor_seconds() {
  struct timespec now;
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// A training step of 600 launches on two streams: times with the noise and the grids of real ones.
Trace modelled_training() {
  Trace trace;
  std::mt19937_64 random(1);
  const auto below = [&](uint64_t limit) { return static_cast<int64_t>(random() % limit); };
  std::vector<NameId> kernels;
  for (int i = 0; i < 80; ++i) {
    kernels.push_back(
        trace.names.intern("void at::native::vectorized_elementwise_kernel<4, functor_" +
                           std::to_string(i) + ", at::detail::Array<char*, 3>>(int)"));
    Detail detail;
    detail.grid_x = static_cast<uint32_t>(100 + 7 * i);
    detail.block_x = 256;
    trace.details.push_back(detail);
  }
  const NameId launch = trace.names.intern("cudaLaunchKernel");
  trace.threads.push_back({1, 1, "main"});
  int64_t host = 1'700'000'000'000'000'000;
  int64_t free_at[2] = {host, host};
  uint32_t correlation = 0;
  while (trace.ops.size() < kEventsToPass / 2) {
    for (size_t i = 0; i < 600; ++i) {
      host += 2500 + below(1200);
      const int64_t call = 3000 + below(900);
      trace.calls.push_back({host, call, ++correlation, launch, 0, kNone, 0, Kind::api_call});
      const bool side = i % 50 == 49;
      Op op;
      op.start_ns = std::max(free_at[side] + 960 + below(8) * 32,
                             (host + call + 2000 + below(500)) / 32 * 32);
      op.duration_ns = (20 + static_cast<int64_t>(i * 37 % 300) + below(6)) * 32;
      op.correlation = correlation;
      op.name = kernels[i * 7 % 80];
      op.detail = static_cast<uint32_t>(1 + i * 7 % 80);
      op.stream = side ? 20 : 7;
      op.kind = Kind::kernel;
      free_at[side] = op.end_ns();
      host += call;
      trace.ops.push_back(op);
    }
  }
  trace.finish();
  return trace;
}

struct Recorded {
  std::vector<Event> events;
  std::vector<Detail> details;  // one an event
};

// Takes the events that a trace would be written as.
class Recorder final : public TraceWriter {
 public:
  Recorded recorded;

  void append(const Event& event, const Detail* detail) override {
    recorded.events.push_back(event);
    recorded.details.push_back(detail != nullptr ? *detail : Detail{});
  }
  void define_name(NameId, std::string_view) override {}
  void define_thread(uint32_t, uint32_t, uint64_t, std::string_view) override {}
  void define_device(uint32_t, std::string_view, uint32_t, uint64_t, uint32_t, uint32_t,
                     uint32_t) override {}
  void set_fact(std::string_view, std::string_view) override {}
  void set_losses(const LossCounts&) override {}
  void put_blob(std::string_view, std::string_view) override {}
  void append_sample(int64_t, NameId, uint32_t, double) override {}
  void append_allocation(const Allocation&) override {}
  void append_range(int64_t, int64_t, NameId, uint32_t, uint8_t) override {}
  void append_hole(uint32_t, int64_t, int64_t) override {}
  void keep_slowest(std::span<const SlowStretch>) override {}
  void flush() override {}
  void finish() override {}
  uint64_t bytes_written() const override { return 0; }
  uint64_t events_lost() const override { return 0; }
  uint64_t events_evicted() const override { return 0; }
  const std::string& error() const override { return error_; }

 private:
  std::string error_;
};

std::unique_ptr<TraceWriter> create(const std::string& path) {
  ::unlink(path.c_str());
  auto writer = TraceWriter::create({path, 0});
  if (!writer.ok()) {
    std::fprintf(stderr, "%s\n", writer.error().c_str());
    std::exit(1);
  }
  return std::move(writer).value();
}

void define_names(const Trace& trace, TraceWriter& writer) {
  for (NameId id = 1; id < trace.names.size(); ++id) writer.define_name(id, trace.names[id]);
}

// Size without ranges and samples, which are not events, and without the names that only they use.
double bytes_per_event(const Trace& trace, const Recorded& recorded, const std::string& path) {
  auto writer = create(path);
  for (const Event& event : recorded.events) {
    if (event.name != 0) writer->define_name(event.name, trace.names[event.name]);
  }
  for (size_t i = 0; i < recorded.events.size(); ++i) {
    const Event& event = recorded.events[i];
    writer->append(event, event.has_detail() ? &recorded.details[i] : nullptr);
  }
  writer->finish();
  return static_cast<double>(writer->bytes_written()) / static_cast<double>(recorded.events.size());
}

double encode_rate(const Trace& trace, const Recorded& recorded, const std::string& path) {
  auto writer = create(path);
  define_names(trace, *writer);
  // Each pass lies behind the one before, in time and in launch order.
  const auto [first, last] =
      std::minmax_element(recorded.events.begin(), recorded.events.end(),
                          [](const Event& a, const Event& b) { return a.start_ns < b.start_ns; });
  const int64_t span_ns = last->end_ns() - first->start_ns;
  uint32_t launches = 0;
  for (const Event& event : recorded.events) launches = std::max(launches, event.correlation);

  const double start = processor_seconds();
  size_t passed = 0;
  for (uint32_t pass = 0; passed < kEventsToPass; ++pass, passed += recorded.events.size()) {
    for (size_t i = 0; i < recorded.events.size(); ++i) {
      Event event = recorded.events[i];
      event.start_ns += pass * span_ns;
      event.correlation += event.correlation == 0 ? 0 : pass * launches;
      writer->append(event, event.has_detail() ? &recorded.details[i] : nullptr);
    }
  }
  writer->finish();
  return static_cast<double>(passed) / (processor_seconds() - start) / 1e6;
}

// From the file to rows, checksums included.
double decode_rate(const std::string& path) {
  const double start = processor_seconds();
  const auto file = InputFile::open(path);
  const auto scan = scan_chunks(file.value(), path);
  RowBlockDecoder decoder;
  Bytes payload;
  size_t rows = 0;
  for (const FoundChunk& chunk : scan.value().chunks) {
    if (!read_payload(file.value(), chunk, payload) || chunk.header.type != ChunkType::events)
      continue;
    if (decoder.decode(payload)) rows += decoder.rows().size();
  }
  return static_cast<double>(rows) / (processor_seconds() - start) / 1e6;
}

// From the file to a finished trace: joined and sorted.
double load_rate(const std::string& path) {
  const double start = processor_seconds();
  const auto loaded = read_dprof(path);
  const Trace& trace = loaded.value().trace;
  return static_cast<double>(trace.ops.size() + trace.calls.size()) /
         (processor_seconds() - start) / 1e6;
}

void measure(const std::string& label, const Trace& trace) {
  Recorder recorder;
  write_trace(trace, recorder);
  const std::string path = "trace_bench." + std::to_string(::getpid()) + ".dprof";
  if (recorder.recorded.events.empty()) {
    std::printf("%-32s no events\n", label.c_str());
    return;
  }
  const double bytes = bytes_per_event(trace, recorder.recorded, path);
  double encode = 0, decode = 0, load = 0;
  for (int round = 0; round < 3; ++round) {
    encode = std::max(encode, encode_rate(trace, recorder.recorded, path));
    decode = std::max(decode, decode_rate(path));
    load = std::max(load, load_rate(path));
  }
  ::unlink(path.c_str());
  std::printf(
      "%-32s %8zu events  %6.3f bytes/event  encode %5.1f  decode %5.1f  load %5.1f M events/s\n",
      label.c_str(), recorder.recorded.events.size(), bytes, encode, decode, load);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 1) measure("modelled training", modelled_training());
  for (int i = 1; i < argc; ++i) {
    const auto loaded = read_dprof(argv[i]);
    if (!loaded.ok()) {
      std::fprintf(stderr, "%s\n", loaded.error().c_str());
      return 1;
    }
    const std::string path = argv[i];
    measure(path.substr(path.rfind('/') + 1), loaded.value().trace);
  }
}
