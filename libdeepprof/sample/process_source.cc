#include "libdeepprof/sample/process_source.h"

#include <sys/resource.h>
#include <unistd.h>

#include "libdeepprof/sample/kernel_file.h"

namespace deepprof {
namespace {

class ProcessSource final : public SampleSource {
 public:
  ProcessSource(const std::string& root, ProcessUsage (*usage)())
      : usage_(usage),
        memory_(root + "/proc/self/statm"),
        status_(root + "/proc/self/stat"),
        storage_(root + "/proc/self/io") {}

  int64_t sample(SampleSink& sink) override {
    const int64_t now_ns = monotonic_ns();
    const ProcessUsage usage = usage_();
    if (before_ns_ != 0 && now_ns > before_ns_) {
      sink.put(Metric::process_cpu, kHostDevice, now_ns,
               static_cast<double>(usage.cpu_ns - cpu_before_ns_) /
                   static_cast<double>(now_ns - before_ns_));
    }
    before_ns_ = now_ns;
    cpu_before_ns_ = usage.cpu_ns;
    if (slow_.due(now_ns, sink.last_tick())) sample_slowly(now_ns, usage, sink);
    return kEveryTick;
  }

 private:
  void sample_slowly(int64_t now_ns, const ProcessUsage& usage, SampleSink& sink) {
    const auto count = [&](Metric metric, uint64_t value) {
      sink.put(metric, kHostDevice, now_ns, static_cast<double>(value));
    };
    count(Metric::process_minor_faults, usage.minor_faults);
    count(Metric::process_major_faults, usage.major_faults);
    count(Metric::process_voluntary_switches, usage.voluntary_switches);
    count(Metric::process_involuntary_switches, usage.involuntary_switches);
    sample_memory(now_ns, sink);
    sample_threads(now_ns, sink);
    sample_storage(now_ns, sink);
    slow_.ran(now_ns, monotonic_ns());
  }
  void sample_memory(int64_t now_ns, SampleSink& sink) {
    const auto text = memory_.read();
    const std::vector<int64_t> pages = text ? numbers_of(*text) : std::vector<int64_t>();
    if (pages.size() < 2)
      return sink.unavailable(Metric::process_memory, kHostDevice, "cannot read " + memory_.path());
    sink.put(Metric::process_memory, kHostDevice, now_ns,
             static_cast<double>(pages[1] * page_bytes_));
  }

  void sample_threads(int64_t now_ns, SampleSink& sink) {
    constexpr size_t kThreads = 16;  // numbers behind the state
    const auto text = status_.read();
    const std::vector<int64_t> numbers = numbers_behind_state(text.value_or(std::string_view()));
    if (numbers.size() <= kThreads)
      return sink.unavailable(Metric::process_threads, kHostDevice,
                              "cannot read " + status_.path());
    sink.put(Metric::process_threads, kHostDevice, now_ns, static_cast<double>(numbers[kThreads]));
  }

  void sample_storage(int64_t now_ns, SampleSink& sink) {
    const auto text = storage_.read();
    const auto put = [&](Metric metric, std::string_view key) {
      const std::vector<int64_t> bytes =
          text ? numbers_of(line_of(*text, key)) : std::vector<int64_t>();
      if (bytes.empty())
        return sink.unavailable(metric, kHostDevice, "cannot read " + storage_.path());
      sink.put(metric, kHostDevice, now_ns, static_cast<double>(bytes[0]));
    };
    put(Metric::process_read, "read_bytes:");
    put(Metric::process_written, "write_bytes:");
  }

  ProcessUsage (*const usage_)();
  KernelFile memory_, status_, storage_;
  const int64_t page_bytes_ = ::sysconf(_SC_PAGESIZE);
  Pace slow_{kSlowPeriod_ns};
  int64_t before_ns_ = 0, cpu_before_ns_ = 0;
};

}  // namespace

// One call for all: the kernel adds up the threads at each.
ProcessUsage own_usage() {
  struct rusage counts {};
  ::getrusage(RUSAGE_SELF, &counts);
  const auto nanoseconds = [](const timeval& time) {
    return int64_t{time.tv_sec} * 1'000'000'000 + int64_t{time.tv_usec} * 1000;
  };
  ProcessUsage usage;
  usage.cpu_ns = nanoseconds(counts.ru_utime) + nanoseconds(counts.ru_stime);
  usage.minor_faults = static_cast<uint64_t>(counts.ru_minflt);
  usage.major_faults = static_cast<uint64_t>(counts.ru_majflt);
  usage.voluntary_switches = static_cast<uint64_t>(counts.ru_nvcsw);
  usage.involuntary_switches = static_cast<uint64_t>(counts.ru_nivcsw);
  return usage;
}

std::unique_ptr<SampleSource> make_process_source(const std::string& root,
                                                  ProcessUsage (*usage)()) {
  return std::make_unique<ProcessSource>(root, usage);
}

}  // namespace deepprof
