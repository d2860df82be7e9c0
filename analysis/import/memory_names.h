// What a copy or fill moved between, from the words that Kineto puts in its name:
// "Memcpy HtoD (Pageable -> Device)", "Memset (Device)".
#pragma once

#include <string_view>

#include "libdeepprof/event/event.h"

namespace deepprof {

// The direction, from a name or a bare word ("HtoD"); unknown where there is none.
CopyKind copy_kind_of(std::string_view text);

// Fills source and destination from the words in parentheses; what is not a kind of memory stays
// unknown.
void read_memory_kinds(std::string_view name, Detail& detail);

}  // namespace deepprof
