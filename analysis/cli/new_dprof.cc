#include "analysis/cli/new_dprof.h"

#include <cerrno>
#include <cstring>
#include <memory>

#include "analysis/export/unfinished_file.h"
#include "analysis/import/message.h"
#include "analysis/model/dprof.h"
#include "libdeepprof/trace/writer.h"

namespace deepprof {

absl::StatusOr<uint64_t> write_new_dprof(const Trace& trace, const std::string& path) {
  UnfinishedFile unfinished;
  Result<std::unique_ptr<TraceWriter>> writer{Error{}};
  const int failed = unfinished.begin(path, [&](const std::string& name) {
    TraceWriterOptions options;
    options.path = name;
    options.max_file_bytes = 0;  // the trace is kept whole
    return (writer = TraceWriter::create(options)).ok();
  });
  if (failed != 0)
    return bad_input("cannot create ", path, ": ", std::strerror(failed),
                     failed == EEXIST ? "; give another name, or remove it first" : "");
  write_trace(trace, *writer.value());
  writer.value()->finish();
  if (!writer.value()->error().empty()) return damaged_input(writer.value()->error());
  if (const int unnamed = unfinished.finish(); unnamed != 0)
    return damaged_input("cannot write ", path, ": ", std::strerror(unnamed));
  return writer.value()->bytes_written();
}

}  // namespace deepprof
