#include "analysis/report/summary_device.h"

#include <algorithm>

#include "analysis/report/device_sections.h"
#include "analysis/report/quantity.h"
#include "analysis/report/units.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

// Words between three blanks; what is not known is left out.
class Phrases {
 public:
  void add(const std::string& phrase) { text_ += (text_.empty() ? "" : "   ") + phrase; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string watt_hours(double energy_mj) { return format_text("%.3g Wh", energy_mj / 3.6e6); }

// The Device that the trace describes; null: it does not.
const Device* description(const Trace& trace, uint32_t device) {
  for (const Device& each : trace.devices) {
    if (each.id == device) return &each;
  }
  return nullptr;
}

const DeviceFigures* figures_of(const Figures& figures, uint32_t device) {
  for (const DeviceFigures& each : figures.devices) {
    if (each.device == device) return &each;
  }
  return nullptr;
}

Window run_of(const Figures& figures) {
  Window run = figures.devices[0].span;
  for (const DeviceFigures& device : figures.devices) {
    run = {std::min(run.start_ns, device.span.start_ns), std::max(run.end_ns, device.span.end_ns)};
  }
  return run;
}

void add_energy(const GpuMeter& meter, const DeviceFigures* device, double batch, Phrases& phrases) {
  if (device == nullptr || !device->has_iterations()) return;
  const IterationUse each = iteration_use(meter, *device);
  if (!each.energy_mj) return;
  std::string phrase = scaled_text(*each.energy_mj, Unit::millijoules) + "/iteration";
  if (each.with_energy < each.counted) phrase += format_text(" (of %zu of %zu)", each.with_energy, each.counted);
  phrases.add(phrase);
  if (batch > 0) phrases.add(scaled_text(*each.energy_mj / batch, Unit::millijoules) + "/item");
}

std::string gpu_phrases(const Trace& trace, const Figures& figures, uint32_t gpu, const GpuMeter& meter, double batch) {
  const DeviceFigures* device = figures_of(figures, gpu);
  const Window run = run_of(figures), sampled = meter.sampled_part(run);
  const GpuUse use = meter.in(sampled);
  Phrases phrases;
  if (device == nullptr) phrases.add("not used by the job");
  if (use.power_mw) phrases.add(scaled_text(*use.power_mw, Unit::milliwatts));
  add_energy(meter, device, batch, phrases);
  if (use.energy_mj) {
    const bool whole = sampled.end_ns - sampled.start_ns >= (run.end_ns - run.start_ns) / 100 * 99;
    phrases.add(watt_hours(*use.energy_mj) + (whole ? "" : " in " + time_text(sampled.end_ns - sampled.start_ns)));
  }
  if (use.utilization_ratio) phrases.add("util " + percent_text(*use.utilization_ratio) + " [1]");
  if (use.temperature_max_c) phrases.add(scaled_text(*use.temperature_max_c, Unit::celsius));
  if (use.memory_peak_bytes) {
    const Device* known = description(trace, gpu);
    const bool with_total = known != nullptr && known->memory_bytes > 0;
    phrases.add(bytes_text(*use.memory_peak_bytes) +
                (with_total ? " of " + bytes_text(static_cast<double>(known->memory_bytes)) : " used"));
  }
  if (use.sm_clock_mhz) phrases.add(format_text("%.0f MHz", *use.sm_clock_mhz));
  return phrases.text();
}

std::string process_phrases(const HostUse& use) {
  Phrases phrases;
  if (use.process_cpu_ratio) phrases.add("CPU " + percent_text(*use.process_cpu_ratio) + " of a core");
  if (use.process_memory_peak_bytes) phrases.add(bytes_text(*use.process_memory_peak_bytes) + " at most");
  if (use.process_threads_most) phrases.add(format_text("%.0f threads", *use.process_threads_most));
  return phrases.text();
}

std::string machine_phrases(const Trace& trace, const HostUse& use) {
  Phrases phrases;
  if (use.system_cpu_ratio) phrases.add(percent_text(*use.system_cpu_ratio) + " of all cores busy");
  if (use.system_io_wait_ratio) phrases.add("IO wait " + percent_text(*use.system_io_wait_ratio));
  if (use.system_memory_peak_bytes) {
    std::string phrase = "memory " + bytes_text(*use.system_memory_peak_bytes);
    for (const auto& [key, value] : trace.process.facts) {
      if (key == "system_memory_bytes") phrase += " of " + bytes_text(std::atof(value.c_str()));
    }
    phrases.add(phrase);
  }
  if (use.cpu_temperature_max_c) phrases.add(scaled_text(*use.cpu_temperature_max_c, Unit::celsius));
  if (use.cpu_power_mw && use.cpu_energy_mj) {
    phrases.add(scaled_text(*use.cpu_power_mw, Unit::milliwatts) + ", " + watt_hours(*use.cpu_energy_mj) + " (RAPL)");
  }
  return phrases.text();
}

void line_of(const std::string& head, const std::string& phrases, Page& page) {
  if (!phrases.empty()) page.paragraph("  " + padded(head, 9), phrases);
}

// "energy by energy counter (GPU 0), integral of sampled power (GPU 1)".
void energy_notes(const Figures& figures, const SampleIndex& samples, Page& page) {
  std::string sources;
  bool utilization = false;
  for (const uint32_t gpu : samples.gpus()) {
    const GpuMeter meter(samples, gpu);
    utilization = utilization || !samples.of(Metric::gpu_utilization, gpu).empty();
    if (meter.energy_source() == EnergySource::none) continue;
    const std::string words = energy_source_words(meter.energy_source());
    if (sources.find(words) == std::string::npos) sources += (sources.empty() ? "" : ", ") + words;
    const DeviceFigures* device = figures_of(figures, gpu);
    if (device != nullptr && device->has_iterations() && device->iteration_time.median_ns < meter.period_ns()) {
      page.paragraph("  ", format_text("iterations of GPU %u are shorter than the ", gpu) +
                               duration_text(static_cast<double>(meter.period_ns())) +
                               " between samples: each gets its share of the interval that it lies in");
    }
  }
  if (!sources.empty()) {
    page.paragraph("  ", "power and energy (" + sources + ") are of the whole GPU, whoever uses it");
  }
  if (utilization) page.paragraph("  ", "[1] NVML counts any kernel in its period: deepprof explain utilization");
}

}  // namespace

void device_part(const Trace& trace, const Figures& figures, double batch, Page& page) {
  const SampleIndex samples(trace);
  if (samples.empty() || figures.devices.empty()) return;
  page.heading("DEVICE", "sampled beside the run");
  for (const uint32_t gpu : samples.gpus()) {
    const GpuMeter meter(samples, gpu);
    line_of(format_text("GPU %u", gpu), gpu_phrases(trace, figures, gpu, meter, batch), page);
  }
  const HostUse host = HostMeter(samples).in(run_of(figures));
  line_of("process", process_phrases(host), page);
  line_of("machine", machine_phrases(trace, host), page);
  energy_notes(figures, samples, page);
}

bool host_run_part(const Trace& trace, double, Page& page) {
  const SampleIndex samples(trace);
  const HostMeter meter(samples);
  const Window run = meter.span();
  if (run.end_ns <= run.start_ns) return false;
  const HostUse use = meter.in(run);
  page.heading("HOST", "sampled for " + time_text(run.end_ns - run.start_ns));
  line_of("process", process_phrases(use), page);
  Phrases storage;
  if (use.process_read_bytes) storage.add("read " + bytes_text(*use.process_read_bytes));
  if (use.process_written_bytes) storage.add("written " + bytes_text(*use.process_written_bytes));
  if (use.major_faults) storage.add(count_text(static_cast<int64_t>(*use.major_faults)) + " page faults from disk");
  if (use.involuntary_switches) {
    storage.add("lost its core " + count_text(static_cast<int64_t>(*use.involuntary_switches)) + " times");
  }
  line_of("storage", storage.text(), page);
  line_of("machine", machine_phrases(trace, use), page);
  for (const auto& [key, value] : trace.process.facts) {
    if (key.compare(0, 3, "na.") == 0) page.paragraph("  ", "n/a: " + key.substr(3) + ": " + value);
  }
  return true;
}

}  // namespace deepprof
