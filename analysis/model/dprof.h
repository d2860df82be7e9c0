// Reads a .dprof file into the trace model. A file whose tail is missing or damaged (the writer was
// killed, the disk was full) reads up to the last whole chunk: the loss is counted as Loss::file_damaged
// and described in `notes`. Errors (not a .dprof, a newer version, unreadable) name file, offset and
// what was expected.
#pragma once

#include <string>
#include <vector>

#include "analysis/model/trace.h"
#include "libdeepprof/result.h"
#include "libdeepprof/trace/input_file.h"
#include "libdeepprof/trace/writer.h"

namespace deepprof {

struct LoadedDprof {
  Trace trace;                               // finished; `blobs` holds what put_blob() stored
  std::vector<std::string> notes;            // what the reader had to skip, one sentence each
  bool complete = false;                     // the writer's finish() had run
};

Result<LoadedDprof> read_dprof(const std::string& path);
// The same from any bytes; `name` stands for the path in messages.
Result<LoadedDprof> read_dprof(const ByteSource& source, const std::string& name);

// Writes a trace model through a writer (for `deepprof import`): the inverse of read_dprof, but for what
// Event has no room for (context ids). Does not finish the writer.
void write_trace(const Trace& trace, TraceWriter& writer);

}  // namespace deepprof
