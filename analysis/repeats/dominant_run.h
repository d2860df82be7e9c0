// The repetition that a string consists of but for its ends, if it is one to the symbol. Called for
// whole recordings: one pass, 2.4 bytes a symbol.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "analysis/repeats/runs.h"

namespace deepprof {

// The maximal repetition that holds the middle three fifths of the string and fits three times or
// more.
std::optional<Run> dominant_run(std::span<const uint32_t> symbols);

// Widens a run of `symbols` as far as its period goes on.
Run widened(std::span<const uint32_t> symbols, Run run);

}  // namespace deepprof
