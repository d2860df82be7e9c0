#include <algorithm>
#include <functional>

#include "analysis/model/dprof.h"
#include "analysis/model/facts.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

void write_facts(const Trace& trace, TraceWriter& writer) {
  const ProcessInfo& process = trace.process;
  if (!process.host.empty()) writer.set_fact("host", process.host);
  if (process.pid != 0) writer.set_fact("pid", format_text("%u", process.pid));
  if (!process.command_line.empty()) writer.set_fact("command_line", process.command_line);
  if (process.rank >= 0) writer.set_fact("rank", format_text("%d", process.rank));
  if (process.world_size >= 0) writer.set_fact("world_size", format_text("%d", process.world_size));
  if (!process.source.empty()) writer.set_fact("source", process.source);
  if (trace.clock_base_ns != 0) {
    writer.set_fact("clock_base_ns",
                    format_text("%lld", static_cast<long long>(trace.clock_base_ns)));
  }
  for (const auto& [key, value] : process.facts) writer.set_fact(key, value);
  if (!trace.closed) writer.set_fact(kNotClosed, "1");
}

void write_tables(const Trace& trace, TraceWriter& writer) {
  for (NameId id = 1; id < trace.names.size(); ++id) writer.define_name(id, trace.names[id]);
  for (uint32_t i = 0; i < trace.threads.size(); ++i) {
    const Thread& thread = trace.threads[i];
    writer.define_thread(i, thread.pid, thread.tid, thread.name);
  }
  for (const Device& d : trace.devices) {
    writer.define_device(d.id, d.name, d.sm_count, d.memory_bytes, d.compute_major, d.compute_minor,
                         d.max_threads_per_sm);
  }
}

Event event_of(const Op& op) {
  Event event;
  event.start_ns = op.start_ns;
  event.set_duration(op.duration_ns);
  event.device = static_cast<uint8_t>(op.device);
  event.set_kind(op.kind, op.detail != 0);
  event.correlation = op.correlation;
  event.name = op.name;
  event.track = op.stream;
  event.graph_node = op.graph_node;
  return event;
}

Event event_of(const HostCall& call) {
  Event event;
  event.start_ns = call.start_ns;
  event.set_duration(call.duration_ns);
  event.set_kind(call.kind, call.detail != 0);
  event.correlation = call.correlation;
  event.name = call.name;
  event.track = call.kind == Kind::sync ? call.stream : call.thread;
  // A wait's track is its stream; its thread travels where an op has its graph node (0: not known).
  if (call.kind == Kind::sync) event.graph_node = call.thread + 1;
  return event;
}

Event event_of(const Overhead& overhead) {
  Event event;
  event.start_ns = overhead.start_ns;
  event.set_duration(overhead.duration_ns);
  event.set_kind(Kind::overhead, false);
  event.name = overhead.name;
  return event;
}

// The file has 256 devices. Ops of others would be those of another GPU.
bool fits(const Op& op) { return op.device <= UINT8_MAX; }

LossCounts losses_of(const Trace& trace) {
  LossCounts losses = trace.losses;
  losses[Loss::decode_refused] +=
      static_cast<uint64_t>(std::count_if(trace.ops.begin(), trace.ops.end(), std::not_fn(fits)));
  return losses;
}

}  // namespace

void write_trace(const Trace& trace, TraceWriter& writer) {
  write_facts(trace, writer);
  write_tables(trace, writer);
  for (const auto& [key, bytes] : trace.blobs) writer.put_blob(key, bytes);
  writer.set_losses(losses_of(trace));

  // Calls and ops go in together by time, as they are captured: a call and the op that it launched
  // then share a block, and with it their correlation ids.
  const auto append = [&](const Event& event, uint32_t detail) {
    writer.append(event, event.has_detail() ? &trace.details[detail] : nullptr);
  };
  auto call = trace.calls.begin();
  for (const Op& op : trace.ops) {
    for (; call != trace.calls.end() && call->start_ns <= op.start_ns; ++call) {
      append(event_of(*call), call->detail);
    }
    if (fits(op)) append(event_of(op), op.detail);
  }
  for (; call != trace.calls.end(); ++call) append(event_of(*call), call->detail);
  for (const Overhead& overhead : trace.overheads) append(event_of(overhead), 0);
  for (const Range& range : trace.ranges) {
    writer.append_range(range.start_ns, range.duration_ns, range.name, range.thread,
                        static_cast<uint8_t>(range.source));
  }
  for (const Hole& hole : trace.holes) writer.append_hole(hole.device, hole.start_ns, hole.end_ns);
  for (const Sample& sample : trace.samples) {
    writer.append_sample(sample.time_ns, sample.metric, sample.device, sample.value);
  }
  for (const Allocation& step : trace.allocations) writer.append_allocation(step);
}

}  // namespace deepprof
