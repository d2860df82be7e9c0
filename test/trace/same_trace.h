// Compares what two traces say, whatever numbers their names and details have.
#pragma once

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/model/trace.h"
#include "libdeepprof/text.h"

namespace deepprof::test {

inline std::string line_of(const Detail& d) {
  return format_text("[%llu %u,%u,%u %u,%u,%u r%u s%u c%u %u>%u y%u]",
                     static_cast<unsigned long long>(d.bytes), d.grid_x, d.grid_y, d.grid_z,
                     d.block_x, d.block_y, d.block_z, d.registers, d.shared_bytes,
                     static_cast<unsigned>(d.copy_kind), static_cast<unsigned>(d.source),
                     static_cast<unsigned>(d.destination), d.sync_type);
}

// Every row as a line of text, sorted: the order of rows with equal times is not kept.
inline std::vector<std::string> lines_of(const Trace& trace) {
  std::vector<std::string> lines;
  const auto add = [&](const char* what, int64_t start, int64_t duration, NameId name,
                       const std::string& rest) {
    lines.push_back(format_text("%s %lld+%lld ", what, static_cast<long long>(start),
                                static_cast<long long>(duration)) +
                    std::string(trace.names[name]) + " " + rest);
  };
  for (const Op& op : trace.ops) {
    add("op", op.start_ns, op.duration_ns, op.name,
        format_text("c%u s%u d%u k%u g%u ", op.correlation, op.stream, op.device,
                    static_cast<unsigned>(op.kind), op.graph_node) +
            line_of(trace.details[op.detail]));
  }
  for (const HostCall& call : trace.calls) {
    add("call", call.start_ns, call.duration_ns, call.name,
        format_text("c%u t%u s%u k%u ", call.correlation, call.thread, call.stream,
                    static_cast<unsigned>(call.kind)) +
            line_of(trace.details[call.detail]));
  }
  for (const Range& range : trace.ranges) {
    add("range", range.start_ns, range.duration_ns, range.name,
        format_text("t%u from %u", range.thread, static_cast<unsigned>(range.source)));
  }
  for (const Overhead& o : trace.overheads) add("overhead", o.start_ns, o.duration_ns, o.name, "");
  for (const Sample& s : trace.samples) {
    add("sample", s.time_ns, 0, s.metric, format_text("d%u %a", s.device, s.value));
  }
  for (const Allocation& a : trace.allocations) {
    add("allocation", a.time_ns, 0, 0,
        format_text("s%u k%u d%u c%u %llx %llu %llu", static_cast<unsigned>(a.step),
                    static_cast<unsigned>(a.kind), a.device, a.correlation,
                    static_cast<unsigned long long>(a.address),
                    static_cast<unsigned long long>(a.bytes),
                    static_cast<unsigned long long>(a.in_use_bytes)));
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace deepprof::test
