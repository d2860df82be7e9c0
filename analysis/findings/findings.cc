#include "analysis/findings/findings.h"

#include <algorithm>

#include "analysis/categories/readable_name.h"
#include "analysis/findings/device_findings.h"
#include "analysis/gaps/host_activity.h"
#include "analysis/report/quantity.h"
#include "analysis/report/units.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

// What every rule reads.
struct Case {
  const Trace& trace;
  const Figures& figures;
  const DeviceFigures& device;

  int64_t per_repetition(int64_t ns) const { return ns / device.repetitions; }
  double share(int64_t ns) const {
    return device.basis.recorded_ns() > 0
               ? static_cast<double>(ns) / static_cast<double>(device.basis.recorded_ns())
               : 0;
  }
  int64_t idle(Cause cause) const {
    return device.causes[static_cast<size_t>(cause)].pieces.total_ns;
  }
  int64_t ceiling_without(int64_t ns) const { return per_repetition(device.basis.wall_ns - ns); }
  const char* unit() const { return device.has_iterations() ? "per iteration" : "in the run"; }
  std::string name(NameId id, size_t width) const { return short_name(trace.names[id], width); }
};

using Findings = std::vector<Finding>;

bool names_input(std::string_view range) {
  for (const char* word :
       {"DataLoader", "dataloader", "data_loader", "__next__", "IteratorGetNext", "get_next"}) {
    if (range.find(word) != std::string_view::npos) return true;
  }
  return false;
}

bool is_upload(std::string_view op) { return op.find("HtoD") != std::string_view::npos; }

// Shorter waits than this are what a framework does between two launches, not a missing batch.
constexpr int64_t kFrameworkGap_ns = 500'000;

// Input-bound is said where something shows that it is the input; else only that it is the host.
void input_bound(const Case& c, Findings& out) {
  const int64_t ns = c.idle(Cause::host_outside);
  const char* level = band(c.share(ns), 0.05, 0.20);
  if (*level == 0) return;
  const CauseFigures& figures = c.device.causes[static_cast<size_t>(Cause::host_outside)];
  const bool located = 2 * figures.top_range_ns > ns;
  const bool pipeline = located && names_input(c.trace.names[figures.top_range]);
  const bool before_input =
      2 * figures.top_after_ns > ns && is_upload(c.trace.names[figures.top_after]);
  const uint64_t gaps = figures.pieces.count / static_cast<uint64_t>(c.device.repetitions);
  Finding finding;
  finding.key = "input_bound";
  finding.sentence = format_text(
      "%s %s-bound: the GPU waits %s (%s) %s with no CUDA call on the launching thread", level,
      pipeline || before_input ? "input" : "host", time_text(c.per_repetition(ns)).c_str(),
      percent_text(c.share(ns)).c_str(), c.unit());
  if (located) {
    finding.sentence +=
        format_text(", %.0f %% of it in %s",
                    100 * static_cast<double>(figures.top_range_ns) / static_cast<double>(ns),
                    c.name(figures.top_range, 60).c_str());
  } else if (figures.top_after != 0) {
    finding.sentence +=
        format_text(", %.0f %% of it before %s",
                    100 * static_cast<double>(figures.top_after_ns) / static_cast<double>(ns),
                    c.name(figures.top_after, 40).c_str());
  }
  finding.sentence +=
      format_text(". The longest wait is %s", time_text(figures.largest.duration_ns()).c_str());
  if (figures.largest_iteration != kNone)
    finding.sentence += format_text(", in iteration %u", figures.largest_iteration);
  finding.sentence += ".";
  finding.next_step =
      pipeline
          ? "Feed the GPU faster: more loader workers, prefetching, cheaper or cached transforms."
      : gaps >= 10 && figures.pieces.median_ns < kFrameworkGap_ns
          ? "Many short waits between launches: the framework's own work. CUDA graphs, "
            "torch.compile, a larger batch."
          : "See what the host does there (input pipeline, Python, logging): deepprof gaps --cause "
            "host_outside.";
  finding.share = c.share(ns);
  finding.ceiling_ns = c.ceiling_without(ns);
  out.push_back(std::move(finding));
}

void launch_bound(const Case& c, Findings& out) {
  const int64_t ns = c.idle(Cause::host_launch);
  const char* level = band(c.share(ns), 0.03, 0.15);
  if (*level == 0) return;
  const CauseFigures& figures = c.device.causes[static_cast<size_t>(Cause::host_launch)];
  const auto gaps =
      static_cast<double>(figures.pieces.count) / static_cast<double>(c.device.repetitions);
  Finding finding;
  finding.key = "launch_bound";
  finding.sentence = format_text(
      "%s launch-bound: the GPU waits %s (%s) %s for calls still being made, %.0f gaps of"
      " %s (median), mostly in %s.",
      level, time_text(c.per_repetition(ns)).c_str(), percent_text(c.share(ns)).c_str(), c.unit(),
      gaps, time_text(figures.pieces.median_ns).c_str(), c.name(figures.top_call, 40).c_str());
  finding.next_step = "Launch fewer, larger kernels: CUDA graphs, torch.compile, a larger batch.";
  finding.share = c.share(ns);
  finding.ceiling_ns = c.ceiling_without(ns);
  out.push_back(std::move(finding));
}

void blocked_in_cuda(const Case& c, Findings& out) {
  const int64_t ns = c.idle(Cause::host_blocked);
  const char* level = band(c.share(ns), 0.03, 0.15);
  if (*level == 0) return;
  const CauseFigures& figures = c.device.causes[static_cast<size_t>(Cause::host_blocked)];
  const std::string_view call = c.trace.names[figures.top_call];
  const auto gaps =
      static_cast<double>(figures.pieces.count) / static_cast<double>(c.device.repetitions);
  Finding finding;
  finding.key = "host_blocked";
  finding.sentence = format_text(
      "%s host-blocked: the GPU waits %s (%s) %s while the launching thread sits in"
      " blocking calls (%.*f gaps), mostly %s.",
      level, time_text(c.per_repetition(ns)).c_str(), percent_text(c.share(ns)).c_str(), c.unit(),
      gaps < 10 ? 1 : 0, gaps, c.name(figures.top_call, 40).c_str());
  const auto mentions = [&](const char* word) { return call.find(word) != std::string_view::npos; };
  finding.next_step =
      is_synchronize(call) || mentions("emcpy")
          ? "Look for .item(), .cpu(), print(tensor): read results later or less often."
      : mentions("Module") || mentions("Library") ? "Modules are loaded in mid-run: warm up first, "
                                                    "or load eagerly (CUDA_MODULE_LOADING=EAGER)."
                                                  : "Memory is allocated or freed in mid-run: keep "
                                                    "shapes stable, or use a caching allocator.";
  finding.share = c.share(ns);
  finding.ceiling_ns = c.ceiling_without(ns);
  out.push_back(std::move(finding));
}

void communication_bound(const Case& c, Findings& out) {
  const int64_t ns = c.device.basis.exposed(Activity::communication);
  const char* level = band(c.share(ns), 0.03, 0.15);
  if (*level == 0) return;
  const int64_t united = c.device.basis.united(Activity::communication);
  Finding finding;
  finding.key = "communication_bound";
  finding.sentence = format_text(
      "%s communication-bound: %s (%s) %s of communication with no compute beside it"
      " (%s in all, %s overlapped).",
      level, time_text(c.per_repetition(ns)).c_str(), percent_text(c.share(ns)).c_str(), c.unit(),
      time_text(c.per_repetition(united)).c_str(),
      percent_text(static_cast<double>(c.device.basis.overlap_ns) / static_cast<double>(united))
          .c_str());
  finding.next_step =
      "Overlap it with the backward pass (bucket sizes), send less, or look for a late rank.";
  finding.share = c.share(ns);
  finding.ceiling_ns = c.ceiling_without(ns);
  out.push_back(std::move(finding));
}

void copy_bound(const Case& c, Findings& out) {
  const int64_t ns = c.device.basis.exposed(Activity::memcpy);
  const char* level = band(c.share(ns), 0.03, 0.15);
  if (*level == 0) return;
  Finding finding;
  finding.key = "copy_bound";
  finding.sentence = format_text("%s copy-bound: %s (%s) %s of copies with no kernel beside them.",
                                 level, time_text(c.per_repetition(ns)).c_str(),
                                 percent_text(c.share(ns)).c_str(), c.unit());
  finding.next_step =
      "Copy ahead on a stream of its own (pinned memory, non_blocking=True), or copy less.";
  finding.share = c.share(ns);
  finding.ceiling_ns = c.ceiling_without(ns);
  out.push_back(std::move(finding));
}

void other_idle(const Case& c, Findings& out) {
  const int64_t ns = c.idle(Cause::dependency_wait);
  const char* level = band(c.share(ns), 0.03, 0.15);
  if (*level == 0) return;
  const CauseFigures& figures = c.device.causes[static_cast<size_t>(Cause::dependency_wait)];
  Finding finding;
  finding.key = "dependency_bound";
  finding.sentence = format_text(
      "%s dependency-bound: the GPU waits %s (%s) %s though the next op was queued in time.", level,
      time_text(c.per_repetition(ns)).c_str(), percent_text(c.share(ns)).c_str(), c.unit());
  if (figures.top_wait != kNone) {
    const Op& before = c.trace.ops[figures.top_wait];
    const Op& after = c.trace.ops[figures.top_wait_after];
    finding.sentence += format_text(" Stream %u waits for %s on stream %u.", after.stream,
                                    c.name(before.name, 40).c_str(), before.stream);
  }
  finding.next_step =
      "Look for events and streams that serialize the work: deepprof gaps --cause dependency_wait.";
  finding.share = c.share(ns);
  finding.ceiling_ns = c.ceiling_without(ns);
  out.push_back(std::move(finding));
}

void pageable_copies(const Case& c, Findings& out) {
  uint64_t all = 0, pageable = 0;
  for (const uint32_t index : c.device.ops) {
    const Op& op = c.trace.ops[index];
    if (op.kind != Kind::memcpy || op.detail >= c.trace.details.size()) continue;
    const Detail& detail = c.trace.details[op.detail];
    all += detail.bytes;
    if (detail.source == MemoryKind::pageable || detail.destination == MemoryKind::pageable)
      pageable += detail.bytes;
  }
  const double share = all > 0 ? static_cast<double>(pageable) / static_cast<double>(all) : 0;
  const int64_t memcpy_ns = c.device.basis.united(Activity::memcpy);
  // Only where copying costs anything at all.
  if (share < 0.10 || c.share(memcpy_ns) < 0.005) return;
  Finding finding;
  finding.key = "pageable_copies";
  finding.sentence = format_text(
      "%s of copied bytes use pageable memory (%s in the run; copies take %s of the time).",
      percent_text(share).c_str(), bytes_text(pageable).c_str(),
      percent_text(c.share(memcpy_ns)).c_str());
  finding.next_step = "Use pinned memory: DataLoader(pin_memory=True), tensor.pin_memory().";
  finding.share = c.share(memcpy_ns);
  out.push_back(std::move(finding));
}

void short_kernels(const Case& c, Findings& out) {
  constexpr int64_t kShort_ns = 10'000;
  uint64_t kernels = 0, brief = 0;
  for (const uint32_t index : c.device.ops) {
    const Op& op = c.trace.ops[index];
    if (op.kind != Kind::kernel) continue;
    ++kernels;
    if (op.duration_ns < kShort_ns) ++brief;
  }
  const double share = kernels > 0 ? static_cast<double>(brief) / static_cast<double>(kernels) : 0;
  const double waits = c.share(c.idle(Cause::host_launch) + c.idle(Cause::kernel_wait));
  // Short kernels are a fault only where the GPU waits between them.
  if (kernels < 100 || share < 0.5 || waits < 0.05) return;
  Finding finding;
  finding.key = "short_kernels";
  finding.sentence = format_text(
      "%s of the kernels take less than 10 us each (%s of %s), and the GPU idles %s of the"
      " time between launches.",
      percent_text(share).c_str(), count_text(brief).c_str(), count_text(kernels).c_str(),
      percent_text(waits).c_str());
  finding.next_step = "Fuse them (torch.compile, XLA, apex), or replay them from a CUDA graph.";
  finding.share = waits;
  out.push_back(std::move(finding));
}

void small_grids(const Case& c, Findings& out) {
  uint32_t sms = 0;
  for (const Device& device : c.trace.devices) {
    if (device.id == c.device.device) sms = device.sm_count;
  }
  if (sms == 0) return;
  int64_t kernels_ns = 0, small_ns = 0;
  for (const uint32_t index : c.device.ops) {
    const Op& op = c.trace.ops[index];
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
  finding.key = "small_grids";
  finding.sentence = format_text(
      "%s of compute kernel time is in kernels with fewer blocks than the GPU's %u SMs.",
      percent_text(share).c_str(), sms);
  finding.next_step =
      "Give the GPU more work at once: a larger batch, or kernels on several streams.";
  finding.share = share * c.share(c.device.basis.united(Activity::compute));
  out.push_back(std::move(finding));
}

void low_busy(const Case& c, Findings& out) {
  const double busy = c.share(c.device.basis.busy_ns());
  if (busy >= 0.5) return;
  Finding finding;
  finding.key = "low_busy";
  finding.sentence = format_text(
      "The GPU is busy %s of the time, under half: a faster GPU would not make this job faster.",
      percent_text(busy).c_str());
  out.push_back(
      std::move(finding));  // no share of its own: the findings above say where the rest went
}

// A synchronize call in every iteration keeps the host from running ahead, even where the GPU is not yet
// seen to wait for it.
void synchronize_calls(const Case& c, Findings& out) {
  constexpr double kEvery = 0.9;          // of the counted iterations
  constexpr double kWorthTelling = 0.01;  // of their time
  if (!c.device.has_iterations()) return;
  uint64_t calls = 0;
  size_t with_calls = 0;
  int64_t host_ns = 0;
  NameId name = 0;
  for (const uint32_t counted : c.device.counted) {
    const Iteration& iteration = c.device.mined->iterations[counted];
    auto call = std::lower_bound(c.trace.calls.begin(), c.trace.calls.end(), iteration.start_ns,
                                 [](const HostCall& a, int64_t ns) { return a.start_ns < ns; });
    const uint64_t before = calls;
    for (; call != c.trace.calls.end() && call->start_ns < iteration.end_ns; ++call) {
      if (call->kind != Kind::api_call || !is_synchronize(c.trace.names[call->name])) continue;
      ++calls;
      host_ns += call->duration_ns;
      name = call->name;
    }
    with_calls += calls > before;
  }
  const int64_t blocked_ns = c.idle(Cause::host_blocked);
  const bool told = *band(c.share(blocked_ns), 0.03, 0.15) != 0;  // by blocked_in_cuda()
  if (told || c.share(host_ns) < kWorthTelling ||
      static_cast<double>(with_calls) < kEvery * static_cast<double>(c.device.repetitions))
    return;
  Finding finding;
  finding.key = "synchronize_calls";
  finding.sentence = format_text(
      "%s and the like are called %.1f times per iteration: the host waits there %s of it, the GPU "
      "idles %s behind blocking calls.",
      c.name(name, 40).c_str(),
      static_cast<double>(calls) / static_cast<double>(c.device.repetitions),
      time_text(c.per_repetition(host_ns)).c_str(),
      time_text(c.per_repetition(blocked_ns)).c_str());
  finding.next_step = "Look for .item(), .cpu(), print(tensor) in the loop: read results later.";
  finding.share = c.share(blocked_ns);
  out.push_back(std::move(finding));
}

// What was sampled beside the run.
void sampled(const Case& c, Findings& out) {
  find_imbalance(c.trace, c.figures, out);
  find_device_limits(c.trace, c.device, out);
  if (!c.trace.samples.empty()) find_host_limits(SampleIndex(c.trace), c.device.span, out);
}

// The figures may be exact and still say nothing about the job.
void inconclusive(const Case& c, Findings& out) {
  const DeviceFigures& device = c.device;
  const bool lost = c.trace.losses.any(Severity::error);
  std::string why;
  const auto add = [&](const std::string& reason) { why += (why.empty() ? "" : "; ") + reason; };
  if (lost) add("records were lost (data line)");
  if (device.has_iterations()) {
    const double covered = static_cast<double>(device.basis.wall_ns) /
                           static_cast<double>(std::max<int64_t>(1, device.run.recorded_ns()));
    if (device.mined->verdict == Verdict::repeating_block)
      add("the block that repeats may be no iteration");
    else if (device.mined->confidence < 0.5) add("the iterations are uncertain (confidence LOW)");
    if (device.counted.size() < 3) {
      add(format_text("only %zu steady iteration%s", device.counted.size(),
                      device.counted.size() == 1 ? "" : "s"));
    } else if (covered < 0.5) {
      add("the iterations above cover only " + percent_text(covered) + " of the run");
    }
  }
  if (why.empty()) return;
  Finding finding;
  finding.key = "inconclusive";
  finding.sentence = "INCONCLUSIVE: " + why + ".";
  finding.next_step = lost ? "Find out why with deepprof check, then record again."
                           : "Read what follows with care; a longer run may tell more.";
  finding.share = 2;  // before everything else
  out.push_back(std::move(finding));
}

}  // namespace

const char* band(double share, double moderate, double high) {
  return share > high ? "HIGHLY" : share >= moderate ? "MODERATELY" : "";
}

std::vector<Finding> find(const Trace& trace, const Figures& figures, const DeviceFigures& device) {
  const Case c{trace, figures, device};
  Findings findings;
  for (const auto rule :
       {inconclusive, input_bound, launch_bound, blocked_in_cuda, communication_bound, copy_bound,
        other_idle, synchronize_calls, pageable_copies, short_kernels, small_grids, low_busy,
        sampled}) {
    rule(c, findings);
  }
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return a.share > b.share; });
  return findings;
}

}  // namespace deepprof
