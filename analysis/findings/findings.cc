#include "analysis/findings/findings.h"

#include <algorithm>

#include "analysis/categories/readable_name.h"
#include "analysis/findings/rules.h"
#include "analysis/report/quantity.h"
#include "analysis/report/units.h"

namespace deepprof {
namespace {

// In the order of the list where shares are equal.
constexpr void (*kRules[])(const Case&, Findings&) = {
    inconclusive, input_bound,      launch_bound,      blocked_in_cuda, communication_bound,
    copy_bound,   dependency_bound, synchronize_calls, pageable_copies, short_kernels,
    small_grids,  low_busy,         sampled};

int64_t rounded(int64_t ns, int64_t count) { return (ns + count / 2) / count; }

}  // namespace

double Case::share(int64_t ns) const {
  const int64_t recorded_ns = device.basis.recorded_ns();
  return recorded_ns > 0 ? static_cast<double>(ns) / static_cast<double>(recorded_ns) : 0;
}

std::string Case::time(int64_t ns) const { return time_text(rounded(ns, device.repetitions)); }

std::string Case::amount(int64_t ns) const {
  return time(ns) + (device.has_iterations() ? " per iteration (" : " in the run (") +
         percent_text(share(ns)) + " of it)";
}

std::string Case::name(NameId id, size_t width) const { return short_name(trace.names[id], width); }

Finding Case::about(const char* key, int64_t ns) const {
  Finding finding;
  finding.key = key;
  finding.share = share(ns);
  finding.ceiling_ns = rounded(device.basis.wall_ns - ns, device.repetitions);
  return finding;
}

const char* band(double share, double moderate, double high) {
  return share > high ? "HIGHLY" : share >= moderate ? "MODERATELY" : "";
}

std::vector<Finding> find(const Trace& trace, const Figures& figures, const DeviceFigures& device) {
  const Case c{trace, figures, device};
  Findings findings;
  for (const auto rule : kRules) rule(c, findings);
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return a.share > b.share; });
  return findings;
}

}  // namespace deepprof
