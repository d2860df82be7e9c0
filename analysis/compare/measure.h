// The figures by which runs are compared: one table that the profile, the comparison, the sweep and the
// printed tables walk.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/report/table.h"

namespace deepprof {

enum class Measure : uint8_t {
  iteration,
  compute, communication, memcpy, memset,                    // exclusive parts of the iteration, in the order
  host_outside, host_launch, host_blocked, dependency_wait,  // of kParts (findings/slow.h): they and only
  kernel_wait, graph_replay, overhead, unattributed,         // they add up to it
  idle, busy, kernels_running,
  kernels, copied_in, copied_out, blocking_calls,
  utilization, power, energy, memory, temperature, process_cpu, host_memory,
};
inline constexpr size_t kMeasures = 27;

struct MeasureInfo {
  const char* key;    // stable, with the unit: "host_outside_ns"
  const char* words;  // for people
  Unit unit;
  bool part;          // of the iteration
};
const MeasureInfo& measure_info(Measure measure);

inline size_t index_of(Measure measure) { return static_cast<size_t>(measure); }
inline Measure part_measure(size_t part) { return static_cast<Measure>(index_of(Measure::compute) + part); }

// A figure of one run.
struct Measured {
  double typical = 0, mean = 0;  // per iteration (Over); meaningless unless known
  bool known = false;
  std::vector<double> values;    // by sampled iteration; empty: known for the whole run only
};

}  // namespace deepprof
