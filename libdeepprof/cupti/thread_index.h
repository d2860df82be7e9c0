// From CUPTI's thread ids to the trace's dense thread indices; each new thread is published for the trace.
// Collector thread only.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "libdeepprof/capture/definitions.h"

namespace deepprof::cupti {

class ThreadIndex {
 public:
  explicit ThreadIndex(DefinitionLog& log) : log_(log) {}

  uint32_t index_of(uint32_t process, uint32_t thread) {
    const uint64_t key = uint64_t{process} << 32 | thread;
    if (key == last_key_) return last_index_;  // records of one thread come in runs
    const auto [found, is_new] = indices_.try_emplace(key, static_cast<uint32_t>(indices_.size()));
    if (is_new) log_.publish(ThreadDefinition{found->second, process, thread, ""});
    last_key_ = key;
    return last_index_ = found->second;
  }

 private:
  DefinitionLog& log_;
  std::unordered_map<uint64_t, uint32_t> indices_;
  uint64_t last_key_ = UINT64_MAX;
  uint32_t last_index_ = 0;
};

}  // namespace deepprof::cupti
