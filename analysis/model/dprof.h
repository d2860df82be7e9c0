// Reads a .dprof file into the trace model. A file whose tail is missing or damaged (the writer was
// killed, the disk was full) reads up to the last whole chunk: the loss is counted as
// Loss::file_damaged and described in `notes`. Errors (not a .dprof, a newer version, unreadable)
// name file, offset and what was expected.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/model/trace.h"
#include "libdeepprof/result.h"
#include "libdeepprof/trace/input_file.h"
#include "libdeepprof/trace/writer.h"

namespace deepprof {

struct LoadedDprof {
  Trace trace;                     // finished; `blobs` holds what put_blob() stored
  std::vector<std::string> notes;  // what the reader had to skip, one sentence each
  bool complete = false;           // the writer's finish() had run
};

// How much of a file is wanted. Names, facts, losses and statistics always are.
struct DprofPart {
  uint64_t newest_bytes = UINT64_MAX;  // of raw chunks: the newest events that lie in so many bytes
};

Result<LoadedDprof> read_dprof(const std::string& path, const DprofPart& part = {});
// The same from any bytes; `name` stands for the path in messages.
Result<LoadedDprof> read_dprof(const ByteSource& source, const std::string& name,
                               const DprofPart& part = {});

// Writes a trace model through a writer (for `deepprof import`): the inverse of read_dprof, but for
// what Event has no room for (context ids). Does not finish the writer.
void write_trace(const Trace& trace, TraceWriter& writer);

}  // namespace deepprof
