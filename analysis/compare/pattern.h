// What an iteration of a run consists of: the ops that its iterations share, in launch order, with
// the time of each in every iteration, and all ops by name.
//
// Ops are known by a key that does not depend on who recorded them: kernels by their demangled name
// without blanks and argument list, copies by direction, fills.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/findings/align.h"
#include "analysis/model/trace.h"
#include "analysis/report/figures.h"

namespace deepprof {

// All launches of one key.
struct OpTally {
  std::string key;
  std::string name;               // as recorded, of the first op that has the key
  std::string category;           // of kernels; else memcpy, memset
  std::vector<double> count, ns;  // by sampled iteration, in any position
};

// A place in the launch order that at least half of the iterations fill.
struct Position {
  uint32_t op = 0;         // index into IterationPattern::ops
  std::vector<double> ns;  // by sampled iteration; where it lacks, the mean of the others
};

struct IterationPattern {
  std::vector<OpTally> ops;
  std::vector<Position> positions;
};

// `iterations`: indices into device.mined->iterations, those whose times are kept.
IterationPattern pattern_of(const Trace& trace, const Figures& figures, const DeviceFigures& device,
                            std::span<const uint32_t> iterations);

// The key of an op; for tests and for whoever joins ops of several traces.
std::string op_key(const Trace& trace, const Op& op);

// Positions of two patterns that hold the same op. A pattern may begin elsewhere in the loop than
// the other: it is turned so that most ops meet.
std::vector<Aligned> align_patterns(const IterationPattern& a, const IterationPattern& b);

}  // namespace deepprof
