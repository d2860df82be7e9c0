// CUPTI numbers streams within a context, and two contexts of a device may each have a stream 7.
// Our own recordings give every stream a number of its own; so do imported ones, for all verbs.
#pragma once

#include "analysis/model/trace.h"

namespace deepprof {

// The streams of a device's busiest context keep their numbers; those of the next are 10,000,007
// and so on. An op of no context is of the busiest.
void tell_contexts_apart(Trace& trace);

}  // namespace deepprof
