// Compiled once for every genuine CUPTI release that is installed: our own record layouts and sizes
// against that release's headers. A difference stops the build; there is nothing to run.
// Not cupti.h: it needs a CUDA toolkit of the very same release.
#include <cupti_activity.h>
#include <cupti_version.h>

#include <initializer_list>

#include "test/fake/cupti/records.h"
#include "test/fake/cupti/version.h"

namespace deepprof::fake {
namespace {

#if CUPTI_API_VERSION >= 130400
using Kernel = CUpti_ActivityKernel13;
using Memcpy = CUpti_ActivityMemcpy7;
using Memset = CUpti_ActivityMemset5;
#elif CUPTI_API_VERSION >= 130000
using Kernel = CUpti_ActivityKernel10;
using Memcpy = CUpti_ActivityMemcpy6;
using Memset = CUpti_ActivityMemset4;
#elif CUPTI_API_VERSION >= 26  // 12.8
using Kernel = CUpti_ActivityKernel9;
using Memcpy = CUpti_ActivityMemcpy6;
using Memset = CUpti_ActivityMemset4;
#elif CUPTI_API_VERSION >= 20  // 12.0
using Kernel = CUpti_ActivityKernel9;
using Memcpy = CUpti_ActivityMemcpy5;
using Memset = CUpti_ActivityMemset4;
#else                          // 11.8
using Kernel = CUpti_ActivityKernel8;
using Memcpy = CUpti_ActivityMemcpy5;
using Memset = CUpti_ActivityMemset4;
#endif
using PeerMemcpy = CUpti_ActivityMemcpyPtoP4;
#if CUPTI_API_VERSION >= 26
using Synchronization = CUpti_ActivitySynchronization2;
#else
using Synchronization = CUpti_ActivitySynchronization;
#endif
#if CUPTI_API_VERSION >= 20
using GraphTrace = CUpti_ActivityGraphTrace2;
using Overhead = CUpti_ActivityOverhead3;
#else
using GraphTrace = CUpti_ActivityGraphTrace;
using Overhead = CUpti_ActivityOverhead;
#endif

#if CUPTI_API_VERSION >= 28
using Memory = CUpti_ActivityMemory4;
#else
using Memory = CUpti_ActivityMemory3;
#endif

#define SAME(Ours, ours, Theirs, theirs)                           \
  static_assert(offsetof(Ours, ours) == offsetof(Theirs, theirs)); \
  static_assert(sizeof(Ours::ours) == sizeof(Theirs::theirs))

SAME(KernelRecord, registers_per_thread, Kernel, registersPerThread);
SAME(KernelRecord, start, Kernel, start);
SAME(KernelRecord, end, Kernel, end);
SAME(KernelRecord, completed, Kernel, completed);
SAME(KernelRecord, device, Kernel, deviceId);
SAME(KernelRecord, context, Kernel, contextId);
SAME(KernelRecord, stream, Kernel, streamId);
static_assert(offsetof(KernelRecord, grid) == offsetof(Kernel, gridX));
static_assert(offsetof(KernelRecord, block) == offsetof(Kernel, blockX));
SAME(KernelRecord, static_shared_memory, Kernel, staticSharedMemory);
SAME(KernelRecord, dynamic_shared_memory, Kernel, dynamicSharedMemory);
SAME(KernelRecord, correlation, Kernel, correlationId);
SAME(KernelRecord, grid_id, Kernel, gridId);
SAME(KernelRecord, name, Kernel, name);
SAME(KernelRecord, queued, Kernel, queued);
SAME(KernelRecord, submitted, Kernel, submitted);
SAME(KernelRecord, graph_node, Kernel, graphNodeId);
SAME(KernelRecord, graph, Kernel, graphId);
static_assert(offsetof(KernelRecord, cluster) == offsetof(Kernel, clusterX));

SAME(MemcpyRecord, copy_kind, Memcpy, copyKind);
SAME(MemcpyRecord, source_kind, Memcpy, srcKind);
SAME(MemcpyRecord, destination_kind, Memcpy, dstKind);
SAME(MemcpyRecord, bytes, Memcpy, bytes);
SAME(MemcpyRecord, start, Memcpy, start);
SAME(MemcpyRecord, end, Memcpy, end);
SAME(MemcpyRecord, device, Memcpy, deviceId);
SAME(MemcpyRecord, stream, Memcpy, streamId);
SAME(MemcpyRecord, correlation, Memcpy, correlationId);
SAME(MemcpyRecord, graph_node, Memcpy, graphNodeId);
SAME(MemcpyRecord, graph, Memcpy, graphId);

SAME(PeerMemcpyRecord, bytes, PeerMemcpy, bytes);
SAME(PeerMemcpyRecord, start, PeerMemcpy, start);
SAME(PeerMemcpyRecord, device, PeerMemcpy, deviceId);
SAME(PeerMemcpyRecord, stream, PeerMemcpy, streamId);
SAME(PeerMemcpyRecord, source_device, PeerMemcpy, srcDeviceId);
SAME(PeerMemcpyRecord, destination_device, PeerMemcpy, dstDeviceId);
SAME(PeerMemcpyRecord, correlation, PeerMemcpy, correlationId);
SAME(PeerMemcpyRecord, graph_node, PeerMemcpy, graphNodeId);

SAME(MemsetRecord, bytes, Memset, bytes);
SAME(MemsetRecord, start, Memset, start);
SAME(MemsetRecord, device, Memset, deviceId);
SAME(MemsetRecord, stream, Memset, streamId);
SAME(MemsetRecord, correlation, Memset, correlationId);
SAME(MemsetRecord, memory_kind, Memset, memoryKind);
SAME(MemsetRecord, graph_node, Memset, graphNodeId);

SAME(SynchronizationRecord, type, Synchronization, type);
SAME(SynchronizationRecord, start, Synchronization, start);
SAME(SynchronizationRecord, correlation, Synchronization, correlationId);
SAME(SynchronizationRecord, context, Synchronization, contextId);
SAME(SynchronizationRecord, stream, Synchronization, streamId);
SAME(SynchronizationRecord, event, Synchronization, cudaEventId);

SAME(GraphTraceRecord, correlation, GraphTrace, correlationId);
SAME(GraphTraceRecord, start, GraphTrace, start);
SAME(GraphTraceRecord, device, GraphTrace, deviceId);
SAME(GraphTraceRecord, graph, GraphTrace, graphId);
SAME(GraphTraceRecord, stream, GraphTrace, streamId);

SAME(OverheadRecord, overhead_kind, Overhead, overheadKind);
SAME(OverheadRecord, start, Overhead, start);
SAME(OverheadRecord, end, Overhead, end);

SAME(MemoryRecord, operation, Memory, memoryOperationType);
SAME(MemoryRecord, memory_kind, Memory, memoryKind);
SAME(MemoryRecord, correlation, Memory, correlationId);
SAME(MemoryRecord, address, Memory, address);
SAME(MemoryRecord, bytes, Memory, bytes);
SAME(MemoryRecord, timestamp, Memory, timestamp);
SAME(MemoryRecord, device, Memory, deviceId);
SAME(MemoryRecord, stream, Memory, streamId);
SAME(MemoryRecord, is_async, Memory, isAsync);
static_assert(offsetof(MemoryRecord, pool_type) == offsetof(Memory, memoryPoolConfig));

SAME(ApiRecord, call_id, CUpti_ActivityAPI, cbid);
SAME(ApiRecord, start, CUpti_ActivityAPI, start);
SAME(ApiRecord, process, CUpti_ActivityAPI, processId);
SAME(ApiRecord, thread, CUpti_ActivityAPI, threadId);
SAME(ApiRecord, correlation, CUpti_ActivityAPI, correlationId);
static_assert(sizeof(ApiRecord) == sizeof(CUpti_ActivityAPI));

constexpr Version version_of(uint32_t api) {
  for (const Version& version : {kVersion118, kVersion129, kVersion130, kVersion134}) {
    if (version.api == api) return version;
  }
  // A release between ours: its sizes are not checked, its offsets are.
  return {api,
          sizeof(Kernel),
          sizeof(Memcpy),
          sizeof(PeerMemcpy),
          sizeof(Memset),
          sizeof(Synchronization),
          sizeof(GraphTrace),
          sizeof(Overhead),
          sizeof(Memory),
          0,
          false,
          0,
          0,
          false,
          false,
          false};
}
constexpr Version kThis = version_of(CUPTI_API_VERSION);
static_assert(sizeof(Kernel) == kThis.kernel_bytes);
static_assert(sizeof(Memcpy) == kThis.memcpy_bytes);
static_assert(sizeof(PeerMemcpy) == kThis.peer_memcpy_bytes);
static_assert(sizeof(Memset) == kThis.memset_bytes);
static_assert(sizeof(Synchronization) == kThis.synchronization_bytes);
static_assert(sizeof(GraphTrace) == kThis.graph_trace_bytes);
static_assert(sizeof(Overhead) == kThis.overhead_bytes);
static_assert(sizeof(Memory) == kThis.memory_bytes);

static_assert(int{kConcurrentKernelKind} == int{CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL});
static_assert(int{kOverheadKind} == int{CUPTI_ACTIVITY_KIND_OVERHEAD});
static_assert(int{kPeerMemcpyKind} == int{CUPTI_ACTIVITY_KIND_MEMCPY2});
static_assert(int{kSynchronizationKind} == int{CUPTI_ACTIVITY_KIND_SYNCHRONIZATION});
static_assert(int{kMemory2Kind} == int{CUPTI_ACTIVITY_KIND_MEMORY2});
static_assert(int{kGraphTraceKind} == int{CUPTI_ACTIVITY_KIND_GRAPH_TRACE});
static_assert(int{kMultipleSubscribers} == int{CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED});
static_assert(int{kMaxLimitReached} == int{CUPTI_ERROR_MAX_LIMIT_REACHED});
static_assert(int{kNotCompatible} == int{CUPTI_ERROR_NOT_COMPATIBLE});

}  // namespace
}  // namespace deepprof::fake
