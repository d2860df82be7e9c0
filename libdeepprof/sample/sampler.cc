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
  int64_t next_ns = monotonic_ns();
  while (!stop_.load(std::memory_order_acquire)) {
    tick(sources);
    next_ns = std::max(next_ns + interval_ns_, monotonic_ns());
    bell_.wait_for(next_ns - monotonic_ns());
  }
  sink_.begin_last_tick();
  tick(sources);
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

void Sampler::tick(const Sources& sources) {
  for (const auto& source : sources) source->sample(sink_);
  sink_.flush();
}

}  // namespace deepprof
