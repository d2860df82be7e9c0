// Random traces for round trips: every kind, details, samples, ranges, awkward values.
#pragma once

#include <cstdint>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "analysis/model/trace.h"
#include "libdeepprof/trace/bytes.h"

namespace deepprof::test {

inline Bytes read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(in), {});
}

class RandomTrace {
 public:
  explicit RandomTrace(uint64_t seed) : random_(seed) {}

  // Finished. With `awkward`, values lie at the limits of what the file must hold.
  Trace make(size_t rows, bool awkward) {
    Trace trace;
    fill_tables(trace);
    uint32_t correlation = awkward ? UINT32_MAX - static_cast<uint32_t>(rows / 2) : 1;
    int64_t now = 1'700'000'000'000'000'000;
    for (size_t i = 0; i < rows; ++i) {
      now += static_cast<int64_t>(below(20'000));
      add_row(trace, correlation++, awkward ? awkward_time(now) : now, awkward);
    }
    for (size_t i = 0; i < rows / 10; ++i) add_allocation(trace, awkward ? awkward_time(now) : now);
    trace.finish();
    return trace;
  }
  uint64_t below(uint64_t limit) { return random_() % limit; }

 private:
  void fill_tables(Trace& trace) {
    for (int i = 0; i < 40; ++i) trace.names.intern("name number " + std::to_string(i));
    trace.names.intern(std::string("odd \0 \"\\\n\x9f bytes", 16));
    trace.names.intern(std::string(20'000, 'x'));
    trace.threads = {{1, 100, "main"}, {1, UINT64_MAX, ""}, {UINT32_MAX, 7, "worker"}};
    trace.devices = {{0, "A GPU", 132, uint64_t{141} << 30, 9, 0, 2048}, {3, "", 0, 0, 0, 0, 0}};
    for (int i = 0; i < 30; ++i) {
      Detail detail;
      detail.bytes = random_() >> below(64);
      detail.grid_x = static_cast<uint32_t>(random_());
      detail.grid_y = static_cast<uint16_t>(random_());
      detail.block_x = static_cast<uint16_t>(below(1025));
      detail.registers = static_cast<uint16_t>(below(256));
      detail.shared_bytes = static_cast<uint32_t>(below(200'000));
      detail.copy_kind = static_cast<CopyKind>(below(11));
      detail.source = static_cast<MemoryKind>(below(8));
      detail.sync_type = static_cast<uint8_t>(i + 1);  // makes each distinct
      trace.details.push_back(detail);
    }
    trace.process.host = "host.example";
    trace.process.pid = 4711;
    trace.process.rank = 3;
    trace.process.world_size = 8;
    trace.process.source = "test";
    trace.process.command_line = "python train.py --name \"a b\"";
    trace.process.facts = {{"driver_version", "580.1"}, {"tag.MODEL", ""}};
    trace.losses[Loss::ring_full] = 12;
    trace.clock_base_ns = -5;
  }

  void add_allocation(Trace& trace, int64_t time) {
    Allocation step;
    step.time_ns = time;
    step.address = random_() >> below(64);
    step.bytes = random_() >> (14 + below(50));
    step.in_use_bytes = random_() >> (4 + below(60));
    step.correlation = static_cast<uint32_t>(random_());
    step.device = below(2) == 0 ? Allocation::kHost : static_cast<uint32_t>(below(9));
    step.kind = static_cast<AllocationKind>(below(kAllocationKinds));
    step.step = static_cast<AllocationStep>(1 + below(2));
    trace.allocations.push_back(step);
  }
  int64_t awkward_time(int64_t now) {
    switch (below(8)) {
      case 0: return 1;
      case 1: return INT64_MAX - static_cast<int64_t>(below(1000));
      case 2: return static_cast<int64_t>(random_() >> 1) | 1;
      default: return now;
    }
  }
  int64_t duration(bool awkward, int64_t most) {
    const auto value =
        static_cast<int64_t>(awkward ? random_() >> (16 + below(48)) : below(5000) * 32);
    return std::min(value, most);
  }

  void add_row(Trace& trace, uint32_t correlation, int64_t time, bool awkward) {
    const auto name = static_cast<NameId>(below(trace.names.size()));
    const auto detail = static_cast<uint32_t>(below(2) * below(trace.details.size()));
    const auto thread = static_cast<uint32_t>(below(3));
    // Times at the end of the range keep their ends in it.
    const int64_t length =
        duration(awkward, std::min(INT64_MAX - time, int64_t{86'000'000'000'000}));
    switch (below(10)) {
      case 0:
        trace.calls.push_back({time, length, correlation, name, thread,
                               static_cast<uint32_t>(below(2) == 0 ? kNone : below(9)), detail,
                               Kind::sync});
        break;
      case 1: trace.overheads.push_back({time, length, name}); break;
      case 2:
        trace.ranges.push_back({time, length, name, thread, static_cast<RangeSource>(below(4))});
        break;
      case 3: {
        const double value = below(2) == 0 ? static_cast<double>(below(1'000'000))
                                           : 0.1 * static_cast<double>(below(99)) - 3;
        trace.samples.push_back(
            {time, value, name, static_cast<uint32_t>(below(2) == 0 ? kNone : below(4))});
        break;
      }
      case 4:
      case 5:
      case 6:
        trace.calls.push_back({time, length, correlation, name, thread, kNone, 0, Kind::api_call});
        [[fallthrough]];
      default: {
        Op op;
        op.start_ns = time;
        op.duration_ns = length;
        op.correlation = correlation;
        op.name = name;
        op.stream = static_cast<uint32_t>(below(4) == 0 && awkward ? random_() : below(6));
        op.detail = detail;
        op.graph_node = static_cast<uint32_t>(below(3) == 0 ? random_() : 0);
        op.device = static_cast<uint16_t>(below(3));
        op.kind = static_cast<Kind>(1 + below(4));
        trace.ops.push_back(op);
      }
    }
  }

  std::mt19937_64 random_;
};

}  // namespace deepprof::test
