// Builds buffers of CUPTI records for tests, by our own offsets and any record size.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "libdeepprof/cupti/records.h"
#include "libdeepprof/cupti/strides.h"

namespace deepprof::test {

// The record sizes of CUPTI 13.0.
inline cupti::Strides strides_of_13_0() {
  using cupti::ActivityKind;
  cupti::Strides strides;
  const auto set = [&](ActivityKind kind, uint16_t bytes) {
    strides.bytes[static_cast<size_t>(kind)] = bytes;
  };
  set(ActivityKind::kernel, 216);
  set(ActivityKind::concurrent_kernel, 216);
  set(ActivityKind::memcpy, 96);
  set(ActivityKind::memcpy2, 96);
  set(ActivityKind::memset, 88);
  set(ActivityKind::synchronization, 56);
  set(ActivityKind::graph_trace, 56);
  set(ActivityKind::overhead, 56);
  set(ActivityKind::memory2, 128);
  set(ActivityKind::runtime, 40);
  set(ActivityKind::driver, 40);
  return strides;
}

class RecordBuffer {
 public:
  explicit RecordBuffer(const cupti::Strides& strides) : strides_(strides) {}

  // A zeroed record of the kind; put() then fills the newest record.
  RecordBuffer& add(cupti::ActivityKind kind) {
    newest_ = bytes_.size();
    bytes_.insert(bytes_.end(), strides_[static_cast<uint32_t>(kind)], 0);
    return put(cupti::kRecordKind, static_cast<uint32_t>(kind));
  }
  template <typename T>
  RecordBuffer& put(cupti::Field<T> field, T value) {
    std::memcpy(&bytes_[newest_ + field.offset], &value, sizeof value);
    return *this;
  }
  RecordBuffer& kernel(const char* name, uint64_t start, uint64_t end, uint32_t correlation = 1) {
    using Layout = cupti::KernelLayout;
    return add(cupti::ActivityKind::concurrent_kernel)
        .put(Layout::name, name)
        .put(Layout::start, start)
        .put(Layout::end, end)
        .put(Layout::correlation, correlation);
  }

  std::vector<uint8_t>& bytes() { return bytes_; }

 private:
  const cupti::Strides& strides_;
  std::vector<uint8_t> bytes_;
  size_t newest_ = 0;
};

}  // namespace deepprof::test
