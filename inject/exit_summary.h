// The summary at the end of the run: reads our own trace file back, mines it and lays out the text.
// Runs on a thread of its own with every signal blocked and with descriptors of its own, within a
// time and a memory budget; whatever goes wrong costs the summary, never the job.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <string>

#include "inject/options.h"

namespace deepprof {

// Which comes first: the summary that is ready to be written, or the end of its time.
class SummaryGate {
 public:
  // The summary is ready. False: too late, nothing may be written.
  bool pass() noexcept { return decide(State::passed); }
  // Its time is over. False: it is being written right now.
  bool shut() noexcept { return decide(State::shut); }

 private:
  enum class State { open, passed, shut };
  bool decide(State wanted) noexcept {
    State expected = State::open;
    return state_.compare_exchange_strong(expected, wanted);
  }
  std::atomic<State> state_{State::open};
};

struct ExitSummaryInput {
  std::string trace_path;
  std::string report_path;
  std::string metrics_path;  // empty: none
  uint64_t events = 0;       // in the file, to foresee the memory that they take
  uint64_t file_bytes = 0;
  std::map<std::string, std::string> run_statistics;  // the trace's blobs: of the whole run
  int64_t deadline_ns = 0;                            // monotonic
};

// So many events can be read back within DEEPPROF_MAX_MEMORY. Of a run with more, the summary is
// what was counted.
uint64_t most_events_read_back(const Options& options);

// Makes the summary on a thread of its own, which writes the report file and the metrics file as
// the options say and is given up on at the input's deadline; then what can be said at once takes
// its place. Prints on the calling thread.
void summarize_in_time(const Options& options, const ExitSummaryInput& input);

}  // namespace deepprof
