#include "analysis/report/summary_device.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "analysis/device/run_use.h"
#include "analysis/device/steps.h"
#include "analysis/findings/device_findings.h"
#include "analysis/model/facts.h"
#include "analysis/report/device_sections.h"
#include "analysis/report/quantity.h"
#include "analysis/report/step_times.h"
#include "analysis/report/units.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

// What is said of one thing; what is not known is left out.
using Phrases = std::vector<std::string>;

using Meters = std::map<uint32_t, GpuMeter>;  // by GPU

constexpr const char* kOfWholeRun =
    "counted over the whole run: not all samples are in the file any more";

// The Device that the trace describes; null: it does not.
const Device* description(const Trace& trace, uint32_t device) {
  for (const Device& each : trace.devices) {
    if (each.id == device) return &each;
  }
  return nullptr;
}

void add_energy(const GpuMeter& meter, const DeviceFigures* device, double batch,
                Phrases& phrases) {
  if (device == nullptr || !device->has_iterations()) return;
  const IterationUse each = iteration_use(meter, *device);
  if (!each.energy_mj) return;
  std::string phrase = scaled_text(*each.energy_mj, Unit::millijoules) + "/iteration";
  if (each.with_energy < each.counted)
    phrase += format_text(" (of %zu of %zu)", each.with_energy, each.counted);
  phrases.push_back(phrase);
  if (batch > 0)
    phrases.push_back(scaled_text(*each.energy_mj / batch, Unit::millijoules) + "/item");
}

// `of`: null where the trace does not describe the GPU. `energy_of_part`: said behind the energy of
// a part of the run.
void add_use(const GpuUse& use, const Phrases& of_iterations, const std::string& energy_of_part,
             const Device* of, Phrases& phrases) {
  if (use.power_mw) phrases.push_back(scaled_text(*use.power_mw, Unit::milliwatts));
  phrases.insert(phrases.end(), of_iterations.begin(), of_iterations.end());
  if (use.energy_mj) phrases.push_back(watt_hours_text(*use.energy_mj) + energy_of_part);
  if (use.utilization_ratio)
    phrases.push_back("util " + percent_text(*use.utilization_ratio) + " [1]");
  if (use.temperature_max_c) phrases.push_back(scaled_text(*use.temperature_max_c, Unit::celsius));
  if (use.memory_peak_bytes) {
    const bool with_total = of != nullptr && of->memory_bytes > 0;
    phrases.push_back(
        bytes_text(*use.memory_peak_bytes) +
        (with_total ? " of " + bytes_text(static_cast<double>(of->memory_bytes)) : " used"));
  }
  if (use.sm_clock_mhz) phrases.push_back(format_text("%.0f MHz", *use.sm_clock_mhz));
}

// `totals`: null where the trace holds all samples.
Phrases gpu_phrases(const Trace& trace, const Figures& figures, uint32_t gpu, const GpuMeter& meter,
                    double batch, const RunTotals* totals) {
  const DeviceFigures* device = figures_of(figures, gpu);
  const Window run = run_of(figures), sampled = meter.sampled_part(run);
  Phrases phrases, of_iterations;
  if (device == nullptr) phrases.push_back("not used by the job");
  add_energy(meter, device, batch, of_iterations);
  const bool whole = totals != nullptr ||
                     sampled.end_ns - sampled.start_ns >= (run.end_ns - run.start_ns) / 100 * 99;
  add_use(totals != nullptr ? totals->gpu(gpu) : meter.in(sampled), of_iterations,
          whole ? "" : " in " + time_text(sampled.end_ns - sampled.start_ns),
          description(trace, gpu), phrases);
  return phrases;
}

Phrases process_phrases(const HostUse& use) {
  Phrases phrases;
  if (use.process_cpu_ratio)
    phrases.push_back("CPU " + percent_text(*use.process_cpu_ratio) + " of a core");
  if (use.process_memory_peak_bytes)
    phrases.push_back(bytes_text(*use.process_memory_peak_bytes) + " at most");
  if (use.process_threads_most)
    phrases.push_back(format_text("%.0f threads", *use.process_threads_most));
  return phrases;
}

// Its loader workers, and whatever else it has started.
Phrases children_phrases(const HostUse& use) {
  Phrases phrases;
  const bool any = use.children_most.value_or(0) > 0 || use.children_cpu_ratio.value_or(0) > 0;
  if (!any) return phrases;
  if (use.children_cpu_ratio)
    phrases.push_back("CPU " + percent_text(*use.children_cpu_ratio) + " of a core");
  if (use.children_memory_peak_bytes)
    phrases.push_back(bytes_text(*use.children_memory_peak_bytes) + " at most");
  if (use.children_most)
    phrases.push_back(format_text(*use.children_most == 1 ? "%.0f process" : "%.0f processes",
                                  *use.children_most));
  return phrases;
}

Phrases machine_phrases(const Trace& trace, const HostUse& use) {
  Phrases phrases;
  if (use.system_cpu_ratio)
    phrases.push_back(percent_text(*use.system_cpu_ratio) + " of all cores busy");
  if (use.system_io_wait_ratio)
    phrases.push_back("IO wait " + percent_text(*use.system_io_wait_ratio));
  if (use.system_memory_peak_bytes) {
    std::string phrase = "memory " + bytes_text(*use.system_memory_peak_bytes);
    const int64_t all = integer_fact(trace, "system_memory_bytes").value_or(0);
    if (all > 0) phrase += " of " + bytes_text(static_cast<double>(all));
    phrases.push_back(phrase);
  }
  if (use.cpu_temperature_max_c)
    phrases.push_back(scaled_text(*use.cpu_temperature_max_c, Unit::celsius));
  if (use.cpu_power_mw && use.cpu_energy_mj) {
    phrases.push_back(scaled_text(*use.cpu_power_mw, Unit::milliwatts) + ", " +
                      watt_hours_text(*use.cpu_energy_mj) + " (RAPL)");
  }
  return phrases;
}

Phrases storage_phrases(const HostUse& use) {
  Phrases phrases;
  if (use.process_read_bytes) phrases.push_back("read " + bytes_text(*use.process_read_bytes));
  if (use.process_written_bytes)
    phrases.push_back("wrote " + bytes_text(*use.process_written_bytes));
  if (use.major_faults)
    phrases.push_back(count_text(std::llround(*use.major_faults)) + " page faults from disk");
  if (use.involuntary_switches) {
    phrases.push_back("lost its core " + count_text(std::llround(*use.involuntary_switches)) +
                      " times");
  }
  return phrases;
}

// "  GPU 0    152 W   66 C": three blanks between phrases, and as many lines as they need.
void line_of(const std::string& head, const Phrases& phrases, Page& page) {
  std::string line = "  " + padded(head, 9);
  const size_t margin = line.size();
  for (const std::string& phrase : phrases) {
    const bool first = line.size() == margin;
    if (!first && line.size() + 3 + phrase.size() > page.width()) {
      page.line(line);
      line.assign(margin, ' ');
    } else if (!first) {
      line += "   ";
    }
    line += phrase;
  }
  if (!phrases.empty()) page.line(line);
}

// Where iterations are shorter than a sample period, where the energy comes from, and what
// utilization counts.
void energy_notes(const Figures& figures, const SampleIndex& samples, const Meters& meters,
                  Page& page) {
  std::string sources;
  bool utilization = false;
  for (const auto& [gpu, meter] : meters) {
    utilization = utilization || !samples.of(Metric::gpu_utilization, gpu).empty();
    if (meter.energy_source() == EnergySource::none) continue;
    const bool by_counter = meter.energy_source() == EnergySource::counter;
    const std::string words =
        energy_source_words(by_counter ? EnergySource::counter : EnergySource::power);
    if (sources.find(words) == std::string::npos) sources += (sources.empty() ? "" : ", ") + words;
    const DeviceFigures* device = figures_of(figures, gpu);
    if (device != nullptr && device->has_iterations() &&
        device->iteration_time.median_ns < meter.period_ns()) {
      page.paragraph("  ",
                     format_text("iterations of GPU %u are shorter than the ", gpu) +
                         duration_text(static_cast<double>(meter.period_ns())) +
                         " between samples: each gets its share of the interval that it lies in");
    }
  }
  for (const auto& [gpu, meter] : meters) {
    const CounterCheck& check = meter.counter_check();
    if (meter.unusable_counter())
      line_of(format_text("GPU %u", gpu), {kUnusableCounterWords}, page);
    if (!check.doubted() && !check.refused()) continue;
    line_of(format_text("GPU %u", gpu),
            {"its energy counter grew by " + percent_text(*check.by_power) +
             " of the integral of its power" + (check.refused() ? ", and is not used" : "")},
            page);
  }
  if (!sources.empty()) {
    page.paragraph("  ",
                   "power and energy (" + sources + ") are of the whole GPU, whoever uses it");
  }
  if (utilization)
    page.paragraph("  ", "[1] NVML counts any kernel in its period: deepprof explain utilization");
}

// What the framework told of: the only iterations of a run without a GPU.
void steps_part(const Trace& trace, const SampleIndex& samples, const HostMeter& meter,
                double batch, Page& page) {
  const Steps steps = find_steps(samples);
  if (steps.count == 0) {
    page.heading("STEPS", "none told of: no iterations are claimed");
    page.paragraph("  ", no_steps_words(trace));
    return;
  }
  page.heading(
      "STEPS",
      count_text(static_cast<int64_t>(steps.count)) + " optimizer steps, told by the framework" +
          (steps.optimizers > 1 ? format_text(" (the busiest of %u optimizers)", steps.optimizers)
                                : ""));
  const std::optional<StepTimes> times = step_times(steps);
  if (!times) return;
  const Distribution& of = times->length;
  Phrases time;
  time.push_back("median " + time_text(of.median_ns));
  time.push_back("mean " + time_text(std::llround(of.mean_ns)));
  if (times->with_p95) time.push_back("p95 " + time_text(of.p95_ns));
  time.push_back("max " + time_text(of.max_ns));
  time.push_back(format_text("%.1f steps/s", times->per_s));
  if (batch > 0) time.push_back(count_text(std::llround(batch * times->per_s)) + " items/s");
  line_of("time", time, page);
  // A few may overlap by the clock's grain.
  if (steps.overlapping > steps.count / 20)
    line_of("note",
            {"several threads step the optimizer: times are from any step to the next, whoever "
             "takes it"},
            page);
  line_of("optimizer", {percent_text(times->in_optimizer_ratio) + " of the step"}, page);
  const HostUse use = meter.in({steps.windows.front().start_ns, steps.windows.back().end_ns});
  if (use.cpu_energy_mj) {
    const double each_mj = *use.cpu_energy_mj / static_cast<double>(of.count);
    Phrases energy{scaled_text(each_mj, Unit::millijoules) +
                   "/step of the processor packages, whoever uses them"};
    if (batch > 0) energy.push_back(scaled_text(each_mj / batch, Unit::millijoules) + "/item");
    line_of("energy", energy, page);
  }
}

// What is measured between two readings, of which a run of a moment has one.
std::string missing_in_moment(const Trace& trace, const HostUse& use) {
  const struct {
    bool is_known;
    Metric metric;
    const char* words;
  } kParts[] = {{use.process_cpu_ratio.has_value(), Metric::process_cpu, "CPU of the process"},
                {use.process_written_bytes.has_value(), Metric::process_written, "storage"},
                {use.major_faults.has_value(), Metric::process_major_faults, "page faults"},
                {use.children_cpu_ratio.has_value(), Metric::children_cpu, "CPU of children"},
                {use.system_cpu_ratio.has_value(), Metric::system_cpu, "busy cores"},
                {use.system_io_wait_ratio.has_value(), Metric::system_io_wait, "IO wait"}};
  std::string missing;
  for (const auto& part : kParts) {
    const std::string key = "na." + std::string(metric_name(part.metric));
    if (part.is_known || find_fact(trace, key) != nullptr) continue;
    missing += (missing.empty() ? "" : ", ") + std::string(part.words);
  }
  return missing;
}

}  // namespace

void device_part(const Trace& trace, const Figures& figures, double batch, Page& page) {
  const SampleIndex samples(trace);
  if (figures.devices.empty()) return;
  const RunUse use(trace, samples);
  const RunTotals* totals = use.counted() ? &use.totals() : nullptr;
  const HostUse host = use.host(run_of(figures));
  const Phrases of_process = process_phrases(host);
  // a run shorter than the time between samples
  std::vector<uint32_t> gpus = use.gpus();
  std::erase_if(gpus, [&](uint32_t gpu) { return !figures.view.shows(gpu); });
  if (gpus.empty() && of_process.empty()) return;
  page.heading("DEVICE", totals != nullptr ? kOfWholeRun : "sampled beside the run");
  Meters meters;
  for (const uint32_t gpu : gpus) meters.emplace(gpu, GpuMeter(samples, gpu));
  for (const auto& [gpu, meter] : meters) {
    line_of(format_text("GPU %u", gpu), gpu_phrases(trace, figures, gpu, meter, batch, totals),
            page);
  }
  line_of("process", of_process, page);
  line_of("children", children_phrases(host), page);
  line_of("machine", machine_phrases(trace, host), page);
  energy_notes(figures, samples, meters, page);
  if (use.totals().damaged()) page.paragraph("  ", kTotalsDamaged);
}

void run_totals_part(const std::map<std::string, std::string>& blobs, Page& page) {
  const RunTotals totals(blobs);
  const HostUse host = totals.host();
  if (totals.span() == Window{}) return;
  page.heading("DEVICE", kOfWholeRun);
  for (const uint32_t gpu : totals.gpus()) {
    Phrases phrases;
    add_use(totals.gpu(gpu), {}, "", nullptr, phrases);
    line_of(format_text("GPU %u", gpu), phrases, page);
  }
  line_of("process", process_phrases(host), page);
  line_of("children", children_phrases(host), page);
  line_of("machine", machine_phrases({}, host), page);
}

bool is_host_run(const Trace& trace) { return fact_or_empty(trace, "recorded") == "host"; }

void host_run_part(const Trace& trace, double batch, Page& page) {
  const SampleIndex samples(trace);
  const HostMeter meter(samples);
  const RunUse of_run(trace, samples);
  const bool whole = !of_run.counted();
  const Window run = whole ? meter.span() : of_run.totals().span();
  if (run.end_ns <= run.start_ns)
    return page.line("too short a run for a sample: nothing is known of it");
  const HostUse use = of_run.host(run);
  page.heading("HOST", "sampled for " + time_text(run.end_ns - run.start_ns) + ", no GPU recorded");
  if (!whole)
    page.paragraph("  ",
                   "some samples were let go to keep the file's ceiling: these figures were "
                   "counted while it ran");
  if (of_run.totals().damaged()) page.paragraph("  ", kTotalsDamaged);
  line_of("process", process_phrases(use), page);
  line_of("", storage_phrases(use), page);
  const auto children_ns = static_cast<double>(integer_fact(trace, "children_cpu_ns").value_or(0));
  if (use.children_most) line_of("children", children_phrases(use), page);
  else if (children_ns > 0)
    line_of("children",
            {"CPU time " + duration_text(children_ns) + " of those that have ended, not sampled"},
            page);
  line_of("machine", machine_phrases(trace, use), page);
  constexpr int64_t kMoment_ns = 2'000'000'000;
  const std::string missing = missing_in_moment(trace, use);
  if (!missing.empty() && run.end_ns - run.start_ns < kMoment_ns)
    page.paragraph("  n/a      ", missing + ": too short a run to be sampled twice");
  for (const auto& [key, value] : trace.process.facts) {
    if (key.compare(0, 3, "na.") == 0) line_of("n/a", {key.substr(3) + ": " + value}, page);
  }
  steps_part(trace, samples, meter, batch, page);
  std::vector<Finding> findings;
  find_host_limits(trace, of_run, run, findings);
  page.heading("FINDINGS", findings.empty() ? "nothing passed its threshold" : "");
  int number = 0;
  for (const Finding& finding : findings) {
    page.paragraph(format_text("%2d ", ++number), finding.sentence);
    page.paragraph("   ", finding.next_step);
  }
}

}  // namespace deepprof
