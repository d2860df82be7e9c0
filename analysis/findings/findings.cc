#include "analysis/findings/findings.h"

#include <algorithm>
#include <array>
#include <utility>

#include "analysis/categories/readable_name.h"
#include "analysis/findings/device_findings.h"
#include "analysis/findings/rules.h"
#include "analysis/report/quantity.h"
#include "analysis/report/units.h"

namespace deepprof {
namespace {

// In the order of the list where shares are equal.
constexpr void (*kRules[])(const Case&, Findings&) = {
    inconclusive,  host_bound,       launch_bound,      blocked_in_cuda,   communication_bound,
    copy_bound,    dependency_bound, profiler_overhead, synchronize_calls, pageable_copies,
    short_kernels, small_grids,      low_busy,          device_limits,     memory_grows};

void by_share(Findings& findings) {
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return a.share > b.share; });
}

}  // namespace

const char* finding_key(FindingKind kind) {
  constexpr std::array<const char*, kFindingKinds> kKeys{
      "inconclusive",         "input_bound",         "host_bound",       "launch_bound",
      "slow_calls",           "host_blocked",        "dependency_bound", "profiler_overhead",
      "synchronize_calls",    "communication_bound", "copy_bound",       "pageable_copies",
      "short_kernels",        "small_grids",         "low_busy",         "memory_nearly_full",
      "memory_grows",         "throttled",           "imbalance",        "cpu_saturated",
      "thread_waits_for_core"};
  return kKeys[static_cast<size_t>(kind)];
}

double Case::share(int64_t ns) const {
  const int64_t recorded_ns = device.basis.recorded_ns();
  return recorded_ns > 0 ? static_cast<double>(ns) / static_cast<double>(recorded_ns) : 0;
}

std::string Case::amount(const std::string& time, const std::string& share) const {
  return time + (device.has_iterations() ? " per iteration (" : " in the run (") + share +
         " of it)";
}
std::string Case::amount(int64_t ns) const { return amount(time(ns), percent_text(share(ns))); }
std::string Case::amount(Cause cause) const {
  return amount(time(cause), percent_text(share(idle(cause))));
}
std::string Case::exposed(Activity activity) const {
  const auto index = static_cast<size_t>(activity);
  std::string share_of_wall = texts.shares()[index];
  share_of_wall.erase(0, share_of_wall.find_first_not_of(' '));
  // The column's shares are of the wall time; ours of what was recorded of it.
  return amount(texts.times().text(index),
                device.basis.not_recorded_ns == 0
                    ? share_of_wall
                    : percent_text(share(device.basis.exposed(activity))));
}

std::string Case::time(int64_t ns) const { return time_text(rounded_mean(ns, device.repetitions)); }
std::string Case::time(Cause cause) const {
  return texts.causes().text(static_cast<size_t>(cause));
}

std::string Case::name(NameId id, size_t width) const { return short_name(trace.names[id], width); }

Finding Case::about(FindingKind kind, int64_t ns, std::string ceiling) const {
  Finding finding;
  finding.kind = kind;
  finding.share = share(ns);
  finding.ceiling_ns = rounded_mean(device.basis.wall_ns - ns, device.repetitions);
  finding.ceiling = ceiling.empty() ? time_text(finding.ceiling_ns) : std::move(ceiling);
  return finding;
}
Finding Case::about(FindingKind kind, Activity activity) const {
  return about(kind, device.basis.exposed(activity), texts.without(activity));
}
Finding Case::about(FindingKind kind, Cause cause) const {
  return about(kind, idle(cause), texts.without(cause));
}

const char* band(double share, double moderate, double high) {
  return share > high ? "HIGHLY" : share >= moderate ? "MODERATELY" : "";
}

Finder::Finder(const Trace& trace, const Figures& figures)
    : trace_(trace), figures_(figures), samples_(trace), use_(trace, samples_) {}

Findings Finder::of_device(const DeviceFigures& device) const {
  const Case c{trace_, figures_, device, samples_, use_, BasisText(device)};
  Findings findings;
  for (const auto rule : kRules) rule(c, findings);
  by_share(findings);
  return findings;
}

const char* Finder::left_out() const {
  const bool part = figures_.view.within && use_.counted();
  return part ? "nothing is said of what GPUs and host used: samples were let go, what is known is "
                "of the whole run"
              : nullptr;
}

Findings Finder::of_job() const {
  Findings findings;
  if (left_out() != nullptr) return findings;
  find_imbalance(trace_, figures_, use_, findings);
  // Of a run without a GPU: of what was sampled.
  find_host_limits(trace_, use_,
                   figures_.devices.empty() ? HostMeter(samples_).span() : figures_.main().span,
                   findings);
  return findings;
}

Findings Finder::of_page(const DeviceFigures& device) const {
  Findings findings = of_device(device);
  for (Finding& finding : of_job()) findings.push_back(std::move(finding));
  by_share(findings);
  return findings;
}

}  // namespace deepprof
