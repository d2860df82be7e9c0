#include "inject/exit_summary.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#include "analysis/iterations/mine.h"
#include "analysis/model/dprof.h"
#include "analysis/online/number_over_run.h"
#include "analysis/online/whole_run.h"
#include "analysis/report/figures.h"
#include "analysis/report/openmetrics.h"
#include "analysis/report/page.h"
#include "analysis/report/report_tables.h"
#include "analysis/report/summary.h"
#include "inject/notice.h"
#include "inject/output.h"
#include "libdeepprof/capture/clock.h"
#include "libdeepprof/capture/worker_thread.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

// What reading, mining and accounting take at their peak for each event of the file: 77 bytes were measured.
constexpr uint64_t kMemoryPerEvent_bytes = 100;
constexpr int64_t kMostMining_ns = 3'000'000'000;
constexpr int64_t kLastWords_ns = 300'000'000;

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string closing_line(const Options& options, const ExitSummaryInput& input) {
  const std::string trace = base_name(input.trace_path);
  std::string line = format_text("wrote %s (%.1f MB)", trace.c_str(), static_cast<double>(input.file_bytes) / 1e6);
  if (options.report_to_file) {
    const std::string report = base_name(input.report_path);
    line += ", " + (options.report_path.empty() ? report.substr(report.rfind(".report.")) : report);
  }
  // A run without a GPU has no gaps to look at.
  return line + (input.events > 0 ? "   next: deepprof gaps " : "   next: deepprof device ") + trace;
}

bool color_wanted() { return ::isatty(STDERR_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr; }

// What goes where; empty: nothing to say there.
struct Texts {
  std::string page, colored_page;  // the second only where stderr shows colours
  std::string tables;              // the report file in another format than text
  std::string metrics;
};

void put_out(const Options& options, const ExitSummaryInput& input, const Texts& output) {
  if (output.page.empty() || !input.gate->pass()) return;
  // A page of text is not put into a file that was asked for as tables.
  if (options.report_to_file && (options.report_format == Format::text || !output.tables.empty())) {
    const std::string& content = output.tables.empty() ? output.page : output.tables;
    const Result<std::string> written = write_whole_file(input.report_path, content);
    if (!written) notice("cannot write the report: " + written.error());
  }
  if (!output.metrics.empty()) {
    const Status written = replace_whole_file(input.metrics_path, output.metrics);
    if (!written) notice("cannot write the metrics: " + written.error());
  }
  if (options.report_to_stderr) {
    write_stderr(output.colored_page.empty() ? output.page : output.colored_page, input.deadline_ns);
  }
}

Texts full_output(const Options& options, const ExitSummaryInput& input, const Trace& trace, const Mined& mined) {
  Texts output;
  SummaryOptions summary;
  summary.batch = options.batch;
  summary.categories_path = options.categories_path;
  summary.wrote = closing_line(options, input);
  output.page = summary_text(trace, mined, summary);
  summary.color = options.report_to_stderr && color_wanted();
  if (summary.color) output.colored_page = summary_text(trace, mined, summary);
  const bool tables = options.report_to_file && options.report_format != Format::text;
  if (!tables && input.metrics_path.empty()) return output;
  const Figures figures = compute_figures(trace, mined, {options.categories_path, {}});
  if (tables) output.tables = render_report(trace, figures, options.report_format);
  if (!input.metrics_path.empty()) output.metrics = openmetrics_text(trace, figures);
  return output;
}

// What was counted while the job ran: all there is when the events are too many to be read back.
std::string whole_run_text(const ExitSummaryInput& input, bool color) {
  constexpr size_t kWidth = 100;
  Page page(kWidth, color);
  whole_run_part(input.run_statistics, page);
  return page.take();
}

}  // namespace

void print_short_summary(const Options& options, const ExitSummaryInput& input) {
  ExitSummaryInput at_once = input;
  at_once.gate = std::make_shared<SummaryGate>();
  Texts output;
  output.page = whole_run_text(input, false);
  if (options.report_to_stderr && color_wanted()) output.colored_page = whole_run_text(input, true);
  put_out(options, at_once, output);
}

void print_exit_summary(const Options& options, const ExitSummaryInput& input) {
  const std::string by_hand = "deepprof report " + input.trace_path;
  if (input.events * kMemoryPerEvent_bytes > options.max_memory_bytes) {
    print_short_summary(options, input);
    return notice(format_text("%llu events are too many to account for within DEEPPROF_MAX_MEMORY: run %s",
                              static_cast<unsigned long long>(input.events), by_hand.c_str()));
  }
  try {
    const Result<LoadedDprof> loaded = read_dprof(input.trace_path);
    if (!loaded) return notice("cannot read back " + loaded.error());
    const Trace& trace = loaded.value().trace;
    // Without iterations the summary still tells where the time went: mining may not take all that is left.
    MineOptions mine_options;
    mine_options.time_budget_ns =
        std::clamp<int64_t>((input.deadline_ns - monotonic_ns()) / 2, 1, kMostMining_ns);
    mine_options.memory_budget_bytes = options.max_memory_bytes;
    Mined mined = mine(trace, mine_options);
    number_over_run(trace, mined);
    put_out(options, input, full_output(options, input, trace, mined));
  } catch (const std::bad_alloc&) {
    notice("not enough memory for the summary: run " + by_hand);
  }
}

void summarize_in_time(const Options& options, ExitSummaryInput input) {
  // The thread may outlive its deadline and end with the process: it owns what it uses.
  WorkerThread thread;
  const bool started = thread.start("dp-summary", [options, input] {
    try {
      print_exit_summary(options, input);
    } catch (...) {
      notice("no summary: run deepprof report on the trace");
    }
  });
  if (started && thread.wait_until(input.deadline_ns)) return;
  if (started && !input.gate->shut()) {
    // It is on the way out: a moment more, and the lines stay together.
    thread.wait_until(monotonic_ns() + kLastWords_ns);
    return;
  }
  input.deadline_ns = monotonic_ns() + kLastWords_ns;
  print_short_summary(options, input);
  notice("no time left for the whole summary: run deepprof report " + input.trace_path);
}

}  // namespace deepprof
