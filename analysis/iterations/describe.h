// The words of an answer: which levels were weighed, what decided, what the second opinion says.
// They are printed to users.
#pragma once

#include <string>
#include <vector>

#include "analysis/iterations/mined.h"
#include "analysis/iterations/search.h"

namespace deepprof {

// The chosen level first, then those of other lengths that cover much of the recording.
std::vector<Level> describe_levels(const Found& found);

// One clause: what chose the level, and what marks the cut.
std::string describe_decision(const Evidence& evidence, const Found& found);

// Compares with the distance histogram. Returns the factor for the confidence: 1 where both agree
// (`text` stays empty), less where they do not.
double weigh_second_opinion(const Sequence& sequence, const Found& found, std::string& text);

}  // namespace deepprof
