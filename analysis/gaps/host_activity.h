// What kind of call an API function is, and what a host thread did during a stretch of time.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/gaps/open_intervals.h"
#include "analysis/model/trace.h"

namespace deepprof {

enum class CallClass : uint8_t {
  // puts work on a stream and returns: kernel and graph launches, asynchronous copies and fills
  launch,
  // waits for the device or does slow work: synchronize, synchronous copies, allocation, module
  // load
  blocking,
  other,
};

// By function name, for the runtime and driver API of CUDA and HIP, with any version suffix ("_v2",
// "_ptsz"). Judged by name alone: an "asynchronous" copy of pageable memory is still a launch.
CallClass call_class(std::string_view function);
bool is_synchronize(std::string_view function);   // cudaStreamSynchronize, cuCtxSynchronize, ...
bool is_graph_launch(std::string_view function);  // cudaGraphLaunch, cuGraphLaunch

// The same for each name of the trace that a call carries.
std::vector<CallClass> classify_calls(const Trace& trace);

// What the host did, sorted by thread: made once for a trace, shared by the sweeps of all its
// devices. The trace and the classes outlive it.
class HostRecord {
 public:
  HostRecord(const Trace& trace, std::span<const CallClass> class_of_name);

  const Trace& trace() const { return trace_; }
  const IntervalsByThread<HostCall>& calls() const { return calls_; }
  // Without profilers' own step markers, which say nothing of what the host was at.
  const IntervalsByThread<Range>& ranges() const { return ranges_; }
  bool is_blocking(NameId name) const {
    return name < class_of_name_.size() && class_of_name_[name] == CallClass::blocking;
  }

 private:
  const Trace& trace_;
  std::span<const CallClass> class_of_name_;
  IntervalsByThread<HostCall> calls_;
  IntervalsByThread<Range> ranges_;
};

// Coverage of a stretch of time by one thread's calls, as unions: a runtime call and the driver
// call inside it count once.
struct HostActivity {
  int64_t blocking_ns = 0;
  int64_t calls_ns = 0;         // every call, blocking ones included
  NameId longest_blocking = 0;  // the function that covers most; 0: none
  NameId longest_call = 0;      // of those that do not block; of all where each does
};

// Answers for stretches of ascending start.
class HostSweep {
 public:
  explicit HostSweep(const HostRecord& host) : host_(host), calls_(host.calls()) {}

  // `start_ns` must not be smaller than in the call before.
  HostActivity during(uint32_t thread, int64_t start_ns, int64_t end_ns);

 private:
  const HostRecord& host_;
  OpenIntervals<HostCall> calls_;
};

}  // namespace deepprof
