// Builds small traces for tests: five kernels in five lines. Times in the unit the test likes
// (default 1 us = 1000 ns).
//
//   TraceBuilder t;
//   t.launch("cudaLaunchKernel", 0, 5).kernel("gemm", 10, 20);      // launched by that call
//   t.kernel("relu", 30, 40).stream(7).kernel("copy", 32, 50);
//   Trace trace = t.build();
#pragma once

#include <cstdint>
#include <string_view>

#include "analysis/model/trace.h"

namespace deepprof::test {

class TraceBuilder {
 public:
  explicit TraceBuilder(int64_t unit_ns = 1000) : unit_ns_(unit_ns) {}

  TraceBuilder& device(uint16_t device) {
    device_ = device;
    return *this;
  }
  TraceBuilder& stream(uint32_t stream) {
    stream_ = stream;
    return *this;
  }
  TraceBuilder& thread(uint32_t thread) {
    thread_ = thread;
    return *this;
  }
  // The ops that follow carry this correlation id until the next launch(); 0 = none.
  TraceBuilder& correlation(uint32_t id) {
    correlation_ = id;
    return *this;
  }
  TraceBuilder& graph_node(uint32_t node) {
    graph_node_ = node;
    return *this;
  }

  // A host call over [from, to); ops that follow are launched by it.
  TraceBuilder& launch(std::string_view api, int64_t from, int64_t to) {
    correlation_ = ++last_correlation_;
    return call(api, from, to, correlation_);
  }
  // A host call that launches nothing.
  TraceBuilder& call(std::string_view api, int64_t from, int64_t to, uint32_t correlation = 0) {
    while (trace_.threads.size() <= thread_)
      trace_.threads.push_back({1, 100 + trace_.threads.size(), ""});
    trace_.calls.push_back(
        {at(from), (to - from) * unit_ns_, correlation, trace_.names.intern(api), thread_});
    return *this;
  }
  TraceBuilder& kernel(std::string_view name, int64_t from, int64_t to) {
    return op(Kind::kernel, name, from, to);
  }
  TraceBuilder& memset(int64_t from, int64_t to) {
    return op(Kind::memset, "Memset (Device)", from, to);
  }
  TraceBuilder& copy(CopyKind kind, int64_t from, int64_t to, uint64_t bytes = 0,
                     MemoryKind host_memory = MemoryKind::pageable) {
    Detail detail;
    detail.bytes = bytes;
    detail.copy_kind = kind;
    detail.source = kind == CopyKind::host_to_device ? host_memory : MemoryKind::device;
    detail.destination = kind == CopyKind::device_to_host ? host_memory : MemoryKind::device;
    trace_.details.push_back(detail);
    const char* name = kind == CopyKind::host_to_device   ? "Memcpy HtoD"
                       : kind == CopyKind::device_to_host ? "Memcpy DtoH"
                                                          : "Memcpy DtoD";
    op(Kind::memcpy, name, from, to);
    trace_.ops.back().detail = static_cast<uint32_t>(trace_.details.size() - 1);
    return *this;
  }
  TraceBuilder& op(Kind kind, std::string_view name, int64_t from, int64_t to) {
    Op op;
    op.start_ns = at(from);
    op.duration_ns = (to - from) * unit_ns_;
    op.correlation = correlation_;
    op.name = trace_.names.intern(name);
    op.stream = stream_;
    op.graph_node = graph_node_;
    op.device = device_;
    op.kind = kind;
    trace_.ops.push_back(op);
    return *this;
  }
  TraceBuilder& overhead(int64_t from, int64_t to, const std::string& kind = "Buffer Flush") {
    trace_.overheads.push_back({at(from), (to - from) * unit_ns_, trace_.names.intern(kind)});
    return *this;
  }
  // Events of the current device are missing.
  TraceBuilder& hole(int64_t from, int64_t to) {
    trace_.holes.push_back({at(from), at(to), device_});
    return *this;
  }
  // Calls of the host are missing.
  TraceBuilder& host_hole(int64_t from, int64_t to) {
    trace_.holes.push_back({at(from), at(to)});
    return *this;
  }
  TraceBuilder& range(RangeSource source, std::string_view name, int64_t from, int64_t to) {
    trace_.ranges.push_back(
        {at(from), (to - from) * unit_ns_, trace_.names.intern(name), thread_, source});
    return *this;
  }
  // The trace before finish(), for tests that add what the builder has no word for.
  Trace& raw() { return trace_; }

  Trace build() {
    trace_.finish();
    return std::move(trace_);
  }
  // Where time t of the builder lies in the trace (0 would be an impossible time).
  int64_t at(int64_t time) const { return kEpoch_ns + time * unit_ns_; }

 private:
  static constexpr int64_t kEpoch_ns = 1'000'000'000;
  Trace trace_;
  int64_t unit_ns_;
  uint32_t correlation_ = 0, last_correlation_ = 0;
  uint32_t stream_ = 7, thread_ = 0, graph_node_ = 0;
  uint16_t device_ = 0;
};

}  // namespace deepprof::test
