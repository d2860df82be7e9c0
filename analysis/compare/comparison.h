// Two runs side by side: what differs between their iterations, and what of it is more than chance.
//
// Pure: profiles in (run_profile.h), a comparison out. Called by `deepprof compare`.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "analysis/compare/difference.h"
#include "analysis/compare/kernel_changes.h"
#include "analysis/compare/run_profile.h"

namespace deepprof {

// The smallest change of a part that is called one, of the first run's iteration; of any other
// figure, of itself.
inline constexpr double kLeastChange = 0.01;

struct MeasureChange {
  Difference typical, mean;
  bool known = false;  // in both runs
  // beyond chance, and large enough; a few slow iterations move the mean alone
  bool typical_differs = false, mean_differs = false;
  bool small = false;  // beyond chance, and not large enough
  // of the typical iteration: large, its interval leaves out 0, and yet it may be chance: too few
  // iterations
  bool unclear = false;
  // large, and 0 in every iteration of one run: new or gone, but how much of it is not sure
  bool one_sided = false;

  bool significant() const { return typical_differs || mean_differs; }
  const Difference& over(Over which) const { return which == Over::typical ? typical : mean; }
};

struct CallChange {
  std::string name;
  Difference count;  // per typical iteration
  bool significant = false;
};

// What differs, in a sentence, largest effect first.
struct Change {
  std::string key;  // stable: a measure's key, "ops", "calls" or "use"
  std::string sentence;
  double ns = 0;  // per iteration; 0: not a matter of time
};

struct Comparison {
  std::array<MeasureChange, kMeasures> measures;
  // Time per iteration or, where the batches are known and differ, per item: what the gate looks
  // at.
  MeasureChange pace;
  bool per_item = false;
  MeasureChange item_energy;  // known where energy and both batches are
  // neither has iterations: every figure is of the whole run, and none is tested
  bool whole_run = false;
  std::vector<OpChange> ops;
  std::vector<CallChange> calls;
  std::vector<Change> changes;
  std::vector<std::string> notes;  // what the reader has to know before believing it

  const MeasureChange& operator[](Measure measure) const { return measures[index_of(measure)]; }
};

Comparison compare_runs(const RunProfile& a, const RunProfile& b);

// The same from two runs' durations alone.
MeasureChange compare_durations(std::span<const double> a, const Resamples& run_a,
                                std::span<const double> b, const Resamples& run_b);

// The sentences of Comparison::changes (changes.cc).
std::vector<Change> describe_changes(const RunProfile& a, const RunProfile& b,
                                     const Comparison& comparison);

}  // namespace deepprof
