#include "libdeepprof/sample/gpu_source.h"

#include <array>
#include <optional>

#include "libdeepprof/sample/fork_gate.h"
#include "libdeepprof/sample/nvml.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

using nvml::Api;
using nvml::Return;

struct Asked {
  const Api& api;
  nvml::Device gpu;
  uint32_t process;
};
using Clock = int64_t (*)();

// Values as they are stored, in the order of the row's metrics.
using Values = std::array<double, 2>;

constexpr double kKibibyte = 1024;
// What the process list answers while the driver has not noticed us, or never will: containers with
// process numbers of their own.
constexpr Return kNotListed = -1;
constexpr Return kImpossible = -2;  // success with a value that cannot be
constexpr Return kMissing = nvml::kFunctionNotFound;

Return read_energy(const Asked& asked, Values& values) {
  unsigned long long millijoules = 0;
  const Return code =
      asked.api.total_energy ? asked.api.total_energy(asked.gpu, &millijoules) : kMissing;
  values[0] = static_cast<double>(millijoules);
  return code;
}

Return read_power(const Asked& asked, Values& values) {
  unsigned milliwatts = 0;
  const Return code = asked.api.power ? asked.api.power(asked.gpu, &milliwatts) : kMissing;
  values[0] = milliwatts;
  return code;
}

Return read_utilization(const Asked& asked, Values& values) {
  nvml::Utilization utilization{};
  const Return code =
      asked.api.utilization ? asked.api.utilization(asked.gpu, &utilization) : kMissing;
  values = {utilization.gpu / 100.0, utilization.memory / 100.0};
  return code;
}

Return read_memory(const Asked& asked, Values& values) {
  nvml::Memory memory{};
  const Return code = asked.api.memory ? asked.api.memory(asked.gpu, &memory) : kMissing;
  values[0] = static_cast<double>(memory.used);
  if (code == nvml::kSuccess && memory.used > memory.total) return kImpossible;
  return code;
}

Return read_process_memory(const Asked& asked, Values& values) {
  if (!asked.api.processes) return kMissing;
  std::array<nvml::Process, 64> processes{};
  auto count = static_cast<unsigned>(processes.size());
  const Return code = asked.api.processes(asked.gpu, &count, processes.data());
  if (code != nvml::kSuccess) return code;
  for (unsigned i = 0; i < count && i < processes.size(); ++i) {
    if (processes[i].pid != asked.process || processes[i].used_memory == nvml::kNoValue) continue;
    values[0] = static_cast<double>(processes[i].used_memory);
    return code;
  }
  return kNotListed;
}

Return read_newer_temperature(const Asked& asked, Values& values) {
  nvml::Temperature temperature;
  const Return code =
      asked.api.temperature_v ? asked.api.temperature_v(asked.gpu, &temperature) : kMissing;
  values[0] = temperature.celsius;
  return code;
}

// The older function as long as it answers: older drivers have no other.
Return read_temperature(const Asked& asked, Values& values) {
  unsigned celsius = 0;
  const Return code = asked.api.temperature
                          ? asked.api.temperature(asked.gpu, nvml::kTemperatureOfGpu, &celsius)
                          : kMissing;
  values[0] = celsius;
  const bool is_gone = code == kMissing || code == nvml::kNotSupported || code == nvml::kDeprecated;
  return is_gone && asked.api.temperature_v ? read_newer_temperature(asked, values) : code;
}

template <int kClock>
Return read_clock(const Asked& asked, Values& values) {
  unsigned megahertz = 0;
  const Return code = asked.api.clock ? asked.api.clock(asked.gpu, kClock, &megahertz) : kMissing;
  values[0] = megahertz;
  return code;
}

Return read_throttle(const Asked& asked, Values& values) {
  unsigned long long mask = 0;
  const Return code =
      asked.api.clock_reasons ? asked.api.clock_reasons(asked.gpu, &mask) : kMissing;
  values[0] = static_cast<double>(mask);
  return code;
}

template <int kDirection>
Return read_pcie(const Asked& asked, Values& values) {
  unsigned kibibytes = 0;
  const Return code = asked.api.pcie_throughput
                          ? asked.api.pcie_throughput(asked.gpu, kDirection, &kibibytes)
                          : kMissing;
  values[0] = kibibytes * kKibibyte;
  return code;
}

struct Reading {
  Return (*read)(const Asked& asked, Values& values);
  std::array<Metric, 2> metrics;
  size_t metric_count;
  int64_t period_ns;  // 0: every tick
  bool of_instance;   // of a MIG instance if there are any, and this is the whole GPU's
  bool blocks = false;
};

// NVML's own: it counts utilization over a sixth of a second at least.
constexpr int64_t kOwnPeriod_ns = 200'000'000;

// In the order in which they are asked: what is integrated over time first, what blocks last. PCIe
// throughput is measured while the call waits, 20 ms each.
constexpr Reading kReadings[] = {
    {read_energy, {Metric::gpu_energy}, 1, 0, false},
    {read_power, {Metric::gpu_power}, 1, 0, false},
    {read_utilization,
     {Metric::gpu_utilization, Metric::gpu_memory_activity},
     2,
     kOwnPeriod_ns,
     true},
    {read_memory, {Metric::gpu_memory_used}, 1, 0, true},
    {read_temperature, {Metric::gpu_temperature}, 1, kSlowPeriod_ns, false},
    {read_clock<nvml::kClockSm>, {Metric::gpu_sm_clock}, 1, kSlowPeriod_ns, false},
    {read_clock<nvml::kClockMemory>, {Metric::gpu_memory_clock}, 1, kSlowPeriod_ns, false},
    {read_throttle, {Metric::gpu_throttle}, 1, kSlowPeriod_ns, false},
    {read_process_memory, {Metric::gpu_process_memory}, 1, kSlowPeriod_ns, true},
    {read_pcie<nvml::kPcieReceived>, {Metric::gpu_pcie_received}, 1, kSlowPeriod_ns, false, true},
    {read_pcie<nvml::kPcieSent>, {Metric::gpu_pcie_sent}, 1, kSlowPeriod_ns, false, true},
};
constexpr size_t kReadingCount = std::size(kReadings);

bool is_final(Return code) {
  return code == nvml::kInvalidArgument || code == nvml::kNotSupported ||
         code == nvml::kNoPermission || code == nvml::kFunctionNotFound ||
         code == nvml::kResetRequired || code == nvml::kDeprecated;
}

// One reading of one GPU: when it is due, whether it is still asked.
struct Series {
  Pace pace{0};
  bool given_up = false;
  int failures = 0;  // in a row
};

class Gpu {
 public:
  Gpu(uint32_t device, nvml::Device handle) : device_(device), handle_(handle) {}

  uint32_t device() const { return device_; }

  // Whether the job runs anything on it decides how often it is asked, and for what.
  void set_used(bool used) {
    used_ = used;
    for (size_t i = 0; i < kReadingCount; ++i) {
      series_[i].pace = Pace(used ? kReadings[i].period_ns : kSlowPeriod_ns);
    }
  }

  void introduce(const Api& api, SampleSink& sink) {
    const std::string key = format_text("gpu.%u.", device_);
    unsigned index = 0, current = 0, pending = 0;
    char uuid[96] = "";
    if (api.index && api.index(handle_, &index) == nvml::kSuccess)
      sink.fact(key + "nvml_index", std::to_string(index));
    if (api.uuid && api.uuid(handle_, uuid, sizeof uuid) == nvml::kSuccess)
      sink.fact(key + "uuid", uuid);
    const bool mig = api.mig_mode && api.mig_mode(handle_, &current, &pending) == nvml::kSuccess &&
                     current == nvml::kMigEnabled;
    if (!mig) return;
    sink.fact(key + "mig", "1");
    for (size_t i = 0; i < kReadingCount; ++i) {
      if (kReadings[i].of_instance)
        give_up(i, "the GPU is split by MIG, and its figure is not the instance's", sink);
    }
  }

  void sample(const Api& api, uint32_t process, Clock clock, SampleSink& sink) {
    for (size_t i = 0; i < kReadingCount; ++i) {
      if (kReadings[i].blocks && !used_) continue;
      if (!series_[i].given_up && series_[i].pace.due(clock(), sink.last_tick()))
        read(i, {api, handle_, process}, clock, sink);
    }
  }

 private:
  void read(size_t i, const Asked& asked, Clock clock, SampleSink& sink) {
    Values values{};
    const int64_t from_ns = clock();
    const Return code = [&] {
      const ForkGate gate;
      return kReadings[i].read(asked, values);
    }();
    const int64_t to_ns = clock();
    series_[i].pace.ran(from_ns, to_ns);
    if (code != nvml::kSuccess) return failed(i, asked.api, code, sink);
    bool possible = true;
    for (size_t m = 0; m < kReadings[i].metric_count; ++m) {
      possible &=
          sink.put(kReadings[i].metrics[m], device_, from_ns + (to_ns - from_ns) / 2, values[m]);
    }
    if (!possible) return failed(i, asked.api, kImpossible, sink);
    series_[i].failures = 0;
  }

  void failed(size_t i, const Api& api, Return code, SampleSink& sink) {
    if (code == nvml::kGpuIsLost) {
      sink.fact(format_text("gpu.%u.lost", device_), "1");
      for (size_t each = 0; each < kReadingCount; ++each)
        give_up(each, nvml::error_text(api, code), sink);
      return;
    }
    constexpr int kPatience = 50;
    if (!is_final(code) && ++series_[i].failures < kPatience) return;
    give_up(i, reason_of(api, code), sink);
  }

  static std::string reason_of(const Api& api, Return code) {
    if (code == kNotListed)
      return "NVML does not list this process (unused, or a container with process numbers of its "
             "own)";
    return code == kImpossible ? "NVML gives values that cannot be" : nvml::error_text(api, code);
  }

  void give_up(size_t i, const std::string& reason, SampleSink& sink) {
    series_[i].given_up = true;
    for (size_t m = 0; m < kReadings[i].metric_count; ++m)
      sink.unavailable(kReadings[i].metrics[m], device_, reason);
  }

  uint32_t device_;
  nvml::Device handle_;
  bool used_ = false;
  std::array<Series, kReadingCount> series_;
};

class GpuSource final : public SampleSource {
 public:
  GpuSource(const VisibleGpus& visible, uint32_t process, Clock clock)
      : visible_(visible), process_(process), clock_(clock) {}

  int64_t sample(SampleSink& sink) override {
    if (std::vector<VisibleGpu> gpus; visible_.take_newer(version_, gpus)) take_up(gpus, sink);
    for (Gpu& gpu : gpus_) gpu.sample(*api_, process_, clock_, sink);
    return kEveryTick;
  }

 private:
  void take_up(const std::vector<VisibleGpu>& gpus, SampleSink& sink) {
    if (!load(sink)) return;
    for (const VisibleGpu& gpu : gpus) {
      const auto known = std::find_if(gpus_.begin(), gpus_.end(),
                                      [&](const Gpu& each) { return each.device() == gpu.device; });
      if (known != gpus_.end()) known->set_used(gpu.used);
      else if (open(gpu, sink)) gpus_.back().set_used(gpu.used);
    }
  }

  bool open(const VisibleGpu& gpu, SampleSink& sink) {
    const ForkGate gate;
    nvml::Device handle = nullptr;
    const Return code = api_->device_by_pci_bus_id(gpu.pci_bus_id.c_str(), &handle);
    if (code != nvml::kSuccess) {
      sink.fact(format_text("na.gpu%u", gpu.device),
                "NVML knows no GPU at " + gpu.pci_bus_id + ": " + nvml::error_text(*api_, code));
      return false;
    }
    gpus_.emplace_back(gpu.device, handle);
    gpus_.back().introduce(*api_, sink);
    return true;
  }

  bool load(SampleSink& sink) {
    if (tried_) return api_.has_value();
    tried_ = true;
    ForkGate::install();
    const ForkGate gate;
    Result<Api> loaded = nvml::load();
    if (!loaded) {
      sink.fact("na.gpu", loaded.error());
      return false;
    }
    api_ = loaded.value();
    char version[96] = "";
    if (api_->driver_version && api_->driver_version(version, sizeof version) == nvml::kSuccess) {
      sink.fact("gpu_driver", version);
    }
    return true;
  }

  const VisibleGpus& visible_;
  const uint32_t process_;
  const Clock clock_;
  uint64_t version_ = 0;
  bool tried_ = false;
  std::optional<Api> api_;
  std::vector<Gpu> gpus_;
};

}  // namespace

std::unique_ptr<SampleSource> make_gpu_source(const VisibleGpus& gpus, uint32_t process,
                                              Clock clock) {
  return std::make_unique<GpuSource>(gpus, process, clock);
}

}  // namespace deepprof
