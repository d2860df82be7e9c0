#include "test/fake/cupti/encode.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "test/fake/clock.h"
#include "test/fake/cupti/account.h"
#include "test/fake/cupti/client.h"
#include "test/fake/cupti/entry.h"
#include "test/fake/cupti/settings.h"
#include "test/fake/cupti/version.h"
#include "test/fake/cupti/worker.h"

namespace deepprof::fake {
namespace {

using recording::Op;

// deepprof::Kind
enum OpKind : uint8_t { kKernelOp = 1, kMemcpyOp = 2, kMemsetOp = 3, kGraphOp = 4 };
constexpr uint8_t kPeerCopy = 10;  // CUPTI_ACTIVITY_MEMCPY_KIND_PTOP

// A record under construction: room for the longest struct and the longest tail, which stays 0xa5.
template <typename T>
struct Draft {
  T record{};
  uint8_t tail[kVersion.tail_bytes + 1];
  Draft() { memset(tail, 0xa5, sizeof tail); }
};

// What is true of every op of one submission, for one client.
struct Encoder {
  const Work& work;
  Client& owner;
  Sink& sink;
  // Read once: a thread that loses its core between two readings would make a record run backwards.
  const int64_t ahead_ns = ahead_of_wall_clock();

  int64_t shifted(int64_t time_ns) const { return time_ns + work.shift_ns; }
  int64_t stamp(int64_t wall_ns) const { return wall_ns + ahead_ns; }
  uint32_t correlation(uint32_t id) const { return id ? id + work.correlation_shift : 0; }

  // 0: done before the launch returns.
  int64_t ready_ns(int64_t end_ns) const {
    if (work.speed > 0) {
      return work.zero_monotonic_ns +
             static_cast<int64_t>(static_cast<double>(end_ns - work.zero_ns) / work.speed);
    }
    return work.lag_ns ? monotonic_ns() + work.lag_ns : 0;
  }

  template <typename T>
  void put_device_record(uint32_t kind, Draft<T>& draft, size_t struct_bytes, int64_t start_ns,
                         int64_t end_ns);
  template <typename T>
  void put_host_record(uint32_t kind, Draft<T>& draft, size_t struct_bytes);

  void kernel(const Op& op);
  void copy(const Op& op);
  void peer_copy(const Op& op);
  void fill(const Op& op);
  void graph_launch(const Op* const* ops, uint32_t count);
  void op(const Op& op);
  void sync(const recording::Sync& sync);
  void overhead(const recording::Overhead& overhead);
  void allocation(const recording::Allocation& allocation);
  void call(const recording::Call& call);
};

// The struct's used bytes and the tail lie apart in a Draft; records are written as one piece.
template <typename T>
size_t assemble(const Draft<T>& draft, size_t struct_bytes, uint8_t* out) {
  memcpy(out, &draft.record, struct_bytes);
  memcpy(out + struct_bytes, draft.tail, kVersion.tail_bytes);
  return struct_bytes + kVersion.tail_bytes;
}

// Times that no GPU op can have. Every kind of fault in turn.
void spoil(uint64_t number, int64_t& start_ns, int64_t& end_ns) {
  switch (number % 5) {
    case 0: start_ns = end_ns = 0; break;                   // as records do that never completed
    case 1: end_ns = start_ns - 1; break;                   // reversed by a nanosecond
    case 2: end_ns = start_ns + (int64_t{1} << 62); break;  // a 146-year op
    case 3: start_ns = 0; break;                            // began in 1970
    case 4: end_ns = 0; break;                              // never ended
  }
}

std::atomic<uint64_t> device_records{0};

template <typename T>
void Encoder::put_device_record(uint32_t kind, Draft<T>& draft, size_t struct_bytes,
                                int64_t start_ns, int64_t end_ns) {
  const uint64_t number = device_records.fetch_add(1, std::memory_order_relaxed) + 1;
  const uint64_t every = settings().bad_times_every;
  const bool bad = every && number % every == 0;
  if (bad) spoil(number / every, start_ns, end_ns);
  const int64_t ready = bad ? 0 : ready_ns(end_ns - work.shift_ns);
  const bool incomplete = ready > 0;
  if (!bad) start_ns = stamp(start_ns), end_ns = stamp(end_ns);
  draft.record.start = incomplete ? 0 : static_cast<uint64_t>(start_ns);
  draft.record.end = incomplete ? 0 : static_cast<uint64_t>(end_ns);
  draft.record.kind = kind;
  uint8_t bytes[sizeof(Draft<T>)];
  const size_t size = assemble(draft, struct_bytes, bytes);
  const Place place = sink.append(kind, bytes, size, incomplete);
  if (!place.buffer) return;
  place.buffer->bad_times += bad || incomplete;
  if (incomplete)
    complete_later({ready, place.buffer, place.offset, offsetof(T, start), start_ns, end_ns});
}

template <typename T>
void Encoder::put_host_record(uint32_t kind, Draft<T>& draft, size_t struct_bytes) {
  draft.record.kind = kind;
  uint8_t bytes[sizeof(Draft<T>)];
  const size_t size = assemble(draft, struct_bytes, bytes);
  sink.append(work.of_driver ? uint32_t{kOwnCalls} : kind, bytes, size, false);
}

void Encoder::kernel(const Op& op) {
  const uint32_t kind = owner.kind_on[kConcurrentKernelKind] ? kConcurrentKernelKind : kKernelKind;
  if (!owner.kind_on[kind]) return;
  Draft<KernelRecord> draft;
  KernelRecord& r = draft.record;
  r.registers_per_thread = static_cast<uint16_t>(op.registers);
  r.device = op.device;
  r.context = op.context;
  r.stream = op.stream;
  std::copy_n(op.grid, 3, r.grid);
  std::copy_n(op.block, 3, r.block);
  r.static_shared_memory = static_cast<int32_t>(op.static_shared_bytes);
  r.dynamic_shared_memory = static_cast<int32_t>(op.dynamic_shared_bytes);
  r.correlation = correlation(op.correlation);
  r.name = work.names[op.name];
  r.graph_node = op.graph_node;
  r.graph = op.graph;
  put_device_record(kind, draft, kVersion.kernel_bytes, shifted(op.start_ns), shifted(op.end_ns));
}

template <typename T>
void fill_copy(T& r, const Op& op) {
  r.copy_kind = op.copy_kind;
  r.source_kind = op.source;
  r.destination_kind = op.destination;
  r.bytes = op.bytes;
  r.device = op.device;
  r.context = op.context;
  r.stream = op.stream;
  r.graph_node = op.graph_node;
  r.graph = op.graph;
}

void Encoder::copy(const Op& op) {
  if (!owner.kind_on[kMemcpyKind]) return;
  Draft<MemcpyRecord> draft;
  fill_copy(draft.record, op);
  draft.record.correlation = correlation(op.correlation);
  draft.record.copy_count = 1;
  put_device_record(kMemcpyKind, draft, kVersion.memcpy_bytes, shifted(op.start_ns),
                    shifted(op.end_ns));
}

void Encoder::peer_copy(const Op& op) {
  if (!owner.kind_on[kPeerMemcpyKind]) return;
  Draft<PeerMemcpyRecord> draft;
  fill_copy(draft.record, op);
  draft.record.source_device = op.device;
  draft.record.destination_device = op.device + 1;
  draft.record.correlation = correlation(op.correlation);
  put_device_record(kPeerMemcpyKind, draft, kVersion.peer_memcpy_bytes, shifted(op.start_ns),
                    shifted(op.end_ns));
}

void Encoder::fill(const Op& op) {
  if (!owner.kind_on[kMemsetKind]) return;
  Draft<MemsetRecord> draft;
  MemsetRecord& r = draft.record;
  r.bytes = op.bytes;
  r.device = op.device;
  r.context = op.context;
  r.stream = op.stream;
  r.correlation = correlation(op.correlation);
  r.memory_kind = op.destination;
  r.graph_node = op.graph_node;
  r.graph = op.graph;
  put_device_record(kMemsetKind, draft, kVersion.memset_bytes, shifted(op.start_ns),
                    shifted(op.end_ns));
}

// One record for the whole launch: from its first op's start to its last op's end.
void Encoder::graph_launch(const Op* const* ops, uint32_t count) {
  Draft<GraphTraceRecord> draft;
  GraphTraceRecord& r = draft.record;
  const Op& first = *ops[0];
  int64_t start = first.start_ns, end = first.end_ns;
  for (uint32_t i = 1; i < count; ++i) {
    start = std::min(start, ops[i]->start_ns);
    end = std::max(end, ops[i]->end_ns);
  }
  r.correlation = correlation(first.correlation);
  r.device = r.end_device = first.device;
  r.context = r.end_context = first.context;
  r.stream = first.stream;
  r.graph = first.graph;
  put_device_record(kGraphTraceKind, draft, kVersion.graph_trace_bytes, shifted(start),
                    shifted(end));
}

void Encoder::op(const Op& op) {
  switch (op.kind) {
    case kKernelOp: kernel(op); break;
    case kMemcpyOp: op.copy_kind == kPeerCopy ? peer_copy(op) : copy(op); break;
    case kMemsetOp: fill(op); break;
    case kGraphOp: {
      const Op* const one = &op;
      if (owner.kind_on[kGraphTraceKind]) graph_launch(&one, 1);
      break;
    }
    default: break;
  }
}

void Encoder::sync(const recording::Sync& s) {
  if (!owner.kind_on[kSynchronizationKind]) return;
  Draft<SynchronizationRecord> draft;
  SynchronizationRecord& r = draft.record;
  r.type = s.type;
  r.start = static_cast<uint64_t>(stamp(shifted(s.start_ns)));
  r.end = static_cast<uint64_t>(stamp(shifted(s.end_ns)));
  r.correlation = correlation(s.correlation);
  r.context = s.context;
  r.stream = s.stream;
  r.event = s.event;
  put_host_record(kSynchronizationKind, draft, kVersion.synchronization_bytes);
}

void Encoder::overhead(const recording::Overhead& o) {
  if (!owner.kind_on[kOverheadKind]) return;
  Draft<OverheadRecord> draft;
  OverheadRecord& r = draft.record;
  r.overhead_kind = o.kind;
  r.object_kind = 2;  // CUPTI_ACTIVITY_OBJECT_THREAD
  r.process = work.pid;
  r.thread = static_cast<uint32_t>(work.tid);
  r.start = static_cast<uint64_t>(stamp(shifted(o.start_ns)));
  r.end = static_cast<uint64_t>(stamp(shifted(o.end_ns)));
  put_host_record(kOverheadKind, draft, kVersion.overhead_bytes);
}

void Encoder::allocation(const recording::Allocation& a) {
  if (!owner.kind_on[kMemory2Kind]) return;
  Draft<MemoryRecord> draft;
  MemoryRecord& r = draft.record;
  r.operation = a.operation;
  r.memory_kind = a.memory_kind;
  r.correlation = correlation(a.correlation);
  r.address = a.address;
  r.bytes = a.bytes;
  r.timestamp = static_cast<uint64_t>(stamp(shifted(a.time_ns)));
  r.process = work.pid;
  r.device = a.device;
  r.context = a.context;
  r.stream = a.stream;
  r.is_async = a.is_async;
  r.pool_type = a.pool_address != 0 ? 1 : 0;  // of this process
  r.pool_address = a.pool_address;
  r.pool_size = a.pool_bytes;
  put_host_record(kMemory2Kind, draft, kVersion.memory_bytes);
}

uint32_t call_kind(const Work& work) {
  return work.api.domain == Domain::driver ? kDriverKind : kRuntimeKind;
}

// What CUDA 13 compiles <<<>>> to is another function of the runtime.
uint32_t compiled_call(const ApiCall& api) {
  constexpr uint32_t kLaunchKernel = 211, kCompiledLaunchKernel = 505;
  const bool launch = api.domain == Domain::runtime && api.id == kLaunchKernel;
  return launch && kVersion.api >= 130000 ? kCompiledLaunchKernel : api.id;
}

void Encoder::call(const recording::Call& c) {
  const auto domain = static_cast<uint32_t>(work.api.domain);
  const uint32_t id = compiled_call(work.api);
  if (!owner.calls[domain].has(id)) return;
  Draft<ApiRecord> draft;
  ApiRecord& r = draft.record;
  r.call_id = id;
  r.start = static_cast<uint64_t>(stamp(shifted(c.start_ns)));
  r.end = static_cast<uint64_t>(stamp(shifted(c.end_ns)));
  const bool own = settings().own_threads;  // as CUPTI names them if not told otherwise
  r.process = own ? static_cast<uint32_t>(getpid()) : work.pid;
  r.thread = own ? static_cast<uint32_t>(pthread_self()) : static_cast<uint32_t>(work.tid);
  r.correlation = correlation(c.correlation);
  put_host_record(call_kind(work), draft, sizeof(ApiRecord));
}

// With CUPTI_ACTIVITY_KIND_GRAPH_TRACE on, the ops of a graph launch make no records of their own.
bool is_graph_launch(const Work& work) { return work.op_count > 0 && work.ops[0]->graph_node != 0; }

void encode_for(Client& owner, const Work& work) {
  if (!owner.buffers.load()) return;
  Sink& sink = sink_of_thread(owner);
  Encoder encoder{work, owner, sink};
  const std::lock_guard lock(sink);
  if (owner.kind_on[kGraphTraceKind] && is_graph_launch(work)) {
    encoder.graph_launch(work.ops, work.op_count);
  } else {
    for (uint32_t i = 0; i < work.op_count; ++i) encoder.op(*work.ops[i]);
  }
  if (work.sync) encoder.sync(*work.sync);
  if (work.overhead) encoder.overhead(*work.overhead);
  for (uint32_t i = 0; i < work.allocation_count; ++i) encoder.allocation(*work.allocations[i]);
  if (work.call) encoder.call(*work.call);
}

uint32_t kind_of(const Op& op) {
  switch (op.kind) {
    case kKernelOp: return kConcurrentKernelKind;
    case kMemcpyOp: return op.copy_kind == kPeerCopy ? kPeerMemcpyKind : kMemcpyKind;
    case kMemsetOp: return kMemsetKind;
    default: return kGraphTraceKind;
  }
}

void note_submission(const Work& work) {
  const auto count = [](uint32_t kind) {
    account().submitted[kind].fetch_add(1, std::memory_order_relaxed);
  };
  for (uint32_t i = 0; i < work.op_count; ++i) count(kind_of(*work.ops[i]));
  for (uint32_t i = 0; i < work.allocation_count; ++i) count(kMemory2Kind);
  if (work.sync) count(kSynchronizationKind);
  if (work.overhead) count(kOverheadKind);
  if (work.call) count(work.of_driver ? uint32_t{kOwnCalls} : call_kind(work));
}

struct ApiCallbackData {  // CUpti_CallbackData
  uint32_t site;          // 0 enter, 1 exit
  const char* function_name;
  const void* parameters;
  void* return_value;
  const char* symbol_name;
  void* context;
  uint32_t context_uid;
  uint64_t* correlation_data;
  uint32_t correlation;
};

void call_subscribers(const Work& work, uint32_t site) {
  const auto domain = static_cast<uint32_t>(work.api.domain);
  for (int i = 0; i < kClients; ++i) {
    Client& c = client(i);
    if (!c.subscribed || !c.callback_on[domain].has(work.api.id)) continue;
    uint64_t correlation_data = 0;
    int result = 0;
    const ApiCallbackData data{site,
                               work.api.cupti_name,
                               nullptr,
                               &result,
                               work.op_count ? work.names[work.ops[0]->name] : nullptr,
                               nullptr,
                               1,
                               &correlation_data,
                               work.call->correlation + work.correlation_shift};
    c.callback(c.callback_data, domain, work.api.id, &data);
  }
}

}  // namespace

void encode_work(const Work& work) {
  note_submission(work);
  if (work.call) call_subscribers(work, 0);
  for (int i = 0; i < kClients; ++i) {
    if (client(i).in_use) encode_for(client(i), work);
  }
  if (work.call) call_subscribers(work, 1);
}

void announce_context() {
  constexpr uint32_t kResourceDomain = 3, kContextCreated = 1;
  struct {
    void* context;
    void* handle;
    void* descriptor;
  } const data{};
  for (int i = 0; i < kClients; ++i) {
    Client& c = client(i);
    if (c.subscribed && c.callback_on[kResourceDomain].has(kContextCreated)) {
      c.callback(c.callback_data, kResourceDomain, kContextCreated, &data);
    }
  }
}

}  // namespace deepprof::fake
