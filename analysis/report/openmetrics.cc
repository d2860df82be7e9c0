#include "analysis/report/openmetrics.h"

#include <cmath>
#include <map>
#include <optional>
#include <string_view>

#include "analysis/device/run_use.h"
#include "analysis/report/device_sections.h"
#include "libdeepprof/event/loss.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

double seconds(double ns) { return ns / 1e9; }
double seconds(int64_t ns) { return seconds(static_cast<double>(ns)); }

// Label values may hold any text but a bare quote, backslash or newline.
std::string label_value(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') out += "\\n";
    else out += c;
  }
  return out;
}

// One family: its head is written before its first sample, so that an empty family leaves nothing.
class Family {
 public:
  Family(std::string& out, const char* name, const char* type, const char* unit, const char* help)
      : out_(out), name_(name), type_(type), unit_(unit), help_(help) {}

  // `labels`: `device="0"`; `suffix`: "_total" of a counter.
  void sample(const std::string& labels, double value, const char* suffix = "") {
    if (!begun_) begin();
    const std::string braced = labels.empty() ? "" : "{" + labels + "}";
    // Counts and bytes keep every digit; what is computed has no more than these.
    const bool whole = value == std::floor(value) && std::fabs(value) < 0x1p53;
    append_text(out_, whole ? "%s%s%s %.0f\n" : "%s%s%s %.9g\n", name_, suffix, braced.c_str(),
                value);
  }

 private:
  void begin() {
    begun_ = true;
    append_text(out_, "# TYPE %s %s\n", name_, type_);
    if (*unit_ != '\0') append_text(out_, "# UNIT %s %s\n", name_, unit_);
    append_text(out_, "# HELP %s %s\n", name_, help_);
  }

  std::string& out_;
  const char *name_, *type_, *unit_, *help_;
  bool begun_ = false;
};

std::string device_label(const DeviceFigures& device) {
  return format_text("device=\"%u\"", device.device);
}

void process_family(const Trace& trace, std::string& out) {
  const ProcessInfo& process = trace.process;
  std::string labels =
      format_text("host=\"%s\",pid=\"%u\"", label_value(process.host).c_str(), process.pid);
  if (process.rank >= 0) append_text(labels, ",rank=\"%d\"", process.rank);
  Family(out, "deepprof_process", "info", "", "The process that was recorded.")
      .sample(labels, 1, "_info");
}

void loss_family(const Trace& trace, std::string& out) {
  Family family(out, "deepprof_losses", "counter", "", "What the trace lacks, by kind of loss.");
  for (const LossInfo& info : losses()) {
    family.sample(format_text("loss=\"%s\"", info.name.data()),
                  static_cast<double>(trace.losses[info.loss]), "_total");
  }
}

void iteration_families(const Figures& figures, std::string& out) {
  Family count(out, "deepprof_iterations", "gauge", "",
               "Complete training iterations that the figures are of.");
  for (const DeviceFigures& device : figures.devices) {
    if (device.has_iterations())
      count.sample(device_label(device), static_cast<double>(device.counted.size()));
  }
  Family time(out, "deepprof_iteration_seconds", "gauge", "seconds",
              "Time of an iteration, start to start.");
  for (const DeviceFigures& device : figures.devices) {
    if (!device.has_iterations()) continue;
    const std::string label = device_label(device);
    const Distribution& distribution = device.iteration_time;
    time.sample(label + ",statistic=\"median\"", seconds(distribution.median_ns));
    time.sample(label + ",statistic=\"mean\"", seconds(distribution.mean_ns));
    time.sample(label + ",statistic=\"p95\"", seconds(distribution.p95_ns));
    time.sample(label + ",statistic=\"max\"", seconds(distribution.max_ns));
  }
}

void time_families(const Figures& figures, std::string& out) {
  Family wall(
      out, "deepprof_wall_seconds", "gauge", "seconds",
      "What the parts are of: all counted iterations, or the whole run where there are none.");
  for (const DeviceFigures& device : figures.devices)
    wall.sample(device_label(device), seconds(device.basis.wall_ns));
  Family parts(out, "deepprof_part_seconds", "gauge", "seconds",
               "Where that time goes; the parts sum to it.");
  for (const DeviceFigures& device : figures.devices) {
    const std::string label = device_label(device) + ",part=\"";
    for (size_t i = 0; i < kActivities; ++i) {
      const auto activity = static_cast<Activity>(i);
      parts.sample(label + activity_name(activity) + "\"", seconds(device.basis.exposed(activity)));
    }
    parts.sample(label + "idle\"", seconds(device.basis.idle_ns));
    if (device.basis.not_recorded_ns > 0)
      parts.sample(label + "not recorded\"", seconds(device.basis.not_recorded_ns));
  }
  Family idle(out, "deepprof_idle_seconds", "gauge", "seconds",
              "Idle time of the GPU by cause; sums to the part idle.");
  for (const DeviceFigures& device : figures.devices) {
    for (size_t i = 0; i < kCauses; ++i) {
      const char* key = cause_info(static_cast<Cause>(i)).key;
      idle.sample(device_label(device) + format_text(",cause=\"%s\"", key),
                  seconds(device.causes[i].pieces.total_ns));
    }
  }
}

// What was sampled of GPUs and process, over the run.
class UseFamilies {
 public:
  UseFamilies(const Trace& trace, const Figures& figures, std::string& out)
      : figures_(figures), samples_(trace), use_(trace, samples_), out_(out) {
    const HostMeter host(samples_);
    run_ = figures.devices.empty() ? host.span() : run_of(figures);
    for (const uint32_t gpu : use_.gpus()) gpus_.emplace(gpu, use_.gpu(gpu, run_));
  }

  void write() {
    constexpr double kMilli = 1e-3;
    gpus("deepprof_gpu_energy_joules", "counter", "joules",
         "Energy of the whole GPU over the sampled part of the run, whoever used it.",
         &GpuUse::energy_mj, kMilli);
    gpus("deepprof_gpu_power_watts", "gauge", "watts",
         "Mean power of the whole GPU over the sampled part of the run.", &GpuUse::power_mw,
         kMilli);
    gpus("deepprof_gpu_memory_peak_bytes", "gauge", "bytes",
         "Most memory of the GPU in use, by anybody.", &GpuUse::memory_peak_bytes, 1);
    gpus("deepprof_gpu_temperature_max_celsius", "gauge", "celsius", "Greatest temperature.",
         &GpuUse::temperature_max_c, 1);
    gpus("deepprof_gpu_utilization_ratio", "gauge", "ratio", "Mean of NVML's utilization.",
         &GpuUse::utilization_ratio, 1);
    iteration_energy(kMilli);
    const HostUse host = use_.host(run_);
    process("deepprof_process_memory_peak_bytes", "gauge", "bytes",
            "Most resident memory of the process.", host.process_memory_peak_bytes, 1);
    process("deepprof_process_cpu_ratio", "gauge", "ratio",
            "CPU time of the process by wall time; 1 is one core.", host.process_cpu_ratio, 1);
    process("deepprof_cpu_energy_joules", "counter", "joules",
            "Energy of the processor packages over the sampled part of the run, whoever used them.",
            host.cpu_energy_mj, kMilli);
  }

 private:
  static const char* suffix_of(const char* type) {
    return std::string_view(type) == "counter" ? "_total" : "";
  }
  void gpus(const char* name, const char* type, const char* unit, const char* help,
            std::optional<double> GpuUse::*value, double scale) {
    Family family(out_, name, type, unit, help);
    for (const auto& [gpu, use] : gpus_) {
      if (use.*value)
        family.sample(format_text("device=\"%u\"", gpu), *(use.*value) * scale, suffix_of(type));
    }
  }
  void process(const char* name, const char* type, const char* unit, const char* help,
               const std::optional<double>& value, double scale) {
    if (value) Family(out_, name, type, unit, help).sample("", *value * scale, suffix_of(type));
  }
  void iteration_energy(double scale) {
    Family family(out_, "deepprof_iteration_energy_joules", "gauge", "joules",
                  "Energy of the GPU in the mean iteration.");
    for (const DeviceFigures& device : figures_.devices) {
      if (!device.has_iterations()) continue;
      const IterationUse each = iteration_use(GpuMeter(samples_, device.device), device);
      if (each.energy_mj) family.sample(device_label(device), *each.energy_mj * scale);
    }
  }

  const Figures& figures_;
  SampleIndex samples_;
  RunUse use_;
  Window run_;
  std::map<uint32_t, GpuUse> gpus_;
  std::string& out_;
};

// What was allocated, over the run.
void memory_families(const Figures& figures, std::string& out) {
  Family most(out, "deepprof_allocated_peak_bytes", "gauge", "bytes",
              "Most bytes allocated at one time, by device and kind of memory.");
  for (const auto& [lane, of] : figures.memory.totals()) {
    const std::string device =
        lane.first == Allocation::kHost ? "host" : format_text("%u", lane.first);
    most.sample(
        format_text("device=\"%s\",kind=\"%s\"", device.c_str(), allocation_kind_name(lane.second)),
        static_cast<double>(of.peak_bytes));
  }
}

}  // namespace

std::string openmetrics_text(const Trace& trace, const Figures& figures) {
  std::string out;
  process_family(trace, out);
  loss_family(trace, out);
  iteration_families(figures, out);
  time_families(figures, out);
  UseFamilies(trace, figures, out).write();
  memory_families(figures, out);
  return out + "# EOF\n";
}

}  // namespace deepprof
