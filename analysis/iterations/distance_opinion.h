// The second opinion on the iterations: the distances between equal stretches of symbols, and the
// one stretch that returns most evenly. About the simplest method that works; mine() compares its
// own answer with it, and the accuracy benchmark uses it as a baseline.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace deepprof {

struct DistanceOpinion {
  // typical distance of the best anchor; 0: nothing returns evenly
  double distance = 0;
  // share of the string between occurrences at about that distance
  double coverage = 0;
  std::vector<uint32_t> occurrences;  // of the best anchor, ascending
};

// Linear in the string but for a sort of the anchors that return most often.
DistanceOpinion distance_opinion(std::span<const uint32_t> symbols);

}  // namespace deepprof
