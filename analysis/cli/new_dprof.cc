#include "analysis/cli/new_dprof.h"

#include <unistd.h>

#include <memory>

#include "analysis/export/unfinished_file.h"
#include "analysis/import/message.h"
#include "analysis/model/dprof.h"
#include "libdeepprof/trace/writer.h"

namespace deepprof {

absl::StatusOr<uint64_t> write_new_dprof(const Trace& trace, const std::string& path) {
  TraceWriterOptions options;
  options.path = path;
  options.max_file_bytes = 0;  // the trace is kept whole
  UnfinishedFile unfinished;
  Result<std::unique_ptr<TraceWriter>> writer{Error{}};
  unfinished.watch(path, [&] { return (writer = TraceWriter::create(options)).ok(); });
  if (!writer) return bad_input(writer.error());
  write_trace(trace, *writer.value());
  writer.value()->finish();
  if (!writer.value()->error().empty()) {
    ::unlink(path.c_str());
    return damaged_input(writer.value()->error());
  }
  return writer.value()->bytes_written();
}

}  // namespace deepprof
