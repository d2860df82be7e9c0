// The members around the events of a Kineto trace: devices, ranks, versions, the clock. Part of the
// Kineto importer.
#pragma once

#include <string_view>

#include "analysis/model/trace.h"

namespace deepprof {

// `value` is the member's JSON text. Members that say nothing of use, and malformed ones, leave no
// trace.
void read_kineto_member(std::string_view key, std::string_view value, Trace& trace);

}  // namespace deepprof
