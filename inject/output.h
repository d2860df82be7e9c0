// Where the trace and the report of this process go.
#pragma once

#include <memory>
#include <string>

#include "inject/options.h"
#include "libdeepprof/result.h"
#include "libdeepprof/trace/writer.h"

namespace deepprof {

std::string host_name();

// Against the working folder as it is now: the job may change it later.
std::string absolute_path(const std::string& path);

// The path without its ending: "<folder>/deepprof.<host>.<pid>", with ".rank<r>" in a ranked job;
// or the pattern of DEEPPROF_OUTPUT with %h, %p and %r filled in. Absolute, so that a chdir of the
// job is harmless.
std::string output_stem(const Options& options, const Rank& rank);

struct Output {
  std::unique_ptr<TraceWriter> writer;
  std::string trace_path;    // <stem>.dprof; <stem>.1.dprof if that was there already, and so on
  std::string report_path;   // <stem>.report.txt likewise, or what DEEPPROF_REPORT names
  std::string metrics_path;  // what DEEPPROF_METRICS_FILE names; empty: none
};

// Makes the folder if need be and creates the trace file. Nothing is ever overwritten.
Result<Output> create_output(const Options& options, const Rank& rank);

// Writes a whole file or none: a temporary file beside it, then a rename. An existing file stays
// and the new one gets a number; returns the path that was written.
Result<std::string> write_whole_file(const std::string& path, std::string_view text);

// The same for a file that is there to be replaced: its readers see the old one or the new one,
// both whole.
Status replace_whole_file(const std::string& path, std::string_view text);

}  // namespace deepprof
