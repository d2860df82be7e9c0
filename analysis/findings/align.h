// Aligns two op sequences (two iterations) so that they can be compared op by op.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/model/trace.h"

namespace deepprof {

// Positions in a and b that hold the same op; kNone on one side: only the other has it.
struct Aligned {
  uint32_t a = kNone, b = kNone;
  friend bool operator==(const Aligned&, const Aligned&) = default;
};

// The shortest edit script (insertions and deletions) between two sequences of symbols, in order.
// Where they differ in more than `most_edits` places the middle is not compared: what it holds of
// a, then of b. Time O(n + edits * n), memory O(edits^2).
std::vector<Aligned> align(std::span<const NameId> a, std::span<const NameId> b,
                           int most_edits = 1000);

}  // namespace deepprof
