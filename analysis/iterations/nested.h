// What the usual iteration consists of: layers, micro-steps and other blocks that repeat exactly
// inside it. Called by mine() for its answer and by the report for the words.
#pragma once

#include <string>
#include <vector>

#include "analysis/iterations/mined.h"
#include "analysis/iterations/tiles.h"
#include "analysis/sequence/sequence.h"

namespace deepprof {

// Of the iteration that most of `tiles` are but for noise. Outer repeats in their order, each
// followed by what repeats within one of its blocks.
std::vector<Nested> find_nested(const Sequence& sequence, const std::vector<Tile>& tiles);

// Whether most of the iteration is rows of equal layers: layers hold no such rows themselves.
bool holds_layers(const std::vector<Nested>& nested, uint32_t iteration_ops);

// "24 x layer of 18 ops, 24 x layer of 36 ops"; "4 x micro-step of 300 ops (each 12 x layer of 8
// ops)". Empty: nothing.
std::string nested_words(const std::vector<Nested>& nested);

}  // namespace deepprof
