// What a comparison needs to know of one run: its figures for each iteration, its pattern, what the
// host called, where it idled. Taken from an analysed trace, which may then be let go of.
#pragma once

#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/compare/measure.h"
#include "analysis/compare/pattern.h"
#include "analysis/compare/resamples.h"
#include "analysis/device/sample_index.h"
#include "analysis/model/trace.h"
#include "analysis/report/figures.h"

namespace deepprof {

// A function that blocks the calling host thread (gaps/host_activity.h), by sampled iteration.
struct CallTally {
  std::string name;
  std::vector<double> count;
};

// The op before which most of a cause's idle time lies, and so on down.
struct IdleBefore {
  std::string key, name;
  double ns = 0;  // per iteration
};

struct RunProfile {
  std::string label, path;
  std::string source;       // who recorded it
  bool on_gpu = true;       // false: nothing ran on a GPU; iterations are the optimizer's steps
  std::string gpu;          // name of the device; empty: not known
  double memory_bytes = 0;  // that it has; 0: not known
  uint16_t device = 0;
  size_t devices = 0;  // with ops, in the file
  int rank = -1;
  double batch = 0;                                       // items per iteration; 0: not known
  std::vector<std::pair<std::string, std::string>> tags;  // DEEPPROF_TAG_<NAME>, name in lower case

  size_t iterations = 0;  // counted: complete and of training. 0: no iteration structure found
  double confidence = 0;
  // none found: the figures are of the whole run, as if it were one; no pattern
  bool whole_run = false;
  // why figures may mislead (records lost, hardly an iteration); empty: none
  std::string doubt;
  Resamples resamples;  // of the sampled iterations
  Resamples stretches;  // of the stretches by which figures of Family::sampled are known
  std::array<Measured, kMeasures> measures;

  IterationPattern pattern;
  bool knows_blocking_calls = false;  // false: only launches were recorded
  std::vector<CallTally> calls;
  std::array<std::vector<IdleBefore>, kCauses> idle_before;
  double clock_ns = 1;  // what the clock of the GPU times can tell apart

  const Measured& operator[](Measure measure) const { return measures[index_of(measure)]; }
  Measured& operator[](Measure measure) { return measures[index_of(measure)]; }
};

struct ProfileOptions {
  std::string label, path;
  double batch = 0;  // 0: what the run says of itself (DEEPPROF_BATCH)
};

// At most so many iterations, evenly spread over the run, are kept one by one; means are of all.
inline constexpr size_t kMostSampled = 1000;

RunProfile profile_run(const Trace& trace, const Figures& figures, const DeviceFigures& device,
                       const ProfileOptions& options);

// Of a run without GPU ops: the times between the steps that the job's framework told of.
RunProfile profile_host_run(const Trace& trace, const ProfileOptions& options);

// What GPUs and host used in `windows` (device_measures.cc): energy of a window, means over their
// time, peaks. Energy is that of all `devices`, the other figures are those of profile.device.
void measure_use(const SampleIndex& samples, std::span<const Window> windows,
                 std::span<const uint16_t> devices, RunProfile& profile);

}  // namespace deepprof
