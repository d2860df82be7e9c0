#include "libdeepprof/sample/thread_source.h"

#include <vector>

#include "libdeepprof/sample/kernel_file.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

struct Watched {
  uint32_t index;
  KernelFile file;
  int64_t before_ns = 0;  // 0: not read so far, or gone
  int64_t on_core_ns = 0, waiting_ns = 0;
};

class ThreadSource final : public SampleSource {
 public:
  ThreadSource(const std::string& root, uint32_t process, const DefinitionLog& log)
      : root_(root), process_(process), log_(log) {}

  int64_t sample(SampleSink& sink) override {
    const int64_t now_ns = monotonic_ns();
    if (!slow_.due(now_ns, sink.last_tick())) return slow_.next_ns();
    const size_t before = threads_.size();
    watch_new_threads();
    for (Watched& thread : threads_) sample_thread(thread, sink);
    // Shares are of the time since the reading before: that of a new thread comes at the next tick.
    if (threads_.size() == before) slow_.ran(now_ns, monotonic_ns());
    return slow_.next_ns();
  }

 private:
  void watch_new_threads() {
    for (const ThreadDefinition& thread : log_.threads_from(known_)) {
      ++known_;
      if (thread.pid != process_ || threads_.size() >= kMostThreads) continue;
      const auto tid = static_cast<unsigned long long>(thread.tid);
      threads_.push_back({thread.index, KernelFile(format_text("%s/proc/self/task/%llu/schedstat",
                                                               root_.c_str(), tid))});
    }
  }

  static void sample_thread(Watched& thread, SampleSink& sink) {
    // Nanoseconds on a core, nanoseconds runnable without one, times it got one.
    const int64_t now_ns = monotonic_ns();
    const auto text = thread.file.read();
    const std::vector<int64_t> numbers = text ? numbers_of(*text) : std::vector<int64_t>();
    if (numbers.size() < 2) {
      thread.before_ns = 0;
      return;
    }
    if (thread.before_ns != 0 && now_ns > thread.before_ns) {
      const auto wall_ns = static_cast<double>(now_ns - thread.before_ns);
      sink.put(Metric::thread_cpu, thread.index, now_ns,
               static_cast<double>(numbers[0] - thread.on_core_ns) / wall_ns);
      sink.put(Metric::thread_runnable, thread.index, now_ns,
               static_cast<double>(numbers[1] - thread.waiting_ns) / wall_ns);
    }
    thread.before_ns = now_ns;
    thread.on_core_ns = numbers[0];
    thread.waiting_ns = numbers[1];
  }

  const std::string root_;
  const uint32_t process_;
  const DefinitionLog& log_;
  size_t known_ = 0;
  std::vector<Watched> threads_;
  Pace slow_{kSlowPeriod_ns};
};

}  // namespace

std::unique_ptr<SampleSource> make_thread_source(const std::string& root, uint32_t process,
                                                 const DefinitionLog& log) {
  return std::make_unique<ThreadSource>(root, process, log);
}

}  // namespace deepprof
