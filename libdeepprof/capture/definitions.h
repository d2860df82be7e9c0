// What the trace must know before the events that use it: names, threads, devices, facts. They are rare, so
// they travel from the collector to the drain thread in a locked list beside the ring: published before
// the first event that needs them, taken before the drain thread looks at that event. No thread of the
// job ever comes here.
#pragma once

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
using Definition = std::variant<NameDefinition, ThreadDefinition, DeviceDefinition, FactDefinition>;

class DefinitionLog {
 public:
  void publish(Definition definition) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(definition));
  }
  // Everything published since the last call, in order.
  std::vector<Definition> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(waiting_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<Definition> waiting_;
};

}  // namespace deepprof
