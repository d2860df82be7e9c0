// CUPTI's activity records by fixed offsets: what lets one binary, built without any CUDA toolkit,
// read the records of CUPTI 11.8, 12.x and 13.x.
//
// In every family below a newer struct keeps all earlier fields where they were and only grows at
// its tail (Kernel4 of CUDA 9 has 144 bytes, Kernel13 of CUDA 13.4 more than 216), and a CUPTI
// writes the newest struct it knows. So a field is read at its offset if offset + size lies within
// the record size that the loaded library was probed to use (strides.h). test/cupti checks every
// offset against genuine headers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace deepprof::cupti {

// CUpti_ActivityKind: the kinds that this version decodes.
enum class ActivityKind : uint32_t {
  memcpy = 1,
  memset = 2,
  kernel = 3,  // serialized kernels; same record as concurrent_kernel
  driver = 4,
  runtime = 5,
  concurrent_kernel = 10,
  overhead = 17,
  memcpy2 = 22,  // peer copies
  synchronization = 38,
  memory2 = 49,  // a step of what is allocated; MEMORY (45) tells of a piece once it is gone
  graph_trace = 51,
};

// One past the largest kind number for which a record size is probed, known to us or not.
inline constexpr uint32_t kKindLimit = 96;

template <typename T>
struct Field {
  size_t offset;

  T read(const uint8_t* record) const {
    T value;
    std::memcpy(&value, record + offset, sizeof(T));
    return value;
  }
  bool within(size_t record_bytes) const { return offset + sizeof(T) <= record_bytes; }
};

inline constexpr Field<uint32_t> kRecordKind{0};

// CUpti_ActivityKernel4 and later.
struct KernelLayout {
  static constexpr size_t kBaseBytes = 144;
  static constexpr Field<uint16_t> registers{6};
  static constexpr Field<uint64_t> start{16}, end{24};
  static constexpr Field<uint32_t> device{40}, context{44}, stream{48};
  static constexpr Field<uint32_t> grid_x{52}, grid_y{56}, grid_z{60};
  static constexpr Field<uint32_t> block_x{64}, block_y{68}, block_z{72};
  static constexpr Field<uint32_t> static_shared{76}, dynamic_shared{80};
  static constexpr Field<uint32_t> correlation{92};
  static constexpr Field<const char*> name{104};
  static constexpr Field<uint64_t> graph_node{144};  // since CUDA 11.0
};

// CUpti_ActivityMemcpy and later.
struct MemcpyLayout {
  static constexpr size_t kBaseBytes = 64;
  static constexpr Field<uint8_t> copy_kind{4}, source{5}, destination{6};
  static constexpr Field<uint64_t> bytes{8}, start{16}, end{24};
  static constexpr Field<uint32_t> device{32}, context{36}, stream{40}, correlation{44};
  static constexpr Field<uint64_t> graph_node{64};
};

// CUpti_ActivityMemcpyPtoP and later.
struct PeerCopyLayout {
  static constexpr size_t kBaseBytes = 72;
  static constexpr Field<uint8_t> copy_kind{4}, source{5}, destination{6};
  static constexpr Field<uint64_t> bytes{8}, start{16}, end{24};
  static constexpr Field<uint32_t> device{32}, context{36}, stream{40};
  static constexpr Field<uint32_t> source_device{44}, destination_device{52}, correlation{60};
  static constexpr Field<uint64_t> graph_node{72};
};

// CUpti_ActivityMemset and later.
struct MemsetLayout {
  static constexpr size_t kBaseBytes = 64;
  static constexpr Field<uint64_t> bytes{8}, start{16}, end{24};
  static constexpr Field<uint32_t> device{32}, context{36}, stream{40}, correlation{44};
  static constexpr Field<uint16_t> memory_kind{50};
  static constexpr Field<uint64_t> graph_node{64};
};

// CUpti_ActivitySynchronization and later.
struct SynchronizationLayout {
  static constexpr size_t kBaseBytes = 40;
  static constexpr Field<uint32_t> type{4};
  static constexpr Field<uint64_t> start{8}, end{16};
  static constexpr Field<uint32_t> correlation{24}, context{28}, stream{32}, event{36};
};

// CUpti_ActivityGraphTrace and later. CUPTI's `graphId` is the id of the instantiated graph.
struct GraphTraceLayout {
  static constexpr size_t kBaseBytes = 48;
  static constexpr Field<uint32_t> correlation{4};
  static constexpr Field<uint64_t> start{8}, end{16};
  static constexpr Field<uint32_t> device{24}, graph{28}, context{32}, stream{36};
};

// CUpti_ActivityOverhead and later.
struct OverheadLayout {
  static constexpr size_t kBaseBytes = 40;
  static constexpr Field<uint32_t> overhead_kind{4};
  static constexpr Field<uint64_t> start{24}, end{32};
};

// CUpti_ActivityMemory2 and later.
struct MemoryLayout {
  static constexpr size_t kBaseBytes = 112;
  static constexpr Field<uint32_t> operation{4}, memory_kind{8}, correlation{12};
  static constexpr Field<uint64_t> address{16}, bytes{24}, time{32};
  static constexpr Field<uint32_t> device{52}, is_async{72}, pool_type{80};
  static constexpr Field<uint64_t> pool_address{88}, pool_bytes{104};
};

// CUpti_ActivityAPI.
struct ApiLayout {
  static constexpr size_t kBaseBytes = 40;
  static constexpr Field<uint32_t> cbid{4};
  static constexpr Field<uint64_t> start{8}, end{16};
  static constexpr Field<uint32_t> process{24}, thread{28}, correlation{32};
};

// The smallest record of a kind that this version can read; 0: a kind that it does not decode.
constexpr size_t base_record_bytes(uint32_t kind) {
  switch (static_cast<ActivityKind>(kind)) {
    case ActivityKind::kernel:
    case ActivityKind::concurrent_kernel: return KernelLayout::kBaseBytes;
    case ActivityKind::memcpy: return MemcpyLayout::kBaseBytes;
    case ActivityKind::memcpy2: return PeerCopyLayout::kBaseBytes;
    case ActivityKind::memset: return MemsetLayout::kBaseBytes;
    case ActivityKind::synchronization: return SynchronizationLayout::kBaseBytes;
    case ActivityKind::graph_trace: return GraphTraceLayout::kBaseBytes;
    case ActivityKind::overhead: return OverheadLayout::kBaseBytes;
    case ActivityKind::memory2: return MemoryLayout::kBaseBytes;
    case ActivityKind::driver:
    case ActivityKind::runtime: return ApiLayout::kBaseBytes;
  }
  return 0;
}

}  // namespace deepprof::cupti
