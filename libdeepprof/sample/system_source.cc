#include "libdeepprof/sample/system_source.h"

#include <utility>

#include "libdeepprof/sample/kernel_file.h"

namespace deepprof {
namespace {

// The first line of /proc/stat, in clock ticks over all cores. Time of guests is part of user time.
struct CoreTimes {
  int64_t idle = 0, io_wait = 0, all = 0;
};

class SystemSource final : public SampleSource {
 public:
  explicit SystemSource(const std::string& root)
      : cores_(root + "/proc/stat"), memory_(root + "/proc/meminfo") {}

  int64_t sample(SampleSink& sink) override {
    const int64_t now_ns = monotonic_ns();
    if (!slow_.due(now_ns, sink.last_tick())) return slow_.next_ns();
    sample_cores(now_ns, sink);
    sample_memory(now_ns, sink);
    // Shares are of the time since the reading before: of a short run most would be lost.
    if (std::exchange(begun_, true)) slow_.ran(now_ns, monotonic_ns());
    return slow_.next_ns();
  }

 private:
  void sample_cores(int64_t now_ns, SampleSink& sink) {
    constexpr size_t kIdle = 3, kIoWait = 4, kSteal = 7;
    const auto text = cores_.read();
    const std::vector<int64_t> ticks =
        text ? numbers_of(line_of(*text, "cpu ")) : std::vector<int64_t>();
    if (ticks.size() <= kSteal) {
      sink.unavailable(Metric::system_cpu, kHostDevice, "cannot read " + cores_.path());
      return sink.unavailable(Metric::system_io_wait, kHostDevice, "cannot read " + cores_.path());
    }
    CoreTimes now{ticks[kIdle], ticks[kIoWait], 0};
    for (size_t i = 0; i <= kSteal; ++i) now.all += ticks[i];
    if (const auto all = static_cast<double>(now.all - before_.all); before_.all != 0 && all > 0) {
      // The kernel's own idle and wait counts may step back by a tick.
      const auto share = [&](int64_t of) {
        return std::clamp(static_cast<double>(of) / all, 0.0, 1.0);
      };
      const int64_t idle = now.idle - before_.idle, io_wait = now.io_wait - before_.io_wait;
      sink.put(Metric::system_cpu, kHostDevice, now_ns, 1 - share(idle + io_wait));
      sink.put(Metric::system_io_wait, kHostDevice, now_ns, share(io_wait));
    }
    before_ = now;
  }

  void sample_memory(int64_t now_ns, SampleSink& sink) {
    const auto text = memory_.read();
    const auto kibibytes = [&](std::string_view key) {
      return text ? numbers_of(line_of(*text, key)) : std::vector<int64_t>();
    };
    const std::vector<int64_t> all = kibibytes("MemTotal:"), available = kibibytes("MemAvailable:");
    if (all.empty() || available.empty()) {
      return sink.unavailable(Metric::system_memory_used, kHostDevice,
                              "cannot read " + memory_.path());
    }
    sink.put(Metric::system_memory_used, kHostDevice, now_ns,
             static_cast<double>(all[0] - available[0]) * 1024);
    if (!total_told_) sink.fact("system_memory_bytes", std::to_string(all[0] * 1024));
    total_told_ = true;
  }

  KernelFile cores_, memory_;
  Pace slow_{kSlowPeriod_ns};
  CoreTimes before_;
  bool total_told_ = false, begun_ = false;
};

}  // namespace

std::unique_ptr<SampleSource> make_system_source(const std::string& root) {
  return std::make_unique<SystemSource>(root);
}

}  // namespace deepprof
