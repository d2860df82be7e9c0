// What a person should do about it: verdicts in XProf's words and bands (docs/metrics.md), each
// with its evidence, its share of the iteration, the most that removing it can give, and a next
// step. Ceilings do not add up: what is removed in one place may be waited for in another.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/device/run_use.h"
#include "analysis/device/sample_index.h"
#include "analysis/model/trace.h"
#include "analysis/report/figures.h"

namespace deepprof {

enum class FindingKind : uint8_t {
  inconclusive,
  input_bound,
  host_bound,
  launch_bound,
  slow_calls,
  host_blocked,
  dependency_bound,
  profiler_overhead,
  synchronize_calls,
  communication_bound,
  copy_bound,
  pageable_copies,
  short_kernels,
  small_grids,
  low_busy,
  memory_nearly_full,
  memory_grows,
  throttled,
  imbalance,
  cpu_saturated,
  thread_waits_for_core,
};
inline constexpr size_t kFindingKinds = 21;
const char* finding_key(FindingKind kind);  // stable: "input_bound", "pageable_copies"

struct Finding {
  FindingKind kind = FindingKind::inconclusive;
  std::string sentence;     // what was found, with its number
  std::string next_step;    // what to do, one sentence; may be empty
  double share = 0;         // of the iteration (of the run where there are none); orders the list
  int64_t ceiling_ns = -1;  // an iteration takes at least this long without it; -1: not known
  std::string ceiling;      // the same in the digits of the page
};
using Findings = std::vector<Finding>;

// Most important first. Empty: nothing passed its threshold. When the figures cannot be trusted
// (records were lost, hardly a steady iteration) the first finding of a device says INCONCLUSIVE
// and why. What trace and figures say of the whole job is looked up once, however many devices are
// asked for.
class Finder {
 public:
  Finder(const Trace& trace, const Figures& figures);
  Finder(const Finder&) = delete;  // use_ refers to samples_
  Finder& operator=(const Finder&) = delete;

  Findings of_device(const DeviceFigures& device) const;
  // Of the GPUs together, the process and the machine.
  Findings of_job() const;
  // What a page about this device tells: both.
  Findings of_page(const DeviceFigures& device) const;

  // What is not looked for, and why; null: nothing.
  const char* left_out() const;

 private:
  const Trace& trace_;
  const Figures& figures_;
  SampleIndex samples_;
  RunUse use_;
};

// "", "MODERATELY", "HIGHLY" for a share against the two limits of its band.
const char* band(double share, double moderate, double high);

}  // namespace deepprof
