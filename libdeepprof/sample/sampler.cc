#include "libdeepprof/sample/sampler.h"

#include <utility>

namespace deepprof {

Sampler::Sampler(int64_t interval_ns, std::function<Sources()> make, SampleSink sink)
    : interval_ns_(interval_ns), make_(std::move(make)), sink_(std::move(sink)) {}

bool Sampler::start(const char* name, WorkerThread::Descriptors descriptors) {
  return thread_.start(name, descriptors, [this] {
    try {
      run();
    } catch (...) { end_without_memory(); }
  });
}

void Sampler::stop() {
  stop_.store(true, std::memory_order_release);
  bell_.ring();
}

void Sampler::run() {
  const Sources sources = make_();
  std::vector<int64_t> due_ns(sources.size(), kEveryTick);
  int64_t next_ns = monotonic_ns();
  while (!stop_.load(std::memory_order_acquire)) {
    tick(sources, due_ns);
    next_ns = std::max(next_ns + interval_ns_, monotonic_ns());
    bell_.wait_for(next_ns - monotonic_ns());
  }
  sink_.begin_last_tick();
  tick(sources, due_ns);
  sink_.tell_lost();
  cpu_ns_ = read_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

// The samples end here, the trace goes on.
void Sampler::end_without_memory() {
  try {
    sink_.fact(kSamplingLost, "ended: out of memory");
    sink_.tell_lost();
  } catch (...) {
    // Not even for that.
  }
}

void Sampler::tick(const Sources& sources, std::vector<int64_t>& due_ns) {
  const int64_t now_ns = monotonic_ns();
  for (size_t i = 0; i < sources.size(); ++i) {
    if (now_ns >= due_ns[i] || sink_.last_tick()) due_ns[i] = sources[i]->sample(sink_);
  }
  // Values are handed on some at a time: what that takes, locks, memory, totals, is out of the
  // processor's caches after each pause, too.
  constexpr int64_t kHeld_ns = 475'000'000;  // a little early, as ticks may be
  if (now_ns < hand_on_ns_ && !sink_.last_tick()) return;
  sink_.flush();
  hand_on_ns_ = now_ns + kHeld_ns;
}

}  // namespace deepprof
