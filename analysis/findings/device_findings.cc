#include "analysis/findings/device_findings.h"

#include <algorithm>
#include <string>
#include <utility>

#include "analysis/breakdown/account.h"
#include "analysis/device/usage.h"
#include "analysis/findings/advice.h"
#include "analysis/report/units.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

constexpr double kUneven = 1.25;      // the greatest against the mean
constexpr double kLeftIdle = 0.05;    // of the time, NVML's or the run's: a GPU with nothing to do
constexpr double kMemoryFull = 0.90;  // of the GPU's memory
constexpr double kThrottled = 0.10;   // of the samples
constexpr double kCoresBusy = 0.90;   // of all cores
constexpr double kNoCore = 0.10;      // of the time, able to run
constexpr double kHotter_c = 15;

using Members = std::span<const ShareOfWork>;

// Is the greatest over kUneven times the mean? Unknown values count as even.
template <typename Value>
bool uneven(Members members, Value value) {
  double sum = 0, greatest = 0;
  for (const ShareOfWork& member : members) {
    const std::optional<double> of_one = value(member);
    if (!of_one) return false;
    sum += *of_one;
    greatest = std::max(greatest, *of_one);
  }
  return sum > 0 && greatest >= kUneven * sum / static_cast<double>(members.size());
}

std::optional<double> compute_of(const ShareOfWork& member) {
  return static_cast<double>(member.compute_ns);
}
std::optional<double> compute_ratio_of(const ShareOfWork& member) { return member.compute_ratio; }
std::optional<double> power_of(const ShareOfWork& member) { return member.use.power_mw; }
std::optional<double> memory_of(const ShareOfWork& member) { return member.use.memory_peak_bytes; }

// Those that the job uses, and those that it sees and nobody uses. In a job of several ranks the
// others are the other ranks' business, and of one that was asked for the others are none.
std::vector<ShareOfWork> members_of(const Trace& trace, const Figures& figures, const RunUse& use,
                                    Window run) {
  std::vector<ShareOfWork> members;
  const auto add = [&](uint32_t device, const DeviceFigures* of) {
    ShareOfWork member{format_text("GPU %u", device), of != nullptr, use.gpu(device, run)};
    if (of != nullptr) {
      const int64_t recorded_ns = run.end_ns - run.start_ns - of->run.not_recorded_ns;
      member.set_compute(of->run.united(Activity::compute), recorded_ns);
    }
    members.push_back(std::move(member));
  };
  for (const DeviceFigures& device : figures.devices) add(device.device, &device);
  if (trace.process.world_size > 1 || figures.view.device) return members;
  for (const uint32_t gpu : use.gpus()) {
    if (figures_of(figures, gpu) != nullptr) continue;
    add(gpu, nullptr);
    const auto utilization = members.back().use.utilization_ratio;
    if (!utilization || *utilization > kLeftIdle) members.pop_back();
  }
  return members;
}

std::string beside(const std::optional<double>& least, const std::optional<double>& most,
                   Unit unit) {
  return scaled_text(*least, unit) + " against " + scaled_text(*most, unit);
}

// "rank 1 computes 23 % of the run while rank 0 computes 87 %", and what else differs.
std::string imbalance_sentence(const ShareOfWork& least, const ShareOfWork& most) {
  const std::string computes = percent_text(most.compute_ratio);
  std::string text = least.used ? least.name + " computes " + percent_text(least.compute_ratio) +
                                      " of the run while " + most.name + " computes " + computes
                                : least.name + " is not used while " + most.name + " computes " +
                                      computes + " of the run";
  const GpuUse &a = least.use, &b = most.use;
  if (a.power_mw && b.power_mw)
    text += "; it draws " + beside(a.power_mw, b.power_mw, Unit::milliwatts);
  if (a.memory_peak_bytes && b.memory_peak_bytes) {
    text += ", holds " + beside(a.memory_peak_bytes, b.memory_peak_bytes, Unit::bytes);
  }
  if (a.temperature_max_c && b.temperature_max_c &&
      *b.temperature_max_c - *a.temperature_max_c >= kHotter_c) {
    text += ", is at " + beside(a.temperature_max_c, b.temperature_max_c, Unit::celsius);
  }
  return text + (a.power_mw && b.power_mw ? " (NVML: whole GPUs, whoever uses them)." : ".");
}

// Rank files whose GPUs compute equally much while they last, which is not equally long: no share
// of work.
Finding of_unlike_length(const ShareOfWork& least, const ShareOfWork& most) {
  Finding finding;
  finding.kind = FindingKind::imbalance;
  finding.sentence = least.name + " computes for " +
                     duration_text(static_cast<double>(least.compute_ns)) + " in all while " +
                     most.name + " computes for " +
                     duration_text(static_cast<double>(most.compute_ns)) +
                     ", at about the same share of their runs.";
  finding.next_step = "See whether one of them ended early or began late, or is of another job.";
  return finding;
}

// At even work: a matter of cooling.
void find_hotter(Members members, Findings& out) {
  const ShareOfWork *coolest = nullptr, *hottest = nullptr;
  for (const ShareOfWork& member : members) {
    const std::optional<double>& celsius = member.use.temperature_max_c;
    if (!celsius || !member.used) return;
    if (coolest == nullptr || *celsius < *coolest->use.temperature_max_c) coolest = &member;
    if (hottest == nullptr || *celsius > *hottest->use.temperature_max_c) hottest = &member;
  }
  if (*hottest->use.temperature_max_c - *coolest->use.temperature_max_c < kHotter_c) return;
  Finding finding;
  finding.kind = FindingKind::imbalance;
  const auto celsius = [](const ShareOfWork& member) {
    return scaled_text(*member.use.temperature_max_c, Unit::celsius);
  };
  finding.sentence = hottest->name + " gets as hot as " + celsius(*hottest) + " while " +
                     coolest->name + " stays at " + celsius(*coolest) + ", at about the same work.";
  finding.next_step =
      "Look at the cooling of the hotter one: nvidia-smi -q -d TEMPERATURE,PERFORMANCE.";
  out.push_back(std::move(finding));
}

void memory_nearly_full(const Trace& trace, Framework framework, uint32_t number, const GpuUse& use,
                        Findings& out) {
  for (const Device& device : trace.devices) {
    if (device.id != number || device.memory_bytes == 0 || !use.memory_peak_bytes) continue;
    const double share = *use.memory_peak_bytes / static_cast<double>(device.memory_bytes);
    if (share < kMemoryFull) return;
    Finding finding;
    finding.kind = FindingKind::memory_nearly_full;
    finding.sentence =
        format_text("%s of GPU %u's memory is in use at the peak (%s of %s, by whomever).",
                    percent_text(share).c_str(), number, bytes_text(*use.memory_peak_bytes).c_str(),
                    bytes_text(static_cast<double>(device.memory_bytes)).c_str());
    finding.next_step = advice(Advice::look_at_memory, framework);
    out.push_back(std::move(finding));
  }
}

// Both ends included.
std::span<const SamplePoint> in_window(std::span<const SamplePoint> points, Window window) {
  const auto first = std::partition_point(
      points.begin(), points.end(),
      [&](const SamplePoint& point) { return point.time_ns < window.start_ns; });
  const auto end = std::partition_point(first, points.end(), [&](const SamplePoint& point) {
    return point.time_ns <= window.end_ns;
  });
  return {first, end};
}

// "power cap in 40 % of the samples, heat (hardware) in 5 %".
std::string throttle_reasons(std::span<const SamplePoint> points) {
  std::string text;
  for (uint64_t bit = 1; bit <= kThrottleBits; bit <<= 1) {
    if ((bit & kThrottleBits) == 0) continue;
    const auto with = std::count_if(points.begin(), points.end(), [bit](const SamplePoint& point) {
      return (throttle_bits(point) & bit) != 0;
    });
    if (with == 0) continue;
    text += (text.empty() ? "" : ", ") + std::string(throttle_words(bit)) + " in " +
            percent_text(static_cast<double>(with) / static_cast<double>(points.size()));
  }
  return text;
}

// `all_there`: no sample was let go; else the reasons are those of the samples that are left.
void throttled(std::span<const SamplePoint> points, uint32_t number, const GpuUse& use,
               bool all_there, Findings& out) {
  if (!use.throttled_ratio || *use.throttled_ratio < kThrottled) return;
  Finding finding;
  finding.kind = FindingKind::throttled;
  finding.sentence = format_text("The clocks of GPU %u are held down in %s of the samples", number,
                                 percent_text(*use.throttled_ratio).c_str());
  if (const std::string reasons = throttle_reasons(points); !reasons.empty())
    finding.sentence += (all_there ? ": " : "; of those in the file: ") + reasons;
  finding.sentence += ".";
  if (use.sm_clock_mhz)
    finding.sentence += format_text(" SM clock %.0f MHz on average.", *use.sm_clock_mhz);
  const bool only_cap =
      !points.empty() && std::all_of(points.begin(), points.end(), [](const SamplePoint& point) {
        return (throttle_bits(point) & ~uint64_t{4}) == 0;
      });
  finding.next_step =
      only_cap ? "The GPU runs at its power limit: see nvidia-smi -q -d POWER."
               : "Look at cooling and power supply: nvidia-smi -q -d PERFORMANCE,TEMPERATURE.";
  out.push_back(std::move(finding));
}

// As `top -H` shows it.
std::string thread_words(const Trace& trace, uint32_t index) {
  if (index >= trace.threads.size()) return format_text("Thread %u", index);
  const Thread& thread = trace.threads[index];
  return format_text("Thread %llu", static_cast<unsigned long long>(thread.tid)) +
         (thread.name.empty() ? "" : " (" + thread.name + ")");
}

// The sampled thread (one that launches GPU work, or the main one) that had to wait for a core
// most.
void thread_without_core(const Trace& trace, const RunUse& use, Window run, Findings& out) {
  double most = 0;
  uint32_t thread = kNone;
  constexpr uint32_t kThreads = 4096;
  for (uint32_t index = 0; index < kThreads; ++index) {
    const double share = use.without_core(index, run).value_or(0);
    if (share <= most) continue;
    most = share;
    thread = index;
  }
  if (most < kNoCore) return;
  Finding finding;
  finding.kind = FindingKind::thread_waits_for_core;
  finding.sentence = thread_words(trace, thread) + " could run but had no core " +
                     percent_text(most) + " of the run.";
  const HostUse host = use.host(run);
  // Of a job that takes less than a core in all, fewer threads would leave none free.
  const bool others_take_them =
      host.process_cpu_ratio && *host.process_cpu_ratio + host.children_cpu_ratio.value_or(0) < 1;
  finding.next_step =
      others_take_them
          ? "The job takes less than one core: others hold them. See who (top -H), or give the job "
            "cores of its own."
          : "Fewer loader workers or compute threads (OMP_NUM_THREADS), or more cores for the job.";
  out.push_back(std::move(finding));
}

void all_cores_busy(const HostUse& use, Findings& out) {
  if (!use.system_cpu_ratio || *use.system_cpu_ratio < kCoresBusy) return;
  Finding finding;
  finding.kind = FindingKind::cpu_saturated;
  finding.sentence = "All cores of the machine together are busy " +
                     percent_text(*use.system_cpu_ratio) + " of the time";
  if (use.process_cpu_ratio) {
    finding.sentence +=
        "; this process takes " + percent_text(*use.process_cpu_ratio) + " of one core";
    if (use.children_cpu_ratio && use.children_most.value_or(0) > 0)
      finding.sentence += ", its children " + percent_text(*use.children_cpu_ratio);
  }
  finding.sentence += ".";
  finding.next_step =
      "See who uses them (its own loader workers count apart): top -H. More cores, or less work on "
      "them.";
  out.push_back(std::move(finding));
}

}  // namespace

void find_imbalance(const Trace& trace, const Figures& figures, const RunUse& use, Findings& out) {
  if (figures.devices.empty()) return;
  const Window run = run_of(figures);
  if (run.end_ns > run.start_ns) find_imbalance(members_of(trace, figures, use, run), out);
}

void find_imbalance(std::span<const ShareOfWork> members, Findings& out) {
  if (members.size() < 2) return;
  const auto measures = {compute_of, power_of, memory_of};
  const auto* differs = std::find_if(measures.begin(), measures.end(),
                                     [&](auto value) { return uneven(members, value); });
  if (differs == measures.end()) return find_hotter(members, out);
  const auto [least, most] = std::minmax_element(
      members.begin(), members.end(), [&](const ShareOfWork& a, const ShareOfWork& b) {
        return std::pair((*differs)(a), power_of(a)) < std::pair((*differs)(b), power_of(b));
      });
  if (*differs == compute_of && !uneven(members, compute_ratio_of))
    return out.push_back(of_unlike_length(*least, *most));
  Finding finding;
  finding.kind = FindingKind::imbalance;
  finding.sentence = imbalance_sentence(*least, *most);
  finding.next_step =
      !least->used ? "Give it a share of the work, or leave it to others (CUDA_VISIBLE_DEVICES)."
      : least->compute_ratio < kLeftIdle ? "Give the idle one a share of the work, or drop it."
                                         : "Share the work evenly: batch and layers per GPU.";
  out.push_back(std::move(finding));
}

void find_device_limits(const Trace& trace, const Figures& figures, const DeviceFigures& device,
                        const SampleIndex& samples, const RunUse& use, Findings& out) {
  const GpuUse of_device = use.gpu(device.device, device.span);
  memory_nearly_full(trace, figures.framework, device.device, of_device, out);
  std::span<const SamplePoint> points = samples.of(Metric::gpu_throttle, device.device);
  if (figures.view.within) points = in_window(points, device.span);
  throttled(points, device.device, of_device, !use.counted(), out);
}

void find_host_limits(const Trace& trace, const RunUse& use, Window run, Findings& out) {
  all_cores_busy(use.host(run), out);
  thread_without_core(trace, use, run, out);
}

}  // namespace deepprof
