// What the DEEPPROF_* variables ask for. Read once, when the driver loads us.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/report/table.h"
#include "libdeepprof/cupti/activation.h"

namespace deepprof {

struct Options {
  bool disabled = false;         // DEEPPROF_DISABLE
  std::string output;            // DEEPPROF_OUTPUT: folder, or pattern with %h %p %r; empty: here
  bool report_to_stderr = true;  // DEEPPROF_REPORT=0|stderr|PATH
  bool report_to_file = true;
  std::string report_path;              // empty: beside the trace
  Format report_format = Format::text;  // DEEPPROF_FORMAT: of the file; stderr always gets text
  std::string metrics_path;             // DEEPPROF_METRICS_FILE: OpenMetrics text; empty: none
  uint64_t max_memory_bytes = uint64_t{256} << 20;  // DEEPPROF_MAX_MEMORY: of the summary at exit
  uint64_t max_file_bytes = uint64_t{1} << 30;      // DEEPPROF_MAX_FILE; 0: no ceiling
  // DEEPPROF_DELAY: from the start of capture to the first record kept
  int64_t delay_ns = 0;
  int64_t duration_ns = 0;  // DEEPPROF_DURATION: from there to the last; 0: to the end
  int64_t flush_interval_ns = 200'000'000;  // DEEPPROF_FLUSH_MS
  // DEEPPROF_REARM_S; 0: never by the clock
  std::optional<int64_t> rearm_after_ns;
  int64_t sample_interval_ns = 100'000'000;  // DEEPPROF_SAMPLE_MS; 0: no sampling
  bool step_hook = false;                    // DEEPPROF_STEP_HOOK
  // DEEPPROF_CPU: the process that is recorded though it uses no GPU
  std::string cpu_process;
  std::vector<int> ranks;       // DEEPPROF_RANKS; empty: all
  cupti::Wanted wanted;         // DEEPPROF_API, DEEPPROF_GRAPH, DEEPPROF_KINDS, DEEPPROF_MEMORY
  std::string cupti_path;       // DEEPPROF_CUPTI
  std::string categories_path;  // DEEPPROF_CATEGORIES
  double batch = 0;             // DEEPPROF_BATCH
  std::string log_path;         // DEEPPROF_LOG: a file, or "stderr"; empty: no log
  std::vector<std::pair<std::string, std::string>> tags;  // DEEPPROF_TAG_<NAME>, name in lower case

  // One sentence for each variable that is unknown, or whose value was not understood and is
  // therefore at its default, or below what can be kept and is therefore at its least.
  std::vector<std::string> complaints;
};

// `environment` is a null-terminated list of NAME=value, such as `environ`.
Options read_options(const char* const* environment);

// The rank of this process in its job, from RANK, LOCAL_RANK, OMPI_COMM_WORLD_RANK or SLURM_PROCID
// (with the matching world size); -1: not a ranked job.
struct Rank {
  int rank = -1;
  int world_size = -1;
};
Rank read_rank(const char* const* environment);

}  // namespace deepprof
