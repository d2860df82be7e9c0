// What a copy or fill moved between, from the words that Kineto puts in its name:
// "Memcpy HtoD (Pageable -> Device)", "Memset (Device)".
#pragma once

#include <string_view>

#include "libdeepprof/event/event.h"

namespace deepprof {

// The direction, from a name or a bare word ("HtoD", "H2D"); unknown where there is none.
CopyKind copy_kind_of(std::string_view text);

// "Memcpy HtoD": what a copy of this direction is called where the input gives it no name.
std::string_view copy_name(CopyKind kind);

// From a single word, in any case, with blanks or underscores: "Pinned", "device_static".
MemoryKind memory_kind_of(std::string_view word);

// Fills source and destination from the words in parentheses; what is not a kind of memory stays
// unknown.
void read_memory_kinds(std::string_view name, Detail& detail);

}  // namespace deepprof
