// From the chosen level to iterations: where exactly each begins and ends, and which stretches of
// the string belong to none.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/iterations/contents.h"
#include "analysis/iterations/weigh.h"

namespace deepprof {

// Times the usual length: a first iteration may set itself up and try kernels, but not for longer.
inline constexpr double kMostSetUp = 32;

// Tiles in order, without overlap, within [first, last). What lies between them belongs to no
// iteration.
std::vector<Tile> lay_tiles(const Sequence& sequence, const Evidence& evidence,
                            const Weighed& weighed, uint32_t first, uint32_t last);

// The median of their lengths; 0 without a tile.
uint32_t usual_length(const std::vector<Tile>& tiles);

}  // namespace deepprof
