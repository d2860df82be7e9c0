#include "libdeepprof/sample/children_source.h"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "libdeepprof/sample/kernel_file.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

constexpr size_t kMostProcesses = 1024;  // a tree of more is sampled as far as that
// Numbers behind the state in /proc/PID/stat.
constexpr size_t kOwnTicks = 10, kChildrenTicks = 12, kBirthTick = 18, kResidentPages = 20;

struct Process {
  std::string number;  // as its folder in /proc is called
  int64_t birth = 0;   // tick of the machine's clock; 0: not read yet
};

struct Tree {
  int64_t processes = 0, resident_pages = 0;
  int64_t ticks = 0;  // of CPU time
};

class ChildrenSource final : public SampleSource {
 public:
  ChildrenSource(const std::string& root, int64_t search_spacing)
      : proc_(root + "/proc/"), search_(kSlowPeriod_ns, search_spacing) {}

  int64_t sample(SampleSink& sink) override {
    const int64_t now_ns = monotonic_ns();
    if (!slow_.due(now_ns, sink.last_tick())) return slow_.next_ns();
    if (const std::optional<Tree> tree = walk(sink.last_tick())) {
      put(*tree, now_ns, sink);
    } else {
      for (const Metric metric : {Metric::children_cpu, Metric::children_memory, Metric::children})
        sink.unavailable(metric, kHostDevice, "cannot read " + proc_ + "self/task/*/children");
    }
    slow_.ran(now_ns, monotonic_ns());
    return slow_.next_ns();
  }

 private:
  void put(const Tree& tree, int64_t now_ns, SampleSink& sink) {
    sink.put(Metric::children, kHostDevice, now_ns, static_cast<double>(tree.processes));
    sink.put(Metric::children_memory, kHostDevice, now_ns,
             static_cast<double>(tree.resident_pages * page_bytes_));
    // One that leaves the tree takes its time along: the counter falls.
    sink.put(Metric::children_cpu, kHostDevice, now_ns,
             static_cast<double>(tree.ticks) * 1e9 / static_cast<double>(ticks_per_s_));
  }

  std::optional<Tree> walk(bool last_tick) {
    Tree tree;
    const int64_t now_ns = monotonic_ns();
    if (search_.due(now_ns, last_tick)) {
      if (!find_family()) return {};
      search_.ran(now_ns, monotonic_ns());
    }
    if (!add_usage(self_, self_file_, false, tree)) return {};
    for (Process& process : family_) {
      KernelFile file(proc_ + process.number + "/stat");
      tree.processes += add_usage(process, file, true, tree);
    }
    return tree;
  }

  // False: the kernel lists none.
  bool find_family() {
    std::vector<std::string> numbers{"self"};
    // grows while it is walked
    for (size_t i = 0; i < numbers.size() && numbers.size() < kMostProcesses; ++i) {
      if (!add_children_of(numbers[i], numbers) && i == 0) return false;
    }
    numbers.resize(std::min(numbers.size(), kMostProcesses + 1));
    family_.clear();
    for (size_t i = 1; i < numbers.size(); ++i) family_.push_back({std::move(numbers[i])});
    return true;
  }

  // False: the kernel lists none (CONFIG_PROC_CHILDREN), or the process has ended.
  bool add_children_of(const std::string& process, std::vector<std::string>& family) const {
    const std::string tasks = proc_ + process + "/task/";
    bool any = false;
    for (const std::string& task : names_in(tasks, "")) {
      if (task[0] == '.') continue;
      KernelFile file(tasks + task + "/children");
      const auto text = file.read();
      any = any || text.has_value();
      for (const int64_t child : numbers_of(text.value_or(std::string_view())))
        family.push_back(format_text("%lld", static_cast<long long>(child)));
    }
    return any;
  }

  // Of the job's own process what its ended children used alone. False: the process has ended; its
  // number may be a stranger's by now.
  static bool add_usage(Process& process, KernelFile& file, bool own, Tree& tree) {
    const std::vector<int64_t> numbers =
        numbers_behind_state(file.read().value_or(std::string_view()));
    if (numbers.size() <= kResidentPages) return false;
    if (process.birth == 0) process.birth = numbers[kBirthTick];
    if (process.birth != numbers[kBirthTick]) return false;
    tree.ticks += numbers[kChildrenTicks] + numbers[kChildrenTicks + 1];
    if (!own) return true;
    tree.ticks += numbers[kOwnTicks] + numbers[kOwnTicks + 1];
    tree.resident_pages += numbers[kResidentPages];
    return true;
  }

  const std::string proc_;
  const int64_t page_bytes_ = ::sysconf(_SC_PAGESIZE), ticks_per_s_ = ::sysconf(_SC_CLK_TCK);
  Process self_{"self"};
  KernelFile self_file_{proc_ + "self/stat"};
  std::vector<Process> family_;
  Pace slow_{kSlowPeriod_ns};
  Pace search_;
};

}  // namespace

std::unique_ptr<SampleSource> make_children_source(const std::string& root,
                                                   int64_t search_spacing) {
  return std::make_unique<ChildrenSource>(root, search_spacing);
}

}  // namespace deepprof
