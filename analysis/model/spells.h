// The spells in which another tool had CUPTI: facts "takeover.1", "takeover.2", ... of start and
// end in nanoseconds of the wall clock. Nothing is known of them, so they are holes.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/model/trace.h"

namespace deepprof {

struct Spell {
  int64_t start_ns = 0, end_ns = 0;  // in the trace's clock
};
std::vector<Spell> takeover_spells(const Trace& trace);

// Of a finished trace: makes them holes of every device with ops, and of the host's calls.
void add_spell_holes(Trace& trace);

}  // namespace deepprof
