// The record layouts of CUPTI, own definitions. In every family the newer struct keeps all fields
// of the older ones at their offsets, so the newest struct serves all versions: a CUPTI of version
// V writes the first `Version::..._bytes` bytes of it. test/fake/cupti/layout_check.cc holds each
// size and offset against genuine headers where they are installed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace deepprof::fake {

enum ActivityKind : uint32_t {
  kMemcpyKind = 1,
  kMemsetKind = 2,
  kKernelKind = 3,
  kDriverKind = 4,
  kRuntimeKind = 5,
  kConcurrentKernelKind = 10,
  kNameKind = 11,
  kOverheadKind = 17,
  kPeerMemcpyKind = 22,
  kSynchronizationKind = 38,
  kExternalCorrelationKind = 39,
  kMemory2Kind = 49,
  kGraphTraceKind = 51,
  kActivityKinds = 63,  // above every genuine number
  kOwnCalls = 63,       // only in accounts: calls into the driver that no recording holds
  kAccountKinds = 64,
};

struct KernelRecord {  // Kernel13
  uint32_t kind;
  uint8_t cache_config, shared_memory_config;
  uint16_t registers_per_thread;
  uint32_t partitioned_cache_requested, partitioned_cache_executed;
  uint64_t start, end, completed;
  uint32_t device, context, stream;
  int32_t grid[3], block[3];
  int32_t static_shared_memory, dynamic_shared_memory;
  uint32_t local_memory_per_thread, local_memory_total, correlation;
  int64_t grid_id;
  const char* name;
  void* reserved;
  uint64_t queued, submitted;
  uint8_t launch_type, carveout_requested, carveout, padding;
  uint32_t shared_memory_executed;
  uint64_t graph_node;
  uint32_t shmem_limit_config, graph;
  void* access_policy_window;
  uint32_t channel, channel_type;
  uint32_t cluster[3], cluster_scheduling_policy;
  uint64_t local_memory_total_v2;
  uint32_t max_potential_cluster_size, max_active_clusters;
  uint8_t is_device_launched, padding3[7];
  int32_t priority;
  uint32_t padding4, execution_model, padding5, source_graph, padding6;
  uint64_t source_graph_node;
};
static_assert(sizeof(KernelRecord) == 248);

struct MemcpyRecord {  // Memcpy7
  uint32_t kind;
  uint8_t copy_kind, source_kind, destination_kind, flags;
  uint64_t bytes, start, end;
  uint32_t device, context, stream, correlation, runtime_correlation, pad;
  void* reserved;
  uint64_t graph_node;
  uint32_t graph, channel, channel_type;
  uint8_t is_device_launched, pad2[3];
  uint64_t copy_count;
  uint32_t source_graph, pad3;
  uint64_t source_graph_node;
};
static_assert(sizeof(MemcpyRecord) == 112);

struct PeerMemcpyRecord {  // MemcpyPtoP4
  uint32_t kind;
  uint8_t copy_kind, source_kind, destination_kind, flags;
  uint64_t bytes, start, end;
  uint32_t device, context, stream, source_device, source_context, destination_device,
      destination_context, correlation;
  void* reserved;
  uint64_t graph_node;
  uint32_t graph, channel, channel_type, pad;
};
static_assert(sizeof(PeerMemcpyRecord) == 96);

struct MemsetRecord {  // Memset5
  uint32_t kind, value;
  uint64_t bytes, start, end;
  uint32_t device, context, stream, correlation;
  uint16_t flags, memory_kind;
  uint32_t pad;
  void* reserved;
  uint64_t graph_node;
  uint32_t graph, channel, channel_type;
  uint8_t is_device_launched, pad2[3];
  uint32_t source_graph, pad3;
  uint64_t source_graph_node;
};
static_assert(sizeof(MemsetRecord) == 104);

struct SynchronizationRecord {  // Synchronization2
  uint32_t kind, type;
  uint64_t start, end;
  uint32_t correlation, context, stream, event;
  uint64_t event_sync;
  uint32_t return_value, pad;
};
static_assert(sizeof(SynchronizationRecord) == 56);

struct GraphTraceRecord {  // GraphTrace2
  uint32_t kind, correlation;
  uint64_t start, end;
  uint32_t device, graph, context, stream;
  void* reserved;
  uint32_t end_device, end_context;
};
static_assert(sizeof(GraphTraceRecord) == 56);

struct OverheadRecord {  // Overhead3
  uint32_t kind, overhead_kind, object_kind, process, thread, unused;
  uint64_t start, end;
  uint32_t correlation, reserved;
  void* data;
};
static_assert(sizeof(OverheadRecord) == 56);

struct MemoryRecord {  // Memory4
  uint32_t kind, operation, memory_kind, correlation;
  uint64_t address, bytes, timestamp, pc;
  uint32_t process, device, context, stream;
  const char* name;
  uint32_t is_async, pad1;
  uint32_t pool_type, pad2;
  uint64_t pool_address, pool_release_threshold, pool_size, pool_utilized;
  const char* source;
};
static_assert(sizeof(MemoryRecord) == 128);

struct ApiRecord {
  uint32_t kind, call_id;
  uint64_t start, end;
  uint32_t process, thread, correlation, return_value;
};
static_assert(sizeof(ApiRecord) == 40);

struct NameRecord {
  uint32_t kind, object_kind, process, thread, unused, pad;
  const char* name;
};
static_assert(sizeof(NameRecord) == 32);

}  // namespace deepprof::fake
