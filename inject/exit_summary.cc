#include "inject/exit_summary.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#include "analysis/iterations/mine.h"
#include "analysis/model/dprof.h"
#include "analysis/report/summary.h"
#include "inject/notice.h"
#include "inject/output.h"
#include "libdeepprof/capture/clock.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

// What reading, mining and accounting take at their peak for each event of the file.
constexpr uint64_t kMemoryPerEvent_bytes = 160;

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string closing_line(const Options& options, const ExitSummaryInput& input) {
  const std::string trace = base_name(input.trace_path);
  std::string line = format_text("wrote %s (%.1f MB)", trace.c_str(), static_cast<double>(input.file_bytes) / 1e6);
  if (options.report_to_file) {
    line += options.report_path.empty() ? ", .report.txt" : ", " + base_name(input.report_path);
  }
  return line + "   next: deepprof gaps " + trace;
}

bool color_wanted() { return ::isatty(STDERR_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr; }

void put_out(const Options& options, const ExitSummaryInput& input, const Trace& trace, const Mined& mined) {
  SummaryOptions summary;
  summary.batch = options.batch;
  summary.categories_path = options.categories_path;
  summary.wrote = closing_line(options, input);
  if (options.report_to_file) {
    const Result<std::string> written = write_whole_file(input.report_path, summary_text(trace, mined, summary));
    if (!written) notice("cannot write the report: " + written.error());
  }
  if (options.report_to_stderr) {
    summary.color = color_wanted();
    write_stderr(summary_text(trace, mined, summary), input.deadline_ns);
  }
}

}  // namespace

void print_exit_summary(const Options& options, const ExitSummaryInput& input) {
  const std::string by_hand = "deepprof report " + input.trace_path;
  if (input.events * kMemoryPerEvent_bytes > options.max_memory_bytes) {
    return notice(format_text("%llu events are too many to summarise within DEEPPROF_MAX_MEMORY: run %s",
                              static_cast<unsigned long long>(input.events), by_hand.c_str()));
  }
  try {
    const Result<LoadedDprof> loaded = read_dprof(input.trace_path);
    if (!loaded) return notice("cannot read back " + loaded.error());
    const Trace& trace = loaded.value().trace;
    MineOptions mine_options;
    mine_options.time_budget_ns = std::max<int64_t>(1, input.deadline_ns - monotonic_ns());
    mine_options.memory_budget_bytes = options.max_memory_bytes;
    put_out(options, input, trace, mine(trace, mine_options));
  } catch (const std::bad_alloc&) {
    notice("not enough memory for the summary: run " + by_hand);
  }
}

}  // namespace deepprof
