// The rules behind find(): one function a rule, a file a family, one list (findings.cc). A rule
// looks at the figures of one device and appends what passed its threshold; it adds up what
// figures.h has not.
#pragma once

#include <string>
#include <vector>

#include "analysis/findings/advice.h"
#include "analysis/findings/findings.h"
#include "analysis/report/basis_text.h"
#include "analysis/report/figures.h"

namespace deepprof {

// What every rule reads, and how it says it.
struct Case {
  const Trace& trace;
  const Figures& figures;
  const DeviceFigures& device;
  const SampleIndex& samples;
  const RunUse& use;      // of the run
  const BasisText texts;  // figures that the page prints are said in its digits

  // Of the time of the basis of which events are recorded.
  double share(int64_t ns) const;
  int64_t idle(Cause cause) const { return causes(cause).pieces.total_ns; }
  const CauseFigures& causes(Cause cause) const {
    return device.causes[static_cast<size_t>(cause)];
  }
  double per_repetition(uint64_t count) const {
    return static_cast<double>(count) / static_cast<double>(device.repetitions);
  }

  std::string time(int64_t ns) const;  // "12.3 ms": of one repetition
  std::string time(Cause cause) const;
  std::string amount(int64_t ns) const;  // "12.3 ms per iteration (14.5 % of it)"
  std::string amount(Cause cause) const;
  std::string exposed(Activity activity) const;  // the same of its exposed time
  std::string name(NameId id, size_t width) const;
  const char* advice(Advice about) const { return deepprof::advice(about, figures.framework); }

  // A finding about exposed time, or about idle time, with its share and ceiling, still without
  // words.
  Finding about(FindingKind kind, Activity activity) const;
  Finding about(FindingKind kind, Cause cause) const;

 private:
  Finding about(FindingKind kind, int64_t ns, std::string ceiling) const;
  std::string amount(const std::string& time, const std::string& share) const;
};

// Idle time, by cause.
void host_bound(const Case& c, Findings& out);  // or input-bound
void launch_bound(const Case& c, Findings& out);
void blocked_in_cuda(const Case& c, Findings& out);
void dependency_bound(const Case& c, Findings& out);
void profiler_overhead(const Case& c, Findings& out);
void synchronize_calls(const Case& c, Findings& out);
// Communication and copies.
void communication_bound(const Case& c, Findings& out);
void copy_bound(const Case& c, Findings& out);
void pageable_copies(const Case& c, Findings& out);
// Kernels.
void short_kernels(const Case& c, Findings& out);
void small_grids(const Case& c, Findings& out);
// What is allocated.
void memory_grows(const Case& c, Findings& out);
// The run as a whole.
void inconclusive(const Case& c, Findings& out);
void low_busy(const Case& c, Findings& out);
void device_limits(const Case& c, Findings& out);  // memory and clocks, as sampled

}  // namespace deepprof
