// A .dprof file that a verb makes of a trace it has read.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "analysis/model/trace.h"

namespace deepprof {

// Creates the file, which must not be there yet, and returns its size in bytes. Where it cannot be
// written to its end, or a signal ends the command, nothing of it stays.
absl::StatusOr<uint64_t> write_new_dprof(const Trace& trace, const std::string& path);

}  // namespace deepprof
