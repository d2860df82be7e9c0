// Which GPU ops of an iteration a change between two runs added, removed, replaced, slowed or sped
// up.
//
// Ops are matched by their place in the patterns of both runs, then by name. Every place, every
// name and every surplus is a test of its own, and all of them are judged together (difference.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/compare/run_profile.h"

namespace deepprof {

enum class OpVerdict : uint8_t { same, slower, faster, added, removed, replaced };
const char* verdict_name(OpVerdict verdict);

// The smallest change of an op's time that is called one; of its time in the first run.
inline constexpr double kLeastOpChange = 0.03;

struct OpChange {
  OpVerdict verdict = OpVerdict::same;
  std::string name_a, name_b;  // as recorded; empty: not in that run
  std::string category;
  uint32_t places = 0;              // of the pattern that this row is about
  double count_a = 0, count_b = 0;  // per iteration, of this row's places
  double ns_a = 0, ns_b = 0;        // per typical iteration, of this row's places
  double chance = 1;                // smallest of its tests

  double change_ns() const { return ns_b - ns_a; }
};

// Ops that changed come first, most time first; then those that did not.
std::vector<OpChange> op_changes(const RunProfile& a, const RunProfile& b);

}  // namespace deepprof
