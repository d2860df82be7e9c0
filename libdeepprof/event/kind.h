// What kinds of events exist: one table that the writer, the reader, the exporters and the reports
// walk.
//
// Kinds are named for what happened, never for a vendor. The number is the one on disk: never reuse
// or renumber one (docs/trace-format.md).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace deepprof {

enum class Kind : uint8_t {
  none = 0,
  kernel = 1,    // a kernel ran on a stream of a device
  memcpy = 2,    // a copy ran on a stream (peer copies included)
  memset = 3,    // a fill ran on a stream
  graph = 4,     // a whole graph launch, traced as one op (DEEPPROF_GRAPH=graph)
  sync = 5,      // a host thread waited for a stream, event, context or device
  api_call = 6,  // a call into the runtime or driver API on a host thread
  overhead = 7,  // an overhead that CUPTI tells of: its own, or code that CUDA loads
  // Memory was taken or given back (event/allocation.h). In files these have chunks of their own.
  allocation = 8,
};

enum class Lane : uint8_t { device, host };

struct KindInfo {
  Kind kind;
  std::string_view name;  // the word in tables, exports and filters
  Lane lane;              // whose timeline the interval lies on
  bool is_gpu_op;         // takes part in mining and in GPU busy time
  std::string_view about;
};

// Every kind, in the order of its number.
std::span<const KindInfo> kinds();

// The row of a kind; the row of Kind::none for a number that this version does not know.
const KindInfo& kind_info(Kind kind);

inline constexpr bool is_gpu_op(Kind kind) {
  return kind == Kind::kernel || kind == Kind::memcpy || kind == Kind::memset ||
         kind == Kind::graph;
}

}  // namespace deepprof
