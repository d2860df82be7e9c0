// Findings about the run as a whole.
#include <algorithm>

#include "analysis/findings/device_findings.h"
#include "analysis/findings/rules.h"
#include "analysis/model/incomplete.h"
#include "analysis/report/may_be_no_iteration.h"
#include "analysis/report/units.h"
#include "libdeepprof/text.h"

namespace deepprof {

void low_busy(const Case& c, Findings& out) {
  const double busy = c.share(c.device.basis.busy_ns());
  if (busy >= 0.5) return;
  Finding finding;
  finding.kind = FindingKind::low_busy;
  finding.sentence = format_text(
      "The GPU is busy %s of the time: a faster one can shorten no more than that part.",
      percent_text(busy).c_str());
  out.push_back(
      std::move(finding));  // no share of its own: the findings above say where the rest went
}

void device_limits(const Case& c, Findings& out) {
  // What is known is then of the whole run.
  if (c.figures.view.within && c.use.counted()) return;
  find_device_limits(c.trace, c.figures, c.device, c.samples, c.use, out);
}

// Of the recording, without the evaluations that it is known to hold.
int64_t without_evaluation_ns(const DeviceFigures& device) {
  int64_t ns = device.run.recorded_ns();
  for (size_t s = 0; s < device.sections.size(); ++s) {
    const bool is_evaluation = device.mined->sections[s].kind == SectionKind::evaluation;
    if (is_evaluation) ns -= device.sections[s].recorded_ns();
  }
  return std::max<int64_t>(1, ns);
}

// The figures may be exact and still say nothing about the job.
void inconclusive(const Case& c, Findings& out) {
  const DeviceFigures& device = c.device;
  const bool incomplete = is_incomplete(c.trace);
  std::string why;
  const auto add = [&](const std::string& reason) { why += (why.empty() ? "" : "; ") + reason; };
  if (c.trace.losses.any(Severity::error)) add("records were lost (data line)");
  if (lacks_records(c.trace))
    add("so many records have no usable times, or were not understood, that idle time may be "
        "theirs "
        "(data line)");
  if (launches_without_kernels(c.trace) > 0)
    add("no kernel was recorded of those launched (data line)");
  // Whoever names iterations or a stretch knows that they are not the run.
  if (device.has_iterations() && !device.narrowed) {
    int64_t covered_ns = device.basis.wall_ns;
    if (device.last_left_out) covered_ns += device.iterations.back().wall_ns;
    const double covered =
        static_cast<double>(covered_ns) / static_cast<double>(without_evaluation_ns(device));
    if (may_be_no_iteration(device)) add("the block that repeats may be no iteration");
    else if (is_low(device.mined->confidence)) add("the iterations are uncertain (confidence LOW)");
    if (device.counted.size() < 3) {
      add(format_text("only %zu steady iteration%s", device.counted.size(),
                      device.counted.size() == 1 ? "" : "s"));
    } else if (covered < 0.5) {
      add("the iterations above cover only " + percent_text(covered) +
          " of the run's time (evaluation aside)");
    }
  }
  if (why.empty()) return;
  Finding finding;
  finding.kind = FindingKind::inconclusive;
  finding.sentence = "INCONCLUSIVE: " + why + ".";
  finding.next_step = incomplete ? "Find out why with deepprof check, then record again."
                                 : "Read what follows with care; a longer run may tell more.";
  finding.share = 2;  // before everything else
  out.push_back(std::move(finding));
}

}  // namespace deepprof
