// load_trace(): any readable input (own dump or a foreign trace, .gz too) into the trace model,
// sniffed by content and never by file name. Errors are one line: what, file, offset, what was
// expected.
#pragma once

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "analysis/model/trace.h"

namespace deepprof {

struct LoadOptions {
  // Called now and then with the share of the input that has been read, 0..1. May be empty.
  std::function<void(double)> progress;
};

// True if the content is one that load_trace() reads; whether it is whole is not looked at. JSON
// without a trace event is none.
bool is_trace(const std::string& path);

absl::StatusOr<Trace> load_trace(const std::string& path, const LoadOptions& options = {});

}  // namespace deepprof
