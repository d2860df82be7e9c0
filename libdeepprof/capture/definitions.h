// What the trace must know before the events that use it: names, threads, devices, facts; and
// sampled values. They are rare, so they travel to the drain thread in a locked list beside the
// ring: published before the first event that needs them, taken before the drain thread looks at
// that event. No thread of the job ever comes here.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "libdeepprof/event/event.h"

namespace deepprof {

struct NameDefinition {
  NameId id;
  std::string name;
};
struct ThreadDefinition {
  uint32_t index;
  uint32_t pid;
  uint64_t tid;
  std::string name;
};
struct DeviceDefinition {
  uint32_t id;
  std::string name;
  uint32_t sm_count;
  uint64_t memory_bytes;
  uint32_t compute_major, compute_minor;
  uint32_t max_threads_per_sm;
};
struct FactDefinition {
  std::string key, value;
};
struct SampledValue {
  int64_t time_ns;  // in the GPU records' clock
  NameId metric;
  uint32_t device;  // UINT32_MAX: the host
  double value;
};
struct SampleBatch {
  std::vector<SampledValue> samples;
  // of the whole run so far (trace/sample_totals.h), now and then; empty: not this time
  std::string totals;
};
using Definition =
    std::variant<NameDefinition, ThreadDefinition, DeviceDefinition, FactDefinition, SampleBatch>;

class DefinitionLog {
 public:
  void publish(Definition definition) {
    const std::lock_guard lock(mutex_);
    if (const auto* thread = std::get_if<ThreadDefinition>(&definition))
      threads_.push_back(*thread);
    waiting_.push_back(std::move(definition));
  }
  // False: with it more than `most` values would wait, because the disk takes none.
  bool publish_if_room(SampleBatch batch, size_t most) {
    const std::lock_guard lock(mutex_);
    if (waiting_samples_ + batch.samples.size() > most) return false;
    waiting_samples_ += batch.samples.size();
    waiting_.push_back(std::move(batch));
    return true;
  }
  // Everything published since the last call, in order.
  std::vector<Definition> take() {
    const std::lock_guard lock(mutex_);
    waiting_samples_ = 0;
    return std::exchange(waiting_, {});
  }
  // The threads published so far, from the `known`th on.
  std::vector<ThreadDefinition> threads_from(size_t known) const {
    const std::lock_guard lock(mutex_);
    return {threads_.begin() + static_cast<std::ptrdiff_t>(std::min(known, threads_.size())),
            threads_.end()};
  }

 private:
  mutable std::mutex mutex_;
  std::vector<Definition> waiting_;
  size_t waiting_samples_ = 0;
  std::vector<ThreadDefinition> threads_;
};

}  // namespace deepprof
