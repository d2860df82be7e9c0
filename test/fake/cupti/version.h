// What the versions of CUPTI differ in, as far as a client can see. FAKE_CUPTI is set by CMake: one
// shared library is built from the same sources for each version.
#pragma once

#include <cstddef>
#include <cstdint>

#include "test/fake/cupti/records.h"

namespace deepprof::fake {

struct Version {
  uint32_t api;  // what cuptiGetVersion says
  uint32_t kernel_bytes, memcpy_bytes, peer_memcpy_bytes, memset_bytes, synchronization_bytes,
      graph_trace_bytes, overhead_bytes, memory_bytes;
  // every one of these records has so many bytes more, of unknown meaning
  uint32_t tail_bytes;
  bool per_thread_buffers;      // by default
  int without_driver;           // the error where there is no driver
  int unknown_kind;             // cuptiActivityGetNextRecord's error for a kind it does not know
  bool crashes_on_null_buffer;  // a refused buffer request crashes it
  bool selects_calls;           // exports cuptiActivityEnableRuntimeApi and DriverApi
  bool has_v2;                  // exports the whole v2 family

  constexpr bool has_per_thread_attribute() const { return api >= 22; }  // since 12.3
};

inline constexpr Version kVersion118{18,  200, 88,    96, 88,  40,   48,    40,
                                     120, 0,   false, 15, 999, true, false, false};
inline constexpr Version kVersion129{28,  208, 96,    96, 88, 56,    56,   56,
                                     128, 0,   false, 15, 21, false, true, false};
inline constexpr Version kVersion130{130001, 216, 96,   96,  88, 56,    56,   56,
                                     128,    0,   true, 999, 21, false, true, false};
inline constexpr Version kVersion134{130401, 248, 112,  96,  104, 56,    56,   56,
                                     128,    0,   true, 999, 21,  false, true, true};
// No such CUPTI exists: every record longer than any known one, by a tail that is not zero.
inline constexpr Version kVersionFuture{130900, 248, 112,  96,  104, 56,    56,   56,
                                        128,    24,  true, 999, 21,  false, true, true};

#ifdef FAKE_CUPTI
inline constexpr Version kVersion = FAKE_CUPTI;

// The size of a kind's records; 0: this CUPTI does not know the kind.
constexpr size_t record_bytes(uint32_t kind) {
  constexpr size_t tail = kVersion.tail_bytes;
  switch (kind) {
    case kMemcpyKind: return kVersion.memcpy_bytes + tail;
    case kMemsetKind: return kVersion.memset_bytes + tail;
    case kKernelKind:
    case kConcurrentKernelKind: return kVersion.kernel_bytes + tail;
    case kDriverKind:
    case kRuntimeKind: return sizeof(ApiRecord) + tail;
    case kNameKind: return sizeof(NameRecord);
    case kOverheadKind: return kVersion.overhead_bytes + tail;
    case kPeerMemcpyKind: return kVersion.peer_memcpy_bytes + tail;
    case kSynchronizationKind: return kVersion.synchronization_bytes + tail;
    case kExternalCorrelationKind: return 24;
    case kMemory2Kind: return kVersion.memory_bytes + tail;
    case kGraphTraceKind: return kVersion.graph_trace_bytes + tail;
    default: return 0;
  }
}
#endif

enum Result : int {
  kSuccess = 0,
  kInvalidParameter = 1,
  kMaxLimitReached = 12,
  kNotCompatible = 14,
  kInvalidKind = 21,
  kMultipleSubscribers = 39,
};

}  // namespace deepprof::fake
