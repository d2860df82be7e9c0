// Reads a .dprof file into the trace model. A file whose tail is missing or damaged (the writer was
// killed, the disk was full) reads up to the last whole chunk: the loss is counted as Loss::file_damaged
// and described in `notes`. Errors (not a .dprof, a newer version, unreadable) name file, offset and
// what was expected.
#pragma once

#include <string>
#include <vector>

#include "analysis/model/trace.h"
#include "libdeepprof/result.h"
#include "libdeepprof/trace/writer.h"

namespace deepprof {

struct LoadedDprof {
  Trace trace;                     // finished
  std::vector<std::string> notes;  // what the reader had to skip, one sentence each
};

Result<LoadedDprof> read_dprof(const std::string& path);

// Writes a trace model through a writer (for `deepprof import`): the inverse of read_dprof.
void write_trace(const Trace& trace, TraceWriter& writer);

}  // namespace deepprof
