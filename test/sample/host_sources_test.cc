// The sources of /proc and /sys on folders of frozen files.
#include <sys/resource.h>
#include <unistd.h>

#include <deque>
#include <thread>

#include "libdeepprof/capture/own_descriptors.h"
#include "libdeepprof/sample/children_source.h"
#include "libdeepprof/sample/kernel_file.h"
#include "libdeepprof/sample/process_source.h"
#include "libdeepprof/sample/processor_source.h"
#include "libdeepprof/sample/system_source.h"
#include "libdeepprof/sample/thread_source.h"
#include "test/sample/frozen_machine.h"
#include "test/sample/sampled.h"
#include "test/support/catch.h"

namespace deepprof {
namespace {

using test::FrozenMachine;
using test::Sampled;

ProcessUsage usage;
ProcessUsage frozen_usage() { return usage; }

void pass_a_slow_period() { std::this_thread::sleep_for(std::chrono::nanoseconds(kSlowPeriod_ns)); }

}  // namespace

TEST_CASE("numbers of a line end at the first word that is none, and a missing key has no line") {
  CHECK(numbers_of("  12 3\t-4 kB 5") == std::vector<int64_t>{12, 3, -4});
  CHECK(numbers_of("").empty());
  CHECK(line_of("a: 1\nb: 2\n", "b:") == " 2");
  CHECK(line_of("a: 1\nb: 2", "c:").empty());
}

TEST_CASE("what is read again is kept open among descriptors of our own, and is read anew") {
  FrozenMachine machine;
  machine.set("/a", "1\n");
  const auto reads_of = [&](KernelFile& file) {
    std::vector<int64_t> read;
    for (const char* text : {"1\n", "2\n", "3\n"}) {
      machine.set("/a", text);
      read.push_back(file.read_number().value_or(-1));
    }
    return read;
  };
  const auto open_files = [] { return names_in("/proc/thread-self/fd", "").size(); };
  const size_t before = open_files();
  KernelFile of_jobs(machine.root() + "/a");
  CHECK(reads_of(of_jobs) == std::vector<int64_t>{1, 2, 3});
  CHECK(open_files() == before);
  std::vector<int64_t> read;
  size_t at_first = 0, kept = 0, after = 0;
  std::thread([&] {
    const OwnDescriptors own;
    at_first = open_files();
    {
      KernelFile file(machine.root() + "/a");
      KernelFile moved = std::move(file);
      read = reads_of(moved);
      kept = open_files();
    }
    after = open_files();
  }).join();
  CHECK(read == std::vector<int64_t>{1, 2, 3});
  CHECK(kept == at_first + 1);
  CHECK(after == at_first);
}

TEST_CASE("under a limit of few descriptors files that are kept open leave room for others") {
  FrozenMachine machine;
  machine.set("/a", "7\n");
  rlimit limit{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &limit) == 0);
  const rlimit few{32, limit.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &few) == 0);
  size_t failed = 0, kept = 0;
  std::thread([&] {
    const OwnDescriptors own;
    std::deque<KernelFile> files;
    for (int i = 0; i < 40; ++i) {
      files.emplace_back(machine.root() + "/a");
      for (int again = 0; again < 2; ++again) failed += files.back().read_number() != 7;
    }
    kept = names_in("/proc/thread-self/fd", "").size();
  }).join();
  ::setrlimit(RLIMIT_NOFILE, &limit);
  CHECK(failed == 0);
  CHECK(kept > 4);
}

TEST_CASE("many threads are looked through for children seldom, and those known go on") {
  FrozenMachine machine;
  machine.set("/proc/self/stat",
              "5 (a) S 1 5 5 0 -1 4194304 100 0 3 0 1 1 1 1 20 0 9 0 300 1 1 9\n");
  machine.set("/proc/21/stat",
              "21 (w) S 1 5 5 0 -1 4194304 100 0 3 0 1 1 1 1 20 0 9 0 300 1 1 9\n");
  machine.set("/proc/22/stat",
              "22 (w) S 1 5 5 0 -1 4194304 100 0 3 0 1 1 1 1 20 0 9 0 300 1 1 9\n");
  machine.set("/proc/self/task/5/children", "21");
  Sampled sampled;
  constexpr int64_t kNeverAgain = 100'000'000;
  const auto source = make_children_source(machine.root(), kNeverAgain);
  sampled.ask(*source);
  machine.set("/proc/self/task/5/children", "21 22");
  pass_a_slow_period();
  sampled.ask(*source);
  CHECK(sampled.count(Metric::children) == 2);
  CHECK(sampled.last(Metric::children) == 1);
}

TEST_CASE("a process is sampled by its memory, threads, storage and CPU time over wall time") {
  FrozenMachine machine;
  machine.set("/proc/self/statm", "1000 250 100 5 0 300 0\n");
  machine.set("/proc/self/stat",
              "77 (a ) odd (name) R 1 77 77 0 -1 4194304 100 0 3 0 11 7 0 0 20 0 9 0 300 1 1\n");
  machine.set("/proc/self/io",
              "rchar: 9\nread_bytes: 4096\nwrite_bytes: 8192\ncancelled_write_bytes: 1\n");
  Sampled sampled;
  usage = {0, 10, 2, 30, 4};
  const auto source = make_process_source(machine.root(), frozen_usage);
  sampled.ask(*source);
  CHECK(sampled.count(Metric::process_cpu) == 0);  // a ratio needs two readings
  CHECK(sampled.last(Metric::process_memory) ==
        250.0 * static_cast<double>(::sysconf(_SC_PAGESIZE)));
  CHECK(sampled.last(Metric::process_threads) == 9);
  CHECK(sampled.last(Metric::process_read) == 4096);
  CHECK(sampled.last(Metric::process_written) == 8192);
  CHECK(sampled.last(Metric::process_minor_faults) == 10);
  CHECK(sampled.last(Metric::process_involuntary_switches) == 4);

  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  // however slow this machine is, an hour of CPU time is more than was waited for
  usage.cpu_ns = 3'600'000'000'000;
  sampled.ask(*source);
  CHECK(sampled.last(Metric::process_cpu) > 1);
  CHECK(sampled.count(Metric::process_minor_faults) == 1);  // not again within a second
}

TEST_CASE(
    "children and theirs are sampled together: those that live, and the time of those that have "
    "ended") {
  FrozenMachine machine;
  const auto stat = [](const char* ticks, int pages) {
    return "5 (worker) S 1 5 5 0 -1 4194304 100 0 3 0 " + std::string(ticks) + " 20 0 9 0 300 1 " +
           std::to_string(pages) + " 9\n";
  };
  machine.set("/proc/self/stat", stat("7 7 100 50", 1));
  machine.set("/proc/self/task/10/children", "");
  machine.set("/proc/self/task/11/children", "21 22 ");
  machine.set("/proc/21/stat", stat("1000 200 0 0", 300));
  machine.set("/proc/21/task/21/children", "31");
  machine.set("/proc/22/stat", stat("1 1 1 1", 20));
  machine.set("/proc/31/stat", stat("10 0 0 0", 1));
  Sampled sampled;
  const auto source = make_children_source(machine.root(), 0);
  sampled.ask(*source);
  CHECK(sampled.last(Metric::children) == 3);
  CHECK(sampled.last(Metric::children_memory) ==
        321.0 * static_cast<double>(::sysconf(_SC_PAGESIZE)));
  const double ticks_ns = 1e9 / static_cast<double>(::sysconf(_SC_CLK_TCK));
  CHECK(sampled.last(Metric::children_cpu) == 1364 * ticks_ns);
  // 22 ends, and its time is that of an ended child.
  machine.set("/proc/self/stat", stat("7 7 102 52", 1));
  machine.set("/proc/self/task/11/children", "21");
  pass_a_slow_period();
  sampled.ask(*source);
  CHECK(sampled.last(Metric::children) == 2);
  CHECK(sampled.last(Metric::children_cpu) == 1364 * ticks_ns);
  // One that is given another parent takes its time along.
  machine.set("/proc/self/task/11/children", "");
  pass_a_slow_period();
  sampled.ask(*source);
  CHECK(sampled.last(Metric::children) == 0);
  CHECK(sampled.last(Metric::children_cpu) == 154 * ticks_ns);
}

TEST_CASE("a process that has got the number of a child that ended is not counted") {
  FrozenMachine machine;
  const auto stat = [](const char* ticks, int birth) {
    return "5 (w) S 1 5 5 0 -1 4194304 100 0 3 0 " + std::string(ticks) + " 20 0 9 0 " +
           std::to_string(birth) + " 1 9 9\n";
  };
  machine.set("/proc/self/stat", stat("1 1 2 2", 300));
  machine.set("/proc/self/task/5/children", "21 22");
  machine.set("/proc/21/stat", stat("10 0 0 0", 310));
  machine.set("/proc/22/stat", stat("20 0 0 0", 310));
  Sampled sampled;
  constexpr int64_t kNeverAgain = 100'000'000;
  const auto source = make_children_source(machine.root(), kNeverAgain);
  sampled.ask(*source);
  REQUIRE(sampled.last(Metric::children) == 2);
  machine.set("/proc/22/stat", stat("5000 0 0 0", 999));
  pass_a_slow_period();
  sampled.ask(*source);
  CHECK(sampled.last(Metric::children) == 1);
  CHECK(sampled.last(Metric::children_cpu) ==
        14 * 1e9 / static_cast<double>(::sysconf(_SC_CLK_TCK)));
}

TEST_CASE("a kernel that does not list children says so") {
  FrozenMachine machine;
  machine.set("/proc/self/stat",
              "5 (a) S 1 5 5 0 -1 4194304 100 0 3 0 1 1 1 1 20 0 9 0 300 1 1 9\n");
  Sampled sampled;
  const auto source = make_children_source(machine.root(), 0);
  sampled.ask(*source);
  CHECK(sampled.count(Metric::children) == 0);
  CHECK(sampled.facts.count("na.children_cpu_ns") == 1);
}

TEST_CASE("what a machine does not show is told once, with its reason, and never sampled") {
  FrozenMachine machine;
  Sampled sampled;
  for (const auto& source :
       {make_process_source(machine.root(), frozen_usage), make_system_source(machine.root()),
        make_processor_source(machine.root())}) {
    sampled.ask(*source);
    sampled.ask(*source);
  }
  CHECK(sampled.count(Metric::process_memory) == 0);
  CHECK(sampled.count(Metric::system_cpu) == 0);
  CHECK(sampled.facts.at("na.process_memory_bytes").find("/proc/self/statm") != std::string::npos);
  CHECK(sampled.facts.count("na.cpu_energy_mj") == 1);
  CHECK(sampled.facts.count("na.cpu_temperature_c") == 1);
  CHECK(sampled.facts.count("na.system_memory_used_bytes") == 1);
}

TEST_CASE("the machine's busy share leaves out idle and waiting time, and guests count once") {
  FrozenMachine machine;
  machine.set("/proc/stat", "cpu  100 0 100 700 100 0 0 0 50 0\ncpu0 1 1 1 1 1 1 1 1 1 1\n");
  machine.set("/proc/meminfo", "MemTotal:  1000 kB\nMemFree: 1 kB\nMemAvailable:  400 kB\n");
  Sampled sampled;
  const auto source = make_system_source(machine.root());
  sampled.ask(*source);
  CHECK(sampled.count(Metric::system_cpu) == 0);
  CHECK(sampled.last(Metric::system_memory_used) == 600 * 1024);
  CHECK(sampled.facts.at("system_memory_bytes") == "1024000");
  machine.set("/proc/stat", "cpu  150 0 150 750 150 0 0 0 60 0\n");
  sampled.ask(*source);  // the first share at once, from then on once a second
  CHECK(sampled.last(Metric::system_cpu) == Approx(0.5));
  sampled.ask(*source);
  CHECK(sampled.count(Metric::system_cpu) == 1);
  pass_a_slow_period();
  machine.set("/proc/stat", "cpu  200 0 200 800 200 0 0 0 60 0\n");
  sampled.ask(*source);
  CHECK(sampled.count(Metric::system_cpu) == 2);
  CHECK(sampled.last(Metric::system_io_wait) == Approx(0.25));
}

TEST_CASE(
    "threads that the trace knows are sampled by their index, those of other processes are not") {
  FrozenMachine machine;
  Sampled sampled;
  sampled.log().publish(ThreadDefinition{4, 77, 700, ""});
  sampled.log().publish(ThreadDefinition{5, 78, 701, ""});
  machine.set("/proc/self/task/700/schedstat", "1000 50 3\n");
  const auto source = make_thread_source(machine.root(), 77, sampled.log());
  sampled.ask(*source);
  machine.set("/proc/self/task/700/schedstat", "3600000001000 1800000000050 9\n");
  pass_a_slow_period();
  sampled.ask(*source);
  REQUIRE(sampled.count(Metric::thread_cpu, 4) == 1);
  CHECK(sampled.last(Metric::thread_cpu, 4) ==
        Approx(2 * sampled.last(Metric::thread_runnable, 4)));
  CHECK(sampled.count(Metric::thread_cpu, 5) == 0);
}

}  // namespace deepprof
