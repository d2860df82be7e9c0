// A trace as a .dprof, for tests that read one.
#pragma once

#include <string>

#include "analysis/model/dprof.h"
#include "test/support/catch.h"

namespace deepprof::test {

// Returns the path.
inline std::string write_trace_file(const std::string& path, const Trace& trace) {
  auto writer = TraceWriter::create({path, 0});
  REQUIRE(writer.ok());
  write_trace(trace, *writer.value());
  writer.value()->finish();
  return path;
}

}  // namespace deepprof::test
