// Why the GPU was idle: every stretch in which nothing runs on a device, with the one cause that
// docs/metrics.md gives it. Gaps go to a visitor one by one in time order and are not stored,
// because a trace may hold as many gaps as ops.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/breakdown/account.h"
#include "analysis/gaps/host_activity.h"
#include "analysis/model/trace.h"

namespace deepprof {

// In the order of the report. The rules are tried in another order (docs/metrics.md).
enum class Cause : uint8_t {
  host_outside,     // host wait: the launching thread was in no CUDA call
  host_launch,      // host wait: it was busy with CUDA calls
  host_blocked,     // host wait: it was blocked in one
  dependency_wait,  // queued in time, 30 us or more
  kernel_wait,      // queued in time, under 30 us
  graph_replay,     // between two ops of one graph launch
  overhead,         // the profiler's own
  unattributed,     // no launch record
};
inline constexpr size_t kCauses = 8;
inline constexpr int64_t kKernelWaitBelow_ns = 30'000;

struct CauseInfo {
  const char* key;    // stable, for tables: "host_outside"
  const char* words;  // for people, and in the column "cause": "host outside CUDA"
  bool host_wait;
};
const CauseInfo& cause_info(Cause cause);

// CUPTI's overhead records tell of its own work and of some of the job's: these of loading and
// compiling code, which the job does without a profiler, too. By the name of CUPTI's kind, as ours
// and PyTorch's files have it ("Lazy Function Loading") or as Nsight Systems writes kinds: behind
// "CUPTI: " or "CUPTI ", in small letters ("CUPTI: Buffer flush").
bool loads_code(std::string_view overhead);
// Nor is this: a launch that finds the queue to the GPU full.
bool is_profilers_own(std::string_view overhead);

struct Gap {
  int64_t start_ns = 0, end_ns = 0;
  uint32_t before = kNone,
           after =
               kNone;  // indices into trace.ops: the op that ended last, the op that ends the gap
  Cause cause = Cause::unattributed;
  NameId call = 0;  // host_blocked, host_launch: the API function that covers most of it
  NameId range =
      0;  // host_outside: the annotation that the launching thread was in; 0: none recorded
  int64_t loading_ns = 0;  // host_launch: of it, time in which code was loaded or compiled

  int64_t duration_ns() const { return end_ns - start_ns; }
};

// Calls `visit` for every gap between the first start and the last end of `ops` (indices into
// trace.ops, ascending: of a device, or of one stream of it). Where `whole` reaches further, what
// lies before the first op (before == kNone) and behind the last (after == kNone: nothing that came
// late, so unattributed) are gaps too. A hole of the trace is no gap; what is left of a gap that it
// cuts is unattributed, and has no op (kNone) at the hole's side.
void for_each_gap(const HostRecord& host, std::span<const uint32_t> ops,
                  const std::function<void(const Gap&)>& visit, Window whole = {});
// For one device: makes the record itself.
void for_each_gap(const Trace& trace, std::span<const uint32_t> ops,
                  std::span<const CallClass> class_of_name,
                  const std::function<void(const Gap&)>& visit, Window whole = {});

using CauseTimes = std::array<int64_t, kCauses>;

}  // namespace deepprof
