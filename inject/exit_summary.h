// The summary at the end of the run: reads our own trace file back, mines it and lays out the text. Runs on
// a thread of its own with every signal blocked, within a time and a memory budget; whatever goes wrong
// costs the summary, never the job.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "inject/options.h"

namespace deepprof {

struct ExitSummaryInput {
  std::string trace_path;
  std::string report_path;
  uint64_t events = 0;       // in the file, to foresee the memory that they take
  uint64_t file_bytes = 0;
  std::map<std::string, std::string> run_statistics;  // the trace's blobs: of the whole run
  int64_t deadline_ns = 0;   // monotonic
};

// Prints to stderr and writes the report file as the options say.
void print_exit_summary(const Options& options, const ExitSummaryInput& input);

}  // namespace deepprof
