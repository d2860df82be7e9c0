// The figures by which runs are compared: one table that the profile, the comparison, the sweep and
// the printed tables walk.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/report/table.h"

namespace deepprof {

enum class Measure : uint8_t {
  iteration,
  // Exclusive parts of the iteration, in the order of kParts (findings/slow.h): they and only they
  // add up to it.
  compute,
  communication,
  memcpy,
  memset,
  host_outside,
  host_launch,
  host_blocked,
  dependency_wait,
  kernel_wait,
  graph_replay,
  overhead,
  unattributed,
  idle,
  busy,
  kernels_running,
  kernels,
  copied_in,
  copied_out,
  blocking_calls,
  utilization,
  power,
  energy,
  memory,
  temperature,
  process_cpu,
  host_memory,
};
inline constexpr size_t kMeasures = 27;

// Figures of one family are judged together.
enum class Family : uint8_t {
  iteration,
  part,     // of the iteration
  figure,   // of it, too, but no part
  sampled,  // what GPUs and host used, as sampled beside it (device_measures.cc)
};

struct MeasureInfo {
  const char* key;    // stable, with the unit: "host_outside_ns"
  const char* words;  // for people
  Unit unit;
  Family family;
};
const MeasureInfo& measure_info(Measure measure);

inline size_t index_of(Measure measure) { return static_cast<size_t>(measure); }
inline Measure part_measure(size_t part) {
  return static_cast<Measure>(index_of(Measure::compute) + part);
}

// A figure of one run.
struct Measured {
  double typical = 0, mean = 0;  // per iteration (Over); meaningless unless known
  bool known = false;
  std::vector<double>
      values;  // by sampled iteration (Family::sampled: by stretch); empty: known for the
               // whole run only
};

// A ratio of sums (busy time by time, energy by iterations) as values whose mean is that ratio and
// whose spread is its spread (the delta method). Where both are 0 nothing is known, and the value
// does not count.
std::vector<double> ratio_values(std::span<const double> numerators,
                                 std::span<const double> denominators);

}  // namespace deepprof
