// Lengths of time on the command line: "100us", "1.5ms", "20 s", "300" (nanoseconds).
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace deepprof {

absl::StatusOr<int64_t> duration_of(const std::string& option, const std::string& text);

}  // namespace deepprof
