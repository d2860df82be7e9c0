// The levels at which a string of ops repeats, as candidates for "the iteration". A level is a set
// of landmarks: stretches of symbols, or host evidence, that come once a repetition, in one order.
// Built once for each string that mine() looks at.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/iterations/evidence.h"
#include "analysis/repeats/kgrams.h"
#include "analysis/repeats/runs.h"
#include "analysis/sequence/sequence.h"

namespace deepprof {

struct Landmark {
  std::vector<uint32_t> stretch;  // its symbols; empty: events of a host sign
  uint32_t sign = 0;              // index into Evidence::signs, where `stretch` is empty
  double offset = 0;              // usual ops behind the level's first landmark
};

struct LevelModel {
  std::vector<Landmark> landmarks;  // in their order within a repetition; the first has offset 0
  double length = 0;                // median ops of a repetition
  uint32_t count = 0;               // repetitions, about
  uint32_t support = 0;             // distinct places in the repetition that return with it
  // the window is this level, to the op, but for its ends: as far as it goes on in the string
  std::optional<Run> run;
};

// Candidate levels of symbols [first, last), by ascending length.
std::vector<LevelModel> find_levels(const Sequence& sequence, const Evidence& evidence,
                                    uint32_t first, uint32_t last);

}  // namespace deepprof
