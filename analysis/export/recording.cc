#include "analysis/export/recording.h"

#include <string_view>

#include "analysis/export/exporter.h"

namespace deepprof {
namespace {

constexpr struct {
  std::string_view name;
  uint32_t kind;  // CUpti_ActivityOverheadKind
} kOverheads[] = {
    {"Driver Compiler", 1},
    {"Buffer Flush", 1u << 16},
    {"Instrumentation", 2u << 16},
    {"Resource", 3u << 16},
    {"Runtime Triggered Module Loading", 4u << 16},
    {"Lazy Function Loading", 5u << 16},
    {"Command Buffer Full", 6u << 16},
    {"Activity Buffer Request", 7u << 16},
    {"UVM Activity Init", 8u << 16},
};

uint32_t overhead_kind(std::string_view name) {
  for (const auto& row : kOverheads) {
    if (row.name == name) return row.kind;
  }
  return 0;
}

recording::Op op_of(const Op& op, const Detail& detail) {
  recording::Op to{};
  to.start_ns = op.start_ns;
  to.end_ns = op.end_ns();
  to.bytes = detail.bytes;
  to.graph_node = op.graph_node;
  to.correlation = op.correlation;
  to.name = op.name;
  to.device = op.device;
  to.context = op.context;
  to.stream = op.stream;
  to.grid[0] = static_cast<int32_t>(detail.grid_x);
  to.grid[1] = detail.grid_y;
  to.grid[2] = detail.grid_z;
  to.block[0] = detail.block_x;
  to.block[1] = detail.block_y;
  to.block[2] = detail.block_z;
  to.registers = detail.registers;
  to.dynamic_shared_bytes = detail.shared_bytes;  // the trace keeps the sum of static and dynamic
  to.kind = static_cast<uint8_t>(op.kind);
  to.copy_kind = static_cast<uint8_t>(detail.copy_kind);
  to.source = static_cast<uint8_t>(detail.source);
  to.destination = static_cast<uint8_t>(detail.destination);
  return to;
}

// Of CUDA's own allocations; pools have no addresses in a trace.
bool to_allocation(const Allocation& step, recording::Allocation& to) {
  MemoryKind memory = MemoryKind::device;
  switch (step.kind) {
    case AllocationKind::pinned: memory = MemoryKind::pinned; break;
    case AllocationKind::managed: memory = MemoryKind::managed; break;
    case AllocationKind::device:
    case AllocationKind::pool: break;
    default: return false;
  }
  to = {};
  to.time_ns = step.time_ns;
  to.address = step.address;
  to.bytes = step.bytes;
  to.correlation = step.correlation;
  to.device = step.device == Allocation::kHost ? 0 : step.device;
  to.operation = static_cast<uint8_t>(step.step);
  to.memory_kind = static_cast<uint8_t>(memory);
  to.is_async = step.kind == AllocationKind::pool;
  return true;
}

}  // namespace

recording::Recording to_recording(const Trace& trace) {
  recording::Recording r;
  const auto name_of = [&](std::string_view text) {
    r.names.emplace_back(text);
    return static_cast<uint32_t>(r.names.size() - 1);
  };
  r.names.clear();
  for (NameId id = 0; id < trace.names.size(); ++id) r.names.emplace_back(trace.names[id]);
  for (const Thread& thread : trace.threads)
    r.threads.push_back({thread.tid, thread.pid, name_of(thread.name)});
  if (r.threads.empty()) r.threads.push_back({1, 1, 0});
  for (const Device& device : trace.devices) {
    r.devices.push_back({device.memory_bytes, device.id, name_of(device.name), device.sm_count,
                         device.compute_major, device.compute_minor, device.max_threads_per_sm});
  }
  const auto thread_of = [&](uint32_t thread) { return thread < r.threads.size() ? thread : 0; };
  for (const HostCall& call : trace.calls) {
    const uint32_t thread = thread_of(call.thread);
    if (call.kind == Kind::sync) {
      const uint32_t type = trace.details[call.detail].sync_type;
      r.syncs.push_back(
          {call.start_ns, call.end_ns(), call.correlation, type, 0, call.stream, 0, thread});
    } else {
      r.calls.push_back({call.start_ns, call.end_ns(), call.correlation, call.name, thread, 0});
    }
  }
  for (const Op& op : trace.ops) r.ops.push_back(op_of(op, trace.details[op.detail]));
  for (const Overhead& overhead : trace.overheads) {
    r.overheads.push_back({overhead.start_ns, overhead.start_ns + overhead.duration_ns,
                           overhead_kind(trace.names[overhead.name]), 0});
  }
  for (const Allocation& step : trace.allocations) {
    recording::Allocation to;
    if (to_allocation(step, to)) r.allocations.push_back(to);
  }
  return r;
}

namespace {

class RecordingExporter final : public Exporter {
 public:
  const char* name() const override { return "recording"; }
  const char* suffix() const override { return ".recording"; }
  const char* about() const override {
    return "for replay by the stand-ins that tests and the demo use";
  }

  bool writes_iterations() const override { return false; }
  absl::Status write(const ExportedPart& part, Sink& sink) const override {
    recording::encode(to_recording(part.trace), [&](const void* data, size_t size) {
      sink.write(std::string_view(static_cast<const char*>(data), size));
    });
    return absl::OkStatus();
  }
};

}  // namespace

std::unique_ptr<Exporter> make_recording_exporter() {
  return std::make_unique<RecordingExporter>();
}

}  // namespace deepprof
