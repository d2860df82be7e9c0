// The family of exporters: one file a member, one visible list (exporters.cc). An exporter turns a
// trace into another tool's format; it walks the table of event kinds and knows no source.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "analysis/export/sink.h"
#include "analysis/iterations/mined.h"
#include "analysis/model/trace.h"
#include "analysis/report/table.h"

namespace deepprof {

// The part of a trace that is written.
struct ExportedPart {
  const Trace& trace;
  const Mined& mined;  // may be empty
  // Rows of IterationRows, of the whole trace (what counts and what is slow shows beside the
  // others); null: not made, as the exporter takes none.
  const Table* iterations = nullptr;
};

class Exporter {
 public:
  virtual ~Exporter() = default;

  virtual const char* name() const = 0;    // `deepprof export --to NAME`
  virtual const char* suffix() const = 0;  // of a file of this format, with the dot
  virtual const char* about() const = 0;   // one line of the list

  // What of a trace it writes beside GPU ops.
  virtual bool writes_iterations() const { return true; }
  virtual bool writes_host() const { return true; }
  virtual bool takes_iterations_table() const { return false; }

  virtual absl::Status write(const ExportedPart& part, Sink& sink) const = 0;
};

// Every exporter, in the order of the list.
const std::vector<std::unique_ptr<Exporter>>& exporters();

std::unique_ptr<Exporter> make_csv_exporter();
std::unique_ptr<Exporter> make_jsonl_exporter();
std::unique_ptr<Exporter> make_sqlite_exporter();
std::unique_ptr<Exporter> make_perfetto_exporter();
std::unique_ptr<Exporter> make_chrome_exporter();
std::unique_ptr<Exporter> make_recording_exporter();

}  // namespace deepprof
