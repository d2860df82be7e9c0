#include "inject/exit_summary.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>

#include "analysis/model/dprof.h"
#include "analysis/online/find_iterations.h"
#include "analysis/online/whole_run.h"
#include "analysis/report/figures.h"
#include "analysis/report/openmetrics.h"
#include "analysis/report/page.h"
#include "analysis/report/report_tables.h"
#include "analysis/report/summary.h"
#include "analysis/report/summary_device.h"
#include "analysis/report/units.h"
#include "inject/notice.h"
#include "inject/output.h"
#include "libdeepprof/capture/clock.h"
#include "libdeepprof/capture/worker_thread.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

// What reading, mining and accounting take at their peak for each event of the file: 77 bytes were
// measured.
constexpr uint64_t kMemoryPerEvent_bytes = 100;
constexpr int64_t kMostMining_ns = 3'000'000'000;
constexpr int64_t kLastWords_ns = 300'000'000;

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// What the thread that exits gives to the one that makes the summary, and takes back. The second
// may outlive its deadline and end with the process.
struct Summary {
  Options options;
  ExitSummaryInput input;
  bool color = false;  // on stderr
  SummaryGate gate;
  std::string for_stderr;  // to be read when the thread has ended
};

// What becomes a file, and what is printed of it. `page` is given the closing line, which names the
// files that are there.
struct Content {
  std::function<std::string(const std::string& closing_line, bool color)> page;
  std::string tables;   // the report file in another format than text
  std::string metrics;  // empty: none
};

// `report_path` empty: no report was written.
std::string closing_line(const ExitSummaryInput& input, const std::string& report_path) {
  const std::string trace = base_name(input.trace_path);
  std::string line =
      "wrote " + trace + " (" + bytes_text(static_cast<double>(input.file_bytes)) + ")";
  if (!report_path.empty()) {
    const std::string report = base_name(report_path);
    const std::string stem = trace.substr(0, trace.rfind('.'));
    const bool beside = report.compare(0, stem.size() + 1, stem + ".") == 0;
    line += ", " + (beside ? report.substr(stem.size()) : report);
  }
  // A run without a GPU has no gaps to look at.
  return line + (input.events > 0 ? "   next: deepprof gaps " : "   next: deepprof device ") +
         trace;
}

bool color_wanted() { return ::isatty(STDERR_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr; }

// The path of the report that was written; empty: none.
std::string write_report(const Summary& summary, const Content& content) {
  if (!summary.options.report_to_file) return {};
  // A page of text is not put into a file that was asked for as tables.
  if (summary.options.report_format != Format::text && content.tables.empty()) return {};
  const std::string& path = summary.input.report_path;
  const Result<std::string> written = write_whole_file(
      path, content.tables.empty() ? content.page(closing_line(summary.input, path), false)
                                   : content.tables);
  if (written) return written.value();
  notice("cannot write the report: " + written.error());
  return {};
}

void put_out(Summary& summary, const Content& content) {
  if (!summary.gate.pass()) return;
  const std::string report_path = write_report(summary, content);
  if (!content.metrics.empty()) {
    const Status written = replace_whole_file(summary.input.metrics_path, content.metrics);
    if (!written) notice("cannot write the metrics: " + written.error());
  }
  if (summary.options.report_to_stderr) {
    summary.for_stderr = content.page(closing_line(summary.input, report_path), summary.color);
  }
}

// What was counted while the job ran: all there is when the events are too many to be read back, or
// the time is over.
void put_out_what_is_known(Summary& summary) {
  Content content;
  content.page = [&](const std::string&, bool color) {
    constexpr size_t kWidth = 100;
    Page page(kWidth, color);
    whole_run_part(summary.input.run_statistics, page);
    run_totals_part(summary.input.run_statistics, page);
    return page.take();
  };
  if (!content.page("", false).empty()) put_out(summary, content);
}

void put_out_everything(Summary& summary, const Trace& trace, const Mined& mined) {
  Content content;
  content.page = [&](const std::string& closing_line, bool color) {
    SummaryOptions options;
    options.batch = summary.options.batch;
    options.categories_path = summary.options.categories_path;
    options.wrote = closing_line;
    options.color = color;
    return summary_text(trace, mined, options);
  };
  const bool tables =
      summary.options.report_to_file && summary.options.report_format != Format::text;
  if (tables || !summary.input.metrics_path.empty()) {
    const Figures figures = compute_figures(trace, mined, {summary.options.categories_path, {}});
    if (tables) content.tables = render_report(trace, figures, summary.options.report_format);
    if (!summary.input.metrics_path.empty()) content.metrics = openmetrics_text(trace, figures);
  }
  put_out(summary, content);
}

void make_summary(Summary& summary) {
  const ExitSummaryInput& input = summary.input;
  const std::string by_hand = "deepprof report " + input.trace_path;
  if (input.events > most_events_read_back(summary.options)) {
    put_out_what_is_known(summary);
    return notice(format_text(
        "%llu events are too many to account for within DEEPPROF_MAX_MEMORY (now %s, each "
        "takes %llu bytes): raise it, or run %s",
        static_cast<unsigned long long>(input.events),
        bytes_text(static_cast<double>(summary.options.max_memory_bytes)).c_str(),
        static_cast<unsigned long long>(kMemoryPerEvent_bytes), by_hand.c_str()));
  }
  try {
    const Result<LoadedDprof> loaded = read_dprof(input.trace_path);
    if (!loaded) return notice("cannot read back " + loaded.error() + "; run " + by_hand);
    const Trace& trace = loaded.value().trace;
    // Without iterations the summary still tells where the time went: mining may not take all that
    // is left.
    MineOptions mine_options;
    mine_options.time_budget_ns =
        std::clamp<int64_t>((input.deadline_ns - monotonic_ns()) / 2, 1, kMostMining_ns);
    mine_options.memory_budget_bytes = summary.options.max_memory_bytes;
    const Mined mined = find_iterations(trace, mine_options);
    put_out_everything(summary, trace, mined);
  } catch (const std::bad_alloc&) { notice("not enough memory for the summary: run " + by_hand); }
}

// False: it has not ended in time, or it could not be started.
bool run_in_time(WorkerThread& thread, const std::shared_ptr<Summary>& summary,
                 void (*make)(Summary&)) {
  const bool started = thread.start("dp-summary", WorkerThread::Descriptors::own, [summary, make] {
    try {
      make(*summary);
    } catch (...) { notice("no summary: run deepprof report on the trace"); }
  });
  return started && thread.wait_until(summary->input.deadline_ns);
}

std::shared_ptr<Summary> prepare(const Options& options, const ExitSummaryInput& input) {
  auto summary = std::make_shared<Summary>();
  summary->options = options;
  summary->input = input;
  summary->color = options.report_to_stderr && color_wanted();
  return summary;
}

}  // namespace

uint64_t most_events_read_back(const Options& options) {
  return options.max_memory_bytes / kMemoryPerEvent_bytes;
}

void summarize_in_time(const Options& options, const ExitSummaryInput& input) {
  std::shared_ptr<Summary> summary = prepare(options, input);
  WorkerThread thread;
  bool done = run_in_time(thread, summary, &make_summary);
  const bool over = !done && summary->gate.shut();
  const int64_t last_ns = std::max(input.deadline_ns, monotonic_ns() + kLastWords_ns);
  if (over) {
    ExitSummaryInput at_once = input;
    at_once.deadline_ns = last_ns;
    summary = prepare(options, at_once);
    WorkerThread second;
    done = run_in_time(second, summary, &put_out_what_is_known);
  } else if (!done) {
    done = thread.wait_until(last_ns);  // it is on the way out: a moment more
  }
  if (done) write_stderr(summary->for_stderr, last_ns);
  say_what_was_kept();
  // Past the gate and still not through: it hangs in a file, of ours or of the user's rules.
  if (over || !done)
    notice("no time left for the whole summary: run deepprof report " + input.trace_path);
}

}  // namespace deepprof
