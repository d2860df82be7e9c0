// sample_bench: what a reading of each file and a sample of each source of the host costs, in a row
// and as the sampler asks, ten times a second, when everything is out of the processor's caches.
// Run by hand.
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "libdeepprof/capture/own_descriptors.h"
#include "libdeepprof/sample/children_source.h"
#include "libdeepprof/sample/kernel_file.h"
#include "libdeepprof/sample/process_source.h"
#include "libdeepprof/sample/processor_source.h"
#include "libdeepprof/sample/system_source.h"
#include "libdeepprof/sample/thread_source.h"
#include "libdeepprof/text.h"

using namespace deepprof;

namespace {

constexpr int kInARow = 2000, kTicks = 30;
constexpr int64_t kTick_ns = 100'000'000;

int64_t own_cpu_ns() { return read_clock_ns(CLOCK_THREAD_CPUTIME_ID); }

void pause_for(int64_t ns) { std::this_thread::sleep_for(std::chrono::nanoseconds(ns)); }

struct Cost {
  double in_a_row_ns = 0, at_ticks_ns = 0;
};

Cost cost_of(const std::function<void()>& ask) {
  ask();
  int64_t began_ns = own_cpu_ns();
  for (int i = 0; i < kInARow; ++i) ask();
  Cost cost;
  cost.in_a_row_ns = static_cast<double>(own_cpu_ns() - began_ns) / kInARow;
  for (int i = 0; i < kTicks; ++i) {
    pause_for(kTick_ns);
    began_ns = own_cpu_ns();
    ask();
    cost.at_ticks_ns += static_cast<double>(own_cpu_ns() - began_ns) / kTicks;
  }
  return cost;
}

// The thread that measures has no standard output.
std::string table;

void row(const std::string& name, const Cost& cost) {
  table +=
      format_text("| %-34s | %9.0f | %9.0f |\n", name.c_str(), cost.in_a_row_ns, cost.at_ticks_ns);
}

void read_anew(const std::string& path) {
  std::array<char, 4096> buffer;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  [[maybe_unused]] const ssize_t got = ::read(file, buffer.data(), buffer.size());
  ::close(file);
}

void files() {
  const std::string task = "/proc/self/task/" + std::to_string(::gettid());
  for (const std::string& path :
       {std::string("/proc/self/statm"), std::string("/proc/self/stat"),
        std::string("/proc/self/io"), std::string("/proc/stat"), std::string("/proc/meminfo"),
        task + "/schedstat", task + "/children"}) {
    row(path + ", opened anew", cost_of([&] { read_anew(path); }));
    KernelFile kept(path);
    kept.read();
    row(path + ", kept", cost_of([&] { kept.read(); }));
  }
  row("getrusage", cost_of([] { own_usage(); }));
}

void sources() {
  RecordsClock clock;
  DefinitionLog log;
  SampleAccount account;
  MetricNames names{};
  SampleSink sink(clock, names, log, account);
  log.publish(ThreadDefinition{0, static_cast<uint32_t>(::getpid()),
                               static_cast<uint64_t>(::gettid()), "main"});
  const struct {
    const char* name;
    std::unique_ptr<SampleSource> source;
  } all[] = {{"process", make_process_source("")},
             {"children", make_children_source("", 0)},
             {"processor", make_processor_source("")},
             {"system", make_system_source("")},
             {"threads", make_thread_source("", static_cast<uint32_t>(::getpid()), log)}};
  for (const auto& [name, source] : all) {
    const auto tick = [&, asked = source.get()] {
      asked->sample(sink);
      sink.flush();
      log.take();
    };
    row(std::string(name) + ", a tick", cost_of(tick));
  }
  row("no source: the clock, a sleep", cost_of([] {}));
}

}  // namespace

int main() {
  // As the sampler's thread: with descriptors of its own, files are kept open.
  std::thread([] {
    const OwnDescriptors own;
    files();
    sources();
  }).join();
  std::printf("| %-34s | %9s | %9s |\n%s", "ns of processor time", "in a row", "at 10 Hz",
              table.c_str());
  return 0;
}
