// From CUPTI's stream ids to the trace's tracks. CUPTI numbers streams within a context: two
// contexts on one device (several frameworks in a process, green contexts) both have a stream 7,
// and their ops may overlap. The streams of a device's first context, in nearly every job the only
// one, keep their numbers; those of its second are 10,000,007 and so on. Collector thread only.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>

namespace deepprof::cupti {

class StreamTracks {
 public:
  static constexpr uint32_t kNextContext = 10'000'000;

  // Of a GPU op.
  uint32_t track_of(uint8_t device, uint32_t context, uint32_t stream) {
    if (context != last_context_) {
      const auto [found, is_new] =
          base_of_context_.try_emplace(context, contexts_of_device_[device] * kNextContext);
      if (is_new && contexts_of_device_[device] < kMostContexts) ++contexts_of_device_[device];
      last_context_ = context;
      last_base_ = found->second;
    }
    return stream + last_base_;
  }
  // Of a wait, whose record names no device. `stream` UINT32_MAX: of no stream.
  uint32_t track_of_wait(uint32_t context, uint32_t stream) const {
    const auto found = base_of_context_.find(context);
    return stream == UINT32_MAX || found == base_of_context_.end() ? stream
                                                                   : stream + found->second;
  }

 private:
  static constexpr uint32_t kMostContexts = 400;  // more share the last base: tracks have 32 bits

  std::unordered_map<uint32_t, uint32_t> base_of_context_;
  std::array<uint32_t, 256> contexts_of_device_{};
  uint64_t last_context_ = UINT64_MAX;
  uint32_t last_base_ = 0;
};

}  // namespace deepprof::cupti
