// Findings about kernels.
#include "analysis/findings/rules.h"
#include "analysis/report/units.h"
#include "libdeepprof/text.h"

namespace deepprof {

void short_kernels(const Case& c, Findings& out) {
  constexpr int64_t kShort_ns = 10'000;
  uint64_t kernels = 0, brief = 0;
  for (const uint32_t index : c.device.shown()) {
    const Op& op = c.trace.ops[index];
    if (op.kind != Kind::kernel) continue;
    ++kernels;
    if (op.duration_ns < kShort_ns) ++brief;
  }
  const double share = kernels > 0 ? static_cast<double>(brief) / static_cast<double>(kernels) : 0;
  // Code is loaded once for a kernel, however many are launched.
  const int64_t waits_ns = c.idle(Cause::host_launch) - c.causes(Cause::host_launch).loading_ns +
                           c.idle(Cause::kernel_wait);
  // Short kernels are a fault only where the GPU waits between them.
  if (kernels < 100 || share < 0.5 || c.share(waits_ns) < 0.05) return;
  Finding finding;
  finding.kind = FindingKind::short_kernels;
  finding.sentence = format_text(
      "%s of the kernels take less than 10 us each (%s of %s), and the GPU idles %s between "
      "launches.",
      percent_text(share).c_str(), count_text(static_cast<int64_t>(brief)).c_str(),
      count_text(static_cast<int64_t>(kernels)).c_str(), c.amount(waits_ns).c_str());
  finding.next_step = c.advice(Advice::fuse_kernels);
  finding.share = c.share(waits_ns);
  out.push_back(std::move(finding));
}

void small_grids(const Case& c, Findings& out) {
  uint32_t sms = 0;
  for (const Device& device : c.trace.devices) {
    if (device.id == c.device.device) sms = device.sm_count;
  }
  if (sms == 0) return;
  int64_t kernels_ns = 0, small_ns = 0;
  for (const uint32_t index : c.device.shown()) {
    const Op& op = c.trace.ops[index];
    if (op.kind == Kind::graph) kernels_ns += op.duration_ns;  // of grids that nobody saw
    if (op.kind != Kind::kernel || op.detail == 0 || op.detail >= c.trace.details.size()) continue;
    const Detail& detail = c.trace.details[op.detail];
    const uint64_t blocks = uint64_t{detail.grid_x} * detail.grid_y * detail.grid_z;
    if (blocks == 0 || c.figures.category_of_name[op.name] == kCommunication) continue;
    kernels_ns += op.duration_ns;
    if (blocks < sms) small_ns += op.duration_ns;
  }
  const double share =
      kernels_ns > 0 ? static_cast<double>(small_ns) / static_cast<double>(kernels_ns) : 0;
  if (share < 0.20) return;
  Finding finding;
  finding.kind = FindingKind::small_grids;
  finding.sentence = format_text(
      "%s of compute kernel time is in kernels with fewer blocks than the GPU's %u SMs.",
      percent_text(share).c_str(), sms);
  finding.next_step = c.advice(Advice::more_at_once);
  finding.share = share * c.share(c.device.basis.united(Activity::compute));
  out.push_back(std::move(finding));
}

}  // namespace deepprof
