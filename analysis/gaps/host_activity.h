// What kind of call an API function is, and what a host thread did during a stretch of time.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/model/trace.h"

namespace deepprof {

enum class CallClass : uint8_t {
  launch,    // puts work on a stream and returns: kernel and graph launches, asynchronous copies and fills
  blocking,  // waits for the device or does slow work: synchronize, synchronous copies, allocation, module load
  other,
};

// By function name, for the runtime and driver API of CUDA and HIP, with any version suffix ("_v2",
// "_ptsz"). Judged by name alone: an "asynchronous" copy of pageable memory is still a launch.
CallClass call_class(std::string_view function);
bool is_synchronize(std::string_view function);   // cudaStreamSynchronize, cuCtxSynchronize, ...
bool is_graph_launch(std::string_view function);  // cudaGraphLaunch, cuGraphLaunch

// The same for each name of the trace that a call carries.
std::vector<CallClass> classify_calls(const Trace& trace);

// Coverage of a stretch of time by one thread's calls, as unions: a runtime call and the driver call
// inside it count once.
struct HostActivity {
  int64_t blocking_ns = 0;
  int64_t calls_ns = 0;           // every call, blocking ones included
  NameId longest_blocking = 0;    // the function that covers most; 0: none
  NameId longest_call = 0;
};

// Answers for stretches of ascending start. Keeps only the calls that are open or ahead, so that its
// memory does not grow with the trace.
class HostSweep {
 public:
  HostSweep(const Trace& trace, std::span<const CallClass> class_of_name);

  // `start_ns` must not be smaller than in the call before.
  HostActivity during(uint32_t thread, int64_t start_ns, int64_t end_ns);

 private:
  struct ThreadCalls {
    std::vector<uint32_t> open;  // indices into trace.calls, by start; those that may still matter
    size_t compact_at = 64;
  };
  void take_calls_before(int64_t end_ns, int64_t settled_ns);
  void drop_ended(ThreadCalls& calls, int64_t before_ns) const;

  const Trace& trace_;
  std::span<const CallClass> class_of_name_;
  std::vector<ThreadCalls> threads_;
  size_t next_call_ = 0;
};

}  // namespace deepprof
