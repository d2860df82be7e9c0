// Compiled once for every genuine CUPTI release that is installed: the offsets that we read records
// by against that release's own structs. A difference stops the build; there is nothing to run.
// Not cupti.h: it needs a CUDA toolkit of the very same release.
#include <cupti_activity.h>
#include <cupti_callbacks.h>
#include <cupti_version.h>

#include "libdeepprof/cupti/api.h"
#include "libdeepprof/cupti/records.h"
#include "libdeepprof/event/event.h"

namespace deepprof::cupti {
namespace {

#if CUPTI_API_VERSION >= 130400
using Kernel = CUpti_ActivityKernel13;
using Memcpy = CUpti_ActivityMemcpy7;
using Memset = CUpti_ActivityMemset5;
#elif CUPTI_API_VERSION >= 130000
using Kernel = CUpti_ActivityKernel10;
using Memcpy = CUpti_ActivityMemcpy6;
using Memset = CUpti_ActivityMemset4;
#else
#if CUPTI_API_VERSION >= 20
using Kernel = CUpti_ActivityKernel9;
#else
using Kernel = CUpti_ActivityKernel8;
#endif
#if CUPTI_API_VERSION >= 26
using Memcpy = CUpti_ActivityMemcpy6;
#else
using Memcpy = CUpti_ActivityMemcpy5;
#endif
using Memset = CUpti_ActivityMemset4;
#endif
using PeerCopy = CUpti_ActivityMemcpyPtoP4;
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
using Call = CUpti_ActivityAPI;
#if CUPTI_API_VERSION >= 28
using Memory = CUpti_ActivityMemory4;
#else
using Memory = CUpti_ActivityMemory3;
#endif
using MemoryPoolConfig = decltype(Memory::memoryPoolConfig);

template <typename T>
constexpr size_t size_of_field(Field<T>) {
  return sizeof(T);
}

#define SAME(Layout, ours, Theirs, theirs)                        \
  static_assert(Layout::ours.offset == offsetof(Theirs, theirs)); \
  static_assert(size_of_field(Layout::ours) == sizeof(Theirs::theirs))

SAME(KernelLayout, registers, Kernel, registersPerThread);
SAME(KernelLayout, start, Kernel, start);
SAME(KernelLayout, end, Kernel, end);
SAME(KernelLayout, device, Kernel, deviceId);
SAME(KernelLayout, context, Kernel, contextId);
SAME(KernelLayout, stream, Kernel, streamId);
SAME(KernelLayout, grid_x, Kernel, gridX);
SAME(KernelLayout, grid_y, Kernel, gridY);
SAME(KernelLayout, grid_z, Kernel, gridZ);
SAME(KernelLayout, block_x, Kernel, blockX);
SAME(KernelLayout, block_y, Kernel, blockY);
SAME(KernelLayout, block_z, Kernel, blockZ);
SAME(KernelLayout, static_shared, Kernel, staticSharedMemory);
SAME(KernelLayout, dynamic_shared, Kernel, dynamicSharedMemory);
SAME(KernelLayout, correlation, Kernel, correlationId);
SAME(KernelLayout, name, Kernel, name);
SAME(KernelLayout, graph_node, Kernel, graphNodeId);

SAME(MemcpyLayout, copy_kind, Memcpy, copyKind);
SAME(MemcpyLayout, source, Memcpy, srcKind);
SAME(MemcpyLayout, destination, Memcpy, dstKind);
SAME(MemcpyLayout, bytes, Memcpy, bytes);
SAME(MemcpyLayout, start, Memcpy, start);
SAME(MemcpyLayout, end, Memcpy, end);
SAME(MemcpyLayout, device, Memcpy, deviceId);
SAME(MemcpyLayout, context, Memcpy, contextId);
SAME(MemcpyLayout, stream, Memcpy, streamId);
SAME(MemcpyLayout, correlation, Memcpy, correlationId);
SAME(MemcpyLayout, graph_node, Memcpy, graphNodeId);

SAME(PeerCopyLayout, copy_kind, PeerCopy, copyKind);
SAME(PeerCopyLayout, source, PeerCopy, srcKind);
SAME(PeerCopyLayout, destination, PeerCopy, dstKind);
SAME(PeerCopyLayout, bytes, PeerCopy, bytes);
SAME(PeerCopyLayout, start, PeerCopy, start);
SAME(PeerCopyLayout, end, PeerCopy, end);
SAME(PeerCopyLayout, device, PeerCopy, deviceId);
SAME(PeerCopyLayout, context, PeerCopy, contextId);
SAME(PeerCopyLayout, stream, PeerCopy, streamId);
SAME(PeerCopyLayout, source_device, PeerCopy, srcDeviceId);
SAME(PeerCopyLayout, destination_device, PeerCopy, dstDeviceId);
SAME(PeerCopyLayout, correlation, PeerCopy, correlationId);
SAME(PeerCopyLayout, graph_node, PeerCopy, graphNodeId);

SAME(MemsetLayout, bytes, Memset, bytes);
SAME(MemsetLayout, start, Memset, start);
SAME(MemsetLayout, end, Memset, end);
SAME(MemsetLayout, device, Memset, deviceId);
SAME(MemsetLayout, context, Memset, contextId);
SAME(MemsetLayout, stream, Memset, streamId);
SAME(MemsetLayout, correlation, Memset, correlationId);
SAME(MemsetLayout, memory_kind, Memset, memoryKind);
SAME(MemsetLayout, graph_node, Memset, graphNodeId);

SAME(SynchronizationLayout, type, Synchronization, type);
SAME(SynchronizationLayout, start, Synchronization, start);
SAME(SynchronizationLayout, end, Synchronization, end);
SAME(SynchronizationLayout, correlation, Synchronization, correlationId);
SAME(SynchronizationLayout, context, Synchronization, contextId);
SAME(SynchronizationLayout, stream, Synchronization, streamId);
SAME(SynchronizationLayout, event, Synchronization, cudaEventId);

SAME(GraphTraceLayout, correlation, GraphTrace, correlationId);
SAME(GraphTraceLayout, start, GraphTrace, start);
SAME(GraphTraceLayout, end, GraphTrace, end);
SAME(GraphTraceLayout, device, GraphTrace, deviceId);
SAME(GraphTraceLayout, graph, GraphTrace, graphId);
SAME(GraphTraceLayout, context, GraphTrace, contextId);
SAME(GraphTraceLayout, stream, GraphTrace, streamId);

SAME(OverheadLayout, overhead_kind, Overhead, overheadKind);
SAME(OverheadLayout, start, Overhead, start);
SAME(OverheadLayout, end, Overhead, end);

SAME(MemoryLayout, operation, Memory, memoryOperationType);
SAME(MemoryLayout, memory_kind, Memory, memoryKind);
SAME(MemoryLayout, correlation, Memory, correlationId);
SAME(MemoryLayout, address, Memory, address);
SAME(MemoryLayout, bytes, Memory, bytes);
SAME(MemoryLayout, time, Memory, timestamp);
SAME(MemoryLayout, device, Memory, deviceId);
SAME(MemoryLayout, is_async, Memory, isAsync);
static_assert(MemoryLayout::pool_type.offset ==
              offsetof(Memory, memoryPoolConfig) + offsetof(MemoryPoolConfig, memoryPoolType));
static_assert(MemoryLayout::pool_address.offset ==
              offsetof(Memory, memoryPoolConfig) + offsetof(MemoryPoolConfig, address));
static_assert(MemoryLayout::pool_bytes.offset ==
              offsetof(Memory, memoryPoolConfig) + offsetof(MemoryPoolConfig, pool));
static_assert(CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION == 1 &&
              CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE == 2 &&
              CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL == 1);

SAME(ApiLayout, cbid, Call, cbid);
SAME(ApiLayout, start, Call, start);
SAME(ApiLayout, end, Call, end);
SAME(ApiLayout, process, Call, processId);
SAME(ApiLayout, thread, Call, threadId);
SAME(ApiLayout, correlation, Call, correlationId);

static_assert(static_cast<int>(ActivityKind::memcpy) == CUPTI_ACTIVITY_KIND_MEMCPY);
static_assert(static_cast<int>(ActivityKind::memset) == CUPTI_ACTIVITY_KIND_MEMSET);
static_assert(static_cast<int>(ActivityKind::kernel) == CUPTI_ACTIVITY_KIND_KERNEL);
static_assert(static_cast<int>(ActivityKind::driver) == CUPTI_ACTIVITY_KIND_DRIVER);
static_assert(static_cast<int>(ActivityKind::runtime) == CUPTI_ACTIVITY_KIND_RUNTIME);
static_assert(static_cast<int>(ActivityKind::concurrent_kernel) ==
              CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
static_assert(static_cast<int>(ActivityKind::overhead) == CUPTI_ACTIVITY_KIND_OVERHEAD);
static_assert(static_cast<int>(ActivityKind::memcpy2) == CUPTI_ACTIVITY_KIND_MEMCPY2);
static_assert(static_cast<int>(ActivityKind::synchronization) ==
              CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
static_assert(static_cast<int>(ActivityKind::graph_trace) == CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
static_assert(static_cast<int>(ActivityKind::memory2) == CUPTI_ACTIVITY_KIND_MEMORY2);
static_assert(static_cast<int>(MemoryKind::pinned) == CUPTI_ACTIVITY_MEMORY_KIND_PINNED &&
              static_cast<int>(MemoryKind::device) == CUPTI_ACTIVITY_MEMORY_KIND_DEVICE &&
              static_cast<int>(MemoryKind::managed_static) ==
                  CUPTI_ACTIVITY_MEMORY_KIND_MANAGED_STATIC);

static_assert(kNotCompatible == CUPTI_ERROR_NOT_COMPATIBLE);
static_assert(kNotInitialized == CUPTI_ERROR_NOT_INITIALIZED);
static_assert(kMultipleSubscribers == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
static_assert(kUnknownError == CUPTI_ERROR_UNKNOWN);
static_assert(kFlushForced == CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
static_assert(kAttributeZeroedOutBuffer == CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER);
static_assert(kDomainDriver == CUPTI_CB_DOMAIN_DRIVER_API &&
              kDomainRuntime == CUPTI_CB_DOMAIN_RUNTIME_API);

#if CUPTI_API_VERSION >= 130400
static_assert(sizeof(SubscriberParams) == sizeof(CUpti_SubscriberParams));
static_assert(offsetof(SubscriberParams, old_name) ==
              offsetof(CUpti_SubscriberParams, oldSubscriberName));
static_assert(offsetof(SubscriberParams, allow_multiple) ==
              offsetof(CUpti_SubscriberParams, allowMultipleSubscribers));
#endif

}  // namespace
}  // namespace deepprof::cupti
