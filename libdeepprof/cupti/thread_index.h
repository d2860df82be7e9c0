// From CUPTI's thread ids to the trace's dense thread indices; each new thread is published for the
// trace, and once more when the kernel's number of it becomes known. Collector thread only.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "libdeepprof/capture/definitions.h"
#include "libdeepprof/cupti/thread_numbers.h"

namespace deepprof::cupti {

class ThreadIndex {
 public:
  ThreadIndex(DefinitionLog& log, ThreadNumbers& numbers) : log_(log), numbers_(numbers) {}

  // Call before each buffer.
  void begin_buffer() {
    std::erase_if(unknown_,
                  [this](const ThreadDefinition& thread) { return publish_with_number(thread); });
  }

  uint32_t index_of(uint32_t process, uint32_t thread) {
    const uint64_t key = uint64_t{process} << 32 | thread;
    if (key == last_key_) return last_index_;  // records of one thread come in runs
    const auto [found, is_new] = indices_.try_emplace(key, static_cast<uint32_t>(indices_.size()));
    if (is_new) publish(ThreadDefinition{found->second, process, thread, ""});
    last_key_ = key;
    return last_index_ = found->second;
  }

 private:
  static constexpr size_t kMostUnknown = 256;

  void publish(const ThreadDefinition& thread) {
    if (publish_with_number(thread)) return;
    log_.publish(thread);
    if (unknown_.size() < kMostUnknown) unknown_.push_back(thread);
  }

  bool publish_with_number(ThreadDefinition thread) {
    const uint32_t number = numbers_.of(static_cast<uint32_t>(thread.tid));
    if (number == 0) return false;
    thread.tid = number;
    log_.publish(std::move(thread));
    return true;
  }

  DefinitionLog& log_;
  ThreadNumbers& numbers_;
  std::unordered_map<uint64_t, uint32_t> indices_;
  std::vector<ThreadDefinition> unknown_;
  uint64_t last_key_ = UINT64_MAX;
  uint32_t last_index_ = 0;
};

}  // namespace deepprof::cupti
