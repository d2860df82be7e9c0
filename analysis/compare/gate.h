// A limit on how much slower a run may be than another: what `deepprof compare --gate` answers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/compare/comparison.h"
#include "analysis/report/table.h"

namespace deepprof {

// Over which iterations the run became slower by more than `limit` (0.05: 5 %), and not by chance:
// the typical ones or else, in the mean, all. Nothing: it did not.
std::optional<Over> regressed(const MeasureChange& pace, double limit);

// True if a run that is slower by `limit` would look like one that is not: the interval of the
// typical time reaches further from the change than that, and beyond the limit.
bool too_coarse(const MeasureChange& pace, double limit);

enum class GateVerdict : uint8_t {
  passed,
  failed,
  inconclusive,  // the runs cannot tell
};
const char* gate_verdict_name(GateVerdict verdict);

struct GateAnswer {
  GateVerdict verdict = GateVerdict::inconclusive;
  Over over = Over::typical;  // which the verdict rests on
  std::string reason;         // a sentence; of one that passed: what it does not rule out, or empty
  // Of one that passed: the 99 % interval goes beyond the limit.
  bool not_ruled_out() const { return verdict == GateVerdict::passed && !reason.empty(); }
};
GateAnswer ask_gate(const RunProfile& a, const RunProfile& b, const Comparison& of, double limit);

// A row for each run after the first. `answers` as those of ask_gate(), in the order of `runs`.
Table gate_table(std::span<const RunProfile> runs, std::span<const Comparison> comparisons,
                 std::span<const GateAnswer> answers, double limit);

}  // namespace deepprof
