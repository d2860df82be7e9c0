// The trace model: what every importer and the .dprof reader fill, and all that analysis may know.
//
// Times are integer nanoseconds in the input's own clock; intervals are half-open [start, start +
// duration). Nothing here tells which source filled it. Build it through TraceBuilder
// (trace_builder.h) or by hand, then call `finish()`; analysis takes a finished trace by const
// reference.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/model/name_table.h"
#include "libdeepprof/event/allocation.h"
#include "libdeepprof/event/event.h"
#include "libdeepprof/event/loss.h"

namespace deepprof {

inline constexpr uint32_t kNone = UINT32_MAX;

// A GPU op: kernel, copy, fill or whole graph launch on a stream.
struct Op {
  int64_t start_ns = 0;
  int64_t duration_ns = 0;   // >= 0 in a finished trace
  uint32_t correlation = 0;  // 0: none
  NameId name = 0;
  uint32_t stream = 0;
  uint32_t detail = 0;  // index into Trace::details; 0: nothing known
  // index into Trace::calls of the call that launched it; set by finish()
  uint32_t launch = kNone;
  uint32_t graph_node = 0;  // node id within a graph launch; 0: not part of one
  uint32_t context = 0;
  uint16_t device = 0;
  Kind kind = Kind::none;

  int64_t end_ns() const { return start_ns + duration_ns; }
};
static_assert(sizeof(Op) == 48);

// A call into the runtime or driver API (Kind::api_call), or a recorded wait (Kind::sync).
struct HostCall {
  int64_t start_ns = 0;
  int64_t duration_ns = 0;
  uint32_t correlation = 0;
  NameId name = 0;          // cudaLaunchKernel, cuLaunchKernel, ...
  uint32_t thread = 0;      // index into Trace::threads
  uint32_t stream = kNone;  // sync records: the stream waited for; kNone: not known or whole device
  uint32_t detail = 0;      // sync records: index into Trace::details (sync_type)
  Kind kind = Kind::api_call;

  int64_t end_ns() const { return start_ns + duration_ns; }
};

// A named range on the host: NVTX, user annotation, framework op, Python function, a step as the
// job's profiler marks it. Evidence only.
enum class RangeSource : uint8_t { annotation, nvtx, framework_op, python, step };
inline constexpr size_t kRangeSources = 5;
struct Range {
  int64_t start_ns = 0;
  int64_t duration_ns = 0;
  NameId name = 0;
  uint32_t thread = 0;
  RangeSource source = RangeSource::annotation;

  int64_t end_ns() const { return start_ns + duration_ns; }
};

// Time that the profiler itself took on the host.
struct Overhead {
  int64_t start_ns = 0;
  int64_t duration_ns = 0;
  NameId name = 0;
};

// A sampled value (NVML, /proc). `metric` is a NameId such as "gpu_power_mw".
struct Sample {
  int64_t time_ns = 0;
  double value = 0;
  NameId metric = 0;
  uint32_t device = kHostDevice;
};

// A time for which events are missing though the job ran: they were let go to keep the file's
// ceiling, or went to another user of CUPTI. Nothing is known of it, so it is never idle time.
// Events that were recorded inside (they come out of order) count as ever.
struct Hole {
  int64_t start_ns = 0, end_ns = 0;
  uint32_t device = kHostDevice;  // the host: its calls are missing

  bool touches(int64_t from_ns, int64_t to_ns) const {
    return start_ns < to_ns && from_ns < end_ns;
  }
};

// The end of what was recorded of a device, of which ops may lack (tail.h). It is a hole, too.
struct Tail {
  uint32_t device = 0;
  int64_t start_ns = 0, end_ns = 0;
  uint64_t ops = 0;        // of the device that begin in it
  bool of_thread = false;  // whose ops are missing: what a thread launched, else what a stream ran
  uint32_t lane = 0;       // index into Trace::threads, or the stream
};

struct Device {
  uint32_t id = 0;
  std::string name;       // empty: not known
  uint32_t sm_count = 0;  // 0: not known, likewise below
  uint64_t memory_bytes = 0;
  uint32_t compute_major = 0, compute_minor = 0;
  uint32_t max_threads_per_sm = 0;
};

struct Thread {
  uint32_t pid = 0;
  uint64_t tid = 0;
  std::string name;
};

struct ProcessInfo {
  std::string host;
  uint32_t pid = 0;
  std::string command_line;
  int rank = -1;  // -1: not a ranked job
  int world_size = -1;
  std::string source;  // what recorded it: "deepprof 1.0", "Kineto", "Nsight Systems"
  // driver_version, cupti_version, tags, ...
  std::vector<std::pair<std::string, std::string>> facts;
};

struct Trace {
  std::vector<Op> ops;          // finished: ordered by (start, end, stream)
  std::vector<HostCall> calls;  // finished: ordered by start
  std::vector<Range> ranges;    // finished: ordered by start
  std::vector<Overhead> overheads;
  // finished: ordered by (device, start); those of a device are disjoint
  std::vector<Hole> holes;
  std::vector<Tail> tails;  // by device, one at most
  std::vector<Sample> samples;
  // finished: ordered by time. Of which there are only those that are left; the blob
  // "allocation_totals" is of all.
  std::vector<Allocation> allocations;
  std::vector<Detail> details{Detail{}};
  std::vector<Device> devices;  // those known; may lack a device that ops name
  std::vector<Thread> threads;
  NameTable names;
  ProcessInfo process;
  LossCounts losses;
  // false: its recorder was killed or still runs, the newest events may lack
  bool closed = true;
  std::map<std::string, std::string> blobs;  // kept beside the events, by key: whole-run statistics
  int64_t clock_base_ns = 0;  // added to a time it gives nanoseconds since 1970; 0: not known

  // Sorts, drops ops with impossible times (counted as Loss::bad_timestamp) and joins every op with
  // the call that launched it. Call after filling, and again where times or ids were changed.
  void finish();
};

// Brings holes into the order of Trace::holes; those that overlap or touch become one.
void unite_holes(std::vector<Hole>& holes);
// The holes of a device (kHostDevice: of the host's calls), by time.
std::span<const Hole> holes_of(const Trace& trace, uint32_t device);
// Whether any of them has time in common with [from_ns, to_ns).
bool touches_hole(std::span<const Hole> holes, int64_t from_ns, int64_t to_ns);

// Device numbers that have ops, ascending.
std::vector<uint16_t> devices_with_ops(const Trace& trace);

// Indices of a device's ops, ascending; of one stream of it where `stream` is not kNone.
std::vector<uint32_t> ops_of_device(const Trace& trace, uint16_t device, uint32_t stream = kNone);

// The same of every device, by its number.
std::vector<std::vector<uint32_t>> ops_by_device(const Trace& trace);

}  // namespace deepprof
