#include "libdeepprof/cupti/decoder.h"

#include <algorithm>

#include "libdeepprof/cupti/api_call_name.h"
#include "libdeepprof/event/allocation.h"
#include "libdeepprof/event/allocation_events.h"
#include "libdeepprof/event/api_calls.h"
#include "libdeepprof/text.h"

namespace deepprof::cupti {
namespace {

// What a composed name is made of, as a key: the first byte tells the families apart.
enum class Made : uint64_t { copy, memset, sync, overhead, runtime_call, driver_call, graph };
constexpr uint64_t made_key(Made family, uint64_t what) {
  return static_cast<uint64_t>(family) << 56 | what;
}

const char* copy_word(CopyKind kind) {
  switch (kind) {
    case CopyKind::host_to_device: return "HtoD";
    case CopyKind::device_to_host: return "DtoH";
    case CopyKind::host_to_array: return "HtoA";
    case CopyKind::array_to_host: return "AtoH";
    case CopyKind::array_to_array: return "AtoA";
    case CopyKind::array_to_device: return "AtoD";
    case CopyKind::device_to_array: return "DtoA";
    case CopyKind::device_to_device: return "DtoD";
    case CopyKind::host_to_host: return "HtoH";
    case CopyKind::peer_to_peer: return "PtoP";
    case CopyKind::unknown: break;
  }
  return "unknown";
}

const char* memory_word(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::pageable: return "Pageable";
    case MemoryKind::pinned: return "Pinned";
    case MemoryKind::device: return "Device";
    case MemoryKind::array: return "Array";
    case MemoryKind::managed: return "Managed";
    case MemoryKind::device_static: return "Device Static";
    case MemoryKind::managed_static: return "Managed Static";
    case MemoryKind::unknown: break;
  }
  return "Unknown";
}

const char* sync_word(uint32_t type) {
  switch (type) {
    case 1: return "Event Sync";
    case 2: return "Stream Wait Event";
    case 3: return "Stream Sync";
    case 4: return "Context Sync";
    default: return "Sync";
  }
}

const char* overhead_word(uint32_t kind) {
  switch (kind) {
    case 1: return "Driver Compiler";
    case 1u << 16: return "Buffer Flush";
    case 2u << 16: return "Instrumentation";
    case 3u << 16: return "Resource";
    case 4u << 16: return "Runtime Triggered Module Loading";
    case 5u << 16: return "Lazy Function Loading";
    case 6u << 16: return "Command Buffer Full";
    case 7u << 16: return "Activity Buffer Request";
    case 8u << 16: return "UVM Activity Init";
    default: return "Overhead";
  }
}

CopyKind copy_kind(uint8_t number) {
  return number <= 10 ? static_cast<CopyKind>(number) : CopyKind::unknown;
}
MemoryKind memory_kind(uint32_t number) {
  return number <= 7 ? static_cast<MemoryKind>(number) : MemoryKind::unknown;
}

// From CUpti_ActivityMemoryKind, whose numbers are those of MemoryKind.
AllocationKind allocation_kind(uint32_t number, bool is_async) {
  switch (memory_kind(number)) {
    case MemoryKind::pageable:
    case MemoryKind::pinned: return AllocationKind::pinned;
    case MemoryKind::device:
    case MemoryKind::array:
    case MemoryKind::device_static: return is_async ? AllocationKind::pool : AllocationKind::device;
    case MemoryKind::managed:
    case MemoryKind::managed_static: return AllocationKind::managed;
    case MemoryKind::unknown: break;
  }
  return AllocationKind::unknown;
}

uint16_t clip16(uint32_t value) {
  return static_cast<uint16_t>(std::min<uint32_t>(value, UINT16_MAX));
}

// The low half of CUPTI's node id numbers the node within its graph; the high half names the graph.
template <typename Layout>
uint32_t graph_node(const uint8_t* record, size_t stride) {
  return Layout::graph_node.within(stride) ? static_cast<uint32_t>(Layout::graph_node.read(record))
                                           : 0;
}

}  // namespace

size_t Decoder::next_stride(const uint8_t* record, size_t bytes_left) {
  if (bytes_left < sizeof(uint32_t)) {
    losses_.add(Loss::truncated_record);
    return 0;
  }
  const size_t stride = strides_[kRecordKind.read(record)];
  if (stride == 0) {
    losses_.add(Loss::decode_refused);
    return 0;
  }
  if (stride > bytes_left) {
    losses_.add(Loss::truncated_record);
    return 0;
  }
  return stride;
}

bool Decoder::decode_record(const uint8_t* record, size_t stride, Event& event, Detail& detail) {
  const uint32_t kind = kRecordKind.read(record);
  const size_t needed = base_record_bytes(kind);
  if (needed == 0 || stride < needed) {
    losses_.add(needed == 0 ? Loss::unknown_record : Loss::decode_refused);
    return false;
  }
  switch (static_cast<ActivityKind>(kind)) {
    case ActivityKind::kernel:
    case ActivityKind::concurrent_kernel: return decode_kernel(record, stride, event, detail);
    case ActivityKind::memcpy: return decode_memcpy(record, stride, event, detail);
    case ActivityKind::memcpy2: return decode_peer_copy(record, stride, event, detail);
    case ActivityKind::memset: return decode_memset(record, stride, event, detail);
    case ActivityKind::graph_trace: return decode_graph(record, event);
    case ActivityKind::synchronization: return decode_sync(record, event, detail);
    case ActivityKind::runtime: return decode_api_call(record, true, event);
    case ActivityKind::driver: return decode_api_call(record, false, event);
    case ActivityKind::overhead: return decode_overhead(record, event);
    case ActivityKind::memory2: return decode_allocation(record, event, detail);
  }
  return false;
}

// The fields that every GPU op carries, whatever its layout.
template <typename Layout>
bool Decoder::set_place(const uint8_t* record, Event& event) {
  const uint32_t device = Layout::device.read(record);
  if (device > UINT8_MAX) {  // no machine has so many: the record cannot be what we take it for
    losses_.add(Loss::decode_refused);
    return false;
  }
  event.device = static_cast<uint8_t>(device);
  event.track =
      tracks_.track_of(event.device, Layout::context.read(record), Layout::stream.read(record));
  event.correlation = Layout::correlation.read(record);
  return true;
}

bool Decoder::set_times(Event& event, uint64_t start, uint64_t end) {
  // Zero: CUPTI never learned the time. Reversed, longer than two days or beyond what a signed
  // clock can hold: it learned a wrong one.
  constexpr uint64_t kLatest = uint64_t{1} << 62;
  constexpr uint64_t kLongest = uint64_t{1} << 47;
  if (start == 0 || end < start || end > kLatest || end - start > kLongest) {
    losses_.add(Loss::bad_timestamp);
    return false;
  }
  event.start_ns = static_cast<int64_t>(start);
  event.set_duration(static_cast<int64_t>(end - start));
  return true;
}

bool Decoder::decode_kernel(const uint8_t* record, size_t stride, Event& event, Detail& detail) {
  using Layout = KernelLayout;
  if (!set_times(event, Layout::start.read(record), Layout::end.read(record))) return false;
  event.set_kind(Kind::kernel, true);
  event.name = kernel_names_.id_of(Layout::name.read(record));
  event.graph_node = graph_node<Layout>(record, stride);
  detail.grid_x = Layout::grid_x.read(record);
  detail.grid_y = clip16(Layout::grid_y.read(record));  // CUDA's own limit is 65535
  detail.grid_z = clip16(Layout::grid_z.read(record));
  detail.block_x = clip16(Layout::block_x.read(record));
  detail.block_y = clip16(Layout::block_y.read(record));
  detail.block_z = clip16(Layout::block_z.read(record));
  detail.registers = Layout::registers.read(record);
  detail.shared_bytes = Layout::static_shared.read(record) + Layout::dynamic_shared.read(record);
  return set_place<Layout>(record, event);
}

bool Decoder::decode_memcpy(const uint8_t* record, size_t stride, Event& event, Detail& detail) {
  using Layout = MemcpyLayout;
  if (!set_times(event, Layout::start.read(record), Layout::end.read(record))) return false;
  event.set_kind(Kind::memcpy, true);
  detail.bytes = Layout::bytes.read(record);
  detail.copy_kind = copy_kind(Layout::copy_kind.read(record));
  detail.source = memory_kind(Layout::source.read(record));
  detail.destination = memory_kind(Layout::destination.read(record));
  event.name = copy_name(detail.copy_kind, detail.source, detail.destination);
  event.graph_node = graph_node<Layout>(record, stride);
  return set_place<Layout>(record, event);
}

bool Decoder::decode_peer_copy(const uint8_t* record, size_t stride, Event& event, Detail& detail) {
  using Layout = PeerCopyLayout;
  if (!set_times(event, Layout::start.read(record), Layout::end.read(record))) return false;
  event.set_kind(Kind::memcpy, true);
  detail.bytes = Layout::bytes.read(record);
  detail.copy_kind = copy_kind(Layout::copy_kind.read(record));
  detail.source = memory_kind(Layout::source.read(record));
  detail.destination = memory_kind(Layout::destination.read(record));
  event.name = copy_name(detail.copy_kind, detail.source, detail.destination);
  event.graph_node = graph_node<Layout>(record, stride);
  return set_place<Layout>(record, event);
}

bool Decoder::decode_memset(const uint8_t* record, size_t stride, Event& event, Detail& detail) {
  using Layout = MemsetLayout;
  if (!set_times(event, Layout::start.read(record), Layout::end.read(record))) return false;
  event.set_kind(Kind::memset, true);
  detail.bytes = Layout::bytes.read(record);
  detail.destination = memory_kind(Layout::memory_kind.read(record));
  NameId& name = made_names_[made_key(Made::memset, static_cast<uint64_t>(detail.destination))];
  if (name == 0) name = names_.intern(format_text("Memset (%s)", memory_word(detail.destination)));
  event.name = name;
  event.graph_node = graph_node<Layout>(record, stride);
  return set_place<Layout>(record, event);
}

bool Decoder::decode_graph(const uint8_t* record, Event& event) {
  using Layout = GraphTraceLayout;
  if (!set_times(event, Layout::start.read(record), Layout::end.read(record))) return false;
  event.set_kind(Kind::graph, false);
  event.name = graph_name(Layout::graph.read(record));
  return set_place<Layout>(record, event);
}

bool Decoder::decode_sync(const uint8_t* record, Event& event, Detail& detail) {
  using Layout = SynchronizationLayout;
  if (!set_times(event, Layout::start.read(record), Layout::end.read(record))) return false;
  event.set_kind(Kind::sync, true);
  const uint32_t type = Layout::type.read(record);
  detail.sync_type = type <= 4 ? static_cast<uint8_t>(type) : 0;
  event.correlation = Layout::correlation.read(record);
  event.track = tracks_.track_of_wait(Layout::context.read(record), Layout::stream.read(record));
  NameId& name = made_names_[made_key(Made::sync, detail.sync_type)];
  if (name == 0) name = names_.intern(sync_word(detail.sync_type));
  event.name = name;
  return true;
}

bool Decoder::decode_api_call(const uint8_t* record, bool runtime, Event& event) {
  using Layout = ApiLayout;
  if (!is_kept(runtime, Layout::cbid.read(record), Layout::thread.read(record))) {
    ++calls_left_out_;
    return false;
  }
  if (!set_times(event, Layout::start.read(record), Layout::end.read(record))) return false;
  event.set_kind(Kind::api_call, false);
  event.correlation = Layout::correlation.read(record);
  event.track = threads_.index_of(Layout::process.read(record), Layout::thread.read(record));
  event.name = call_name(runtime, Layout::cbid.read(record));
  return true;
}

bool Decoder::decode_overhead(const uint8_t* record, Event& event) {
  using Layout = OverheadLayout;
  if (!set_times(event, Layout::start.read(record), Layout::end.read(record))) return false;
  event.set_kind(Kind::overhead, false);
  const uint32_t kind = Layout::overhead_kind.read(record);
  NameId& name = made_names_[made_key(Made::overhead, kind)];
  if (name == 0) name = names_.intern(overhead_word(kind));
  event.name = name;
  return true;
}

bool Decoder::decode_allocation(const uint8_t* record, Event& event, Detail& detail) {
  using Layout = MemoryLayout;
  constexpr uint32_t kAllocate = 1, kRelease = 2, kLocalPool = 1;
  AllocationDetail step;
  step.address = Layout::address.read(record);
  if (step.address == 0) return false;  // cudaFree(nullptr), a failed allocation: nothing happened
  const uint64_t time_ns = Layout::time.read(record);
  if (!set_times(event, time_ns, time_ns)) return false;
  const uint32_t operation = Layout::operation.read(record);
  const bool is_async = Layout::is_async.read(record) != 0;
  step.kind = allocation_kind(Layout::memory_kind.read(record), is_async);
  const uint32_t device = Layout::device.read(record);
  const bool of_host = step.kind == AllocationKind::pinned;
  step.bytes = Layout::bytes.read(record);
  if ((operation != kAllocate && operation != kRelease) || (!of_host && device >= kHostSlot) ||
      step.bytes > kMostAllocation_bytes) {
    losses_.add(Loss::decode_refused);
    return false;
  }
  step.step = operation == kAllocate ? AllocationStep::allocate : AllocationStep::release;
  if (is_async && Layout::pool_type.read(record) == kLocalPool &&
      Layout::pool_bytes.read(record) <= kMostAllocation_bytes) {
    step.pool = pool_number(Layout::pool_address.read(record));
    step.pool_bytes = Layout::pool_bytes.read(record);
  }
  event.set_kind(Kind::allocation, true);
  event.device = of_host ? kHostSlot : static_cast<uint8_t>(device);
  event.correlation = Layout::correlation.read(record);
  detail = as_slot(step);
  return true;
}

// 0 where there are too many of them to be told apart.
uint16_t Decoder::pool_number(uint64_t address) {
  const auto known = pools_.find(address);
  if (known != pools_.end()) return known->second;
  if (pools_.size() >= UINT16_MAX) return 0;
  return pools_[address] = static_cast<uint16_t>(pools_.size() + 1);
}

NameId Decoder::copy_name(CopyKind kind, MemoryKind source, MemoryKind destination) {
  const uint64_t what = static_cast<uint64_t>(kind) << 16 | static_cast<uint64_t>(source) << 8 |
                        static_cast<uint64_t>(destination);
  NameId& name = made_names_[made_key(Made::copy, what)];
  if (name == 0) {
    name = names_.intern(format_text("Memcpy %s (%s -> %s)", copy_word(kind), memory_word(source),
                                     memory_word(destination)));
  }
  return name;
}

bool Decoder::is_own(uint32_t thread) const {
  return thread != 0 && (thread == filter_.own_pthread.load(std::memory_order_relaxed) ||
                         thread == filter_.own_tid.load(std::memory_order_relaxed));
}

bool Decoder::is_kept(bool runtime, uint32_t cbid, uint32_t thread) {
  if (is_own(thread)) {
    filter_.own_call_seen.store(true, std::memory_order_relaxed);
    return false;
  }
  return !filter_.selected_only || is_selected(runtime, cbid);
}

NameId Decoder::call_name(bool runtime, uint32_t cbid) {
  const uint64_t key = made_key(runtime ? Made::runtime_call : Made::driver_call, cbid);
  if (key == last_call_) return last_call_name_;
  NameId& name = made_names_[key];
  if (name == 0) name = names_.intern(api_call_name(api_, runtime, cbid));
  last_call_ = key;
  return last_call_name_ = name;
}

NameId Decoder::graph_name(uint32_t graph) {
  NameId& name = made_names_[made_key(Made::graph, graph)];
  if (name == 0) name = names_.intern(format_text("CUDA graph %u", graph));
  return name;
}

}  // namespace deepprof::cupti
