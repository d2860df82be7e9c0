// Lays a level's landmarks along the string: which occurrences belong together, and where one
// repetition ends and the next begins. Tolerates missing and stray occurrences and repetitions of
// any length.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/iterations/levels.h"

namespace deepprof {

// An occurrence that the chain uses.
struct Link {
  uint32_t at = 0;        // symbol
  uint16_t landmark = 0;  // index into LevelModel::landmarks
  bool opens = false;     // first of its repetition
};

// The best chain over symbols [first, last): linear in the string.
std::vector<Link> lay_chain(const Sequence& sequence, const Evidence& evidence,
                            const LevelModel& level, uint32_t first, uint32_t last);

// Leaves out landmarks, evenly, until about `links` occurrences remain; two at least stay.
void thin(LevelModel& level, size_t links);

// Makes repetitions begin `shift` ops behind the level's first landmark.
void rotate(LevelModel& level, double shift);

}  // namespace deepprof
