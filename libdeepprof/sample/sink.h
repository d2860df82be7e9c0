// Where a sampler puts what it reads: batches on their way to the drain thread. Its thread only.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "libdeepprof/capture/clock.h"
#include "libdeepprof/capture/definitions.h"
#include "libdeepprof/event/event.h"
#include "libdeepprof/event/metric.h"
#include "libdeepprof/trace/sample_totals.h"

namespace deepprof {

// The id of each metric's name in the trace.
using MetricNames = std::array<NameId, kMetricCount>;

// What all samplers of a trace count together. Any thread.
class SampleAccount {
 public:
  struct Lost {
    const char* fact;
    std::atomic<size_t> count{0}, told{0};
  };
  Lost dropped{"samples_dropped"};        // values that found no room
  Lost impossible{"samples_impossible"};  // and those that cannot be (MetricInfo::can_be)

  // `metrics`: of each sample.
  void add(const SampleBatch& batch, const std::vector<Metric>& metrics) {
    const std::lock_guard lock(mutex_);
    for (size_t i = 0; i < batch.samples.size(); ++i) {
      const SampledValue& sample = batch.samples[i];
      totals_.add(metrics[i], sample.device, sample.time_ns, sample.value);
    }
  }
  // The totals so far, as they are stored; empty where nothing was sampled.
  std::string totals() const {
    const std::lock_guard lock(mutex_);
    return totals_.series().empty() ? std::string() : totals_.encode();
  }
  // True once in five seconds: a killed job loses the totals since they were stored last.
  bool totals_are_due(int64_t monotonic_ns) {
    constexpr int64_t kBetween_ns = 5'000'000'000;
    int64_t due_ns = due_ns_;
    return monotonic_ns >= due_ns &&
           due_ns_.compare_exchange_strong(due_ns, monotonic_ns + kBetween_ns);
  }

 private:
  mutable std::mutex mutex_;
  SampleTotals totals_;
  std::atomic<int64_t> due_ns_{INT64_MIN};
};

class SampleSink {
 public:
  // So many values may wait for the drain thread, about a minute's of eight GPUs; what comes on top
  // is dropped and counted in the fact "samples_dropped".
  static constexpr size_t kMostWaiting = 65'536;

  SampleSink(const RecordsClock& clock, const MetricNames& names, DefinitionLog& log,
             SampleAccount& account)
      : clock_(clock), names_(names), log_(log), account_(account) {}

  // `monotonic_ns`: when the value was read. False: it cannot be, and is left out.
  bool put(Metric metric, uint32_t device, int64_t monotonic_ns, double value);
  // The metric cannot be had, and why; told once, as the fact "na.gpu_energy_mj.gpu0" or
  // "na.cpu_energy_mj".
  void unavailable(Metric metric, uint32_t device, const std::string& reason);
  void fact(std::string key, std::string value);

  // The run ends: what is read now is the last.
  bool last_tick() const { return last_tick_; }
  void begin_last_tick() { last_tick_ = true; }

  void flush();
  // flush() tells once values find room again; whoever ends the sampling has to tell what was lost
  // at the end.
  void tell_lost();

 private:
  const RecordsClock& clock_;
  const MetricNames names_;
  DefinitionLog& log_;
  SampleBatch batch_;
  std::vector<Metric> metrics_;  // of the batch's samples
  SampleAccount& account_;
  bool last_tick_ = false;
  std::set<std::pair<Metric, uint32_t>> told_;
};

}  // namespace deepprof
