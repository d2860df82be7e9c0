#include "analysis/report/openmetrics.h"

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
    append_text(out_, "%s%s{%s} %.9g\n", name_, suffix, labels.c_str(), value);
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

}  // namespace

std::string openmetrics_text(const Trace& trace, const Figures& figures) {
  std::string out;
  process_family(trace, out);
  loss_family(trace, out);
  iteration_families(figures, out);
  time_families(figures, out);
  return out + "# EOF\n";
}

}  // namespace deepprof
