#include "analysis/report/summary.h"

#include <algorithm>
#include <cstdlib>

#include "analysis/findings/findings.h"
#include "analysis/gaps/host_activity.h"
#include "analysis/model/facts.h"
#include "analysis/model/incomplete.h"
#include "analysis/model/launches.h"
#include "analysis/model/spells.h"
#include "analysis/online/whole_run.h"
#include "analysis/report/figures.h"
#include "analysis/report/host_operators.h"
#include "analysis/report/memory_sections.h"
#include "analysis/report/page.h"
#include "analysis/report/quantity.h"
#include "analysis/report/ranks.h"
#include "analysis/report/sections.h"
#include "analysis/report/summary_device.h"
#include "analysis/report/summary_parts.h"
#include "analysis/report/units.h"
#include "analysis/steps/step_marks.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

std::string header_line(const Trace& trace) {
  const ProcessInfo& process = trace.process;
  const bool own = process.source.empty() || process.source.compare(0, 8, "deepprof") == 0;
  std::string text = own && !process.source.empty() ? process.source : "deepprof";
  if (!own) text += "  trace of " + process.source;
  if (process.rank >= 0) {
    text += process.world_size > 0 ? format_text("  rank %d/%d", process.rank, process.world_size)
                                   : format_text("  rank %d", process.rank);
  }
  if (!process.host.empty()) text += "  " + process.host;
  if (process.pid != 0)
    text += format_text("%spid %u", process.host.empty() ? "  " : " ", process.pid);
  if (!process.command_line.empty()) text += "  " + process.command_line;
  if (text == "deepprof") text += "  of a job that is not known: the file does not say whose it is";
  return text;
}

std::string device_words(const Trace& trace, const DeviceFigures& figures) {
  std::string text = format_text("GPU %u", figures.device);
  for (const Device& device : trace.devices) {
    if (device.id != figures.device || device.name.empty()) continue;
    text += "  " + device.name;
    std::string more;
    if (device.sm_count > 0) more = format_text("%u SMs", device.sm_count);
    if (device.memory_bytes > 0)
      more += (more.empty() ? "" : ", ") + bytes_text(device.memory_bytes);
    if (!more.empty()) text += " (" + more + ")";
    break;
  }
  return text;
}

std::string work_words(const Trace& trace, const DeviceFigures& figures) {
  const auto of = [&](Kind kind) { return figures.ops_of_kind[static_cast<size_t>(kind)]; };
  const auto counted = [](uint64_t count, const char* one, const char* many) {
    return count_text(count) + " " + (count == 1 ? one : many);
  };
  std::string text = "ran " + time_text(figures.span.end_ns - figures.span.start_ns) + "   " +
                     (trace.losses[Loss::segment_evicted] > 0 ? "left in the file: " : "") +
                     counted(of(Kind::kernel), "kernel", "kernels") + ", " +
                     counted(of(Kind::memcpy), "copy", "copies") + ", " +
                     counted(of(Kind::memset), "fill", "fills");
  if (of(Kind::graph) > 0)
    text += ", " + counted(of(Kind::graph), "graph launch", "graph launches");
  return text;
}

// One line where it fits, else two; `indent` blanks before.
void device_lines(const Trace& trace, const DeviceFigures& figures, size_t indent, Page& page) {
  const std::string blanks(indent, ' ');
  const std::string device = blanks + device_words(trace, figures),
                    work = work_words(trace, figures);
  if (device.size() + work.size() + 3 <= page.width()) {
    page.line(device + "   " + work);
  } else {
    page.line(device);
    page.line(blanks + "       " + work);
  }
}

// How long another tool had CUPTI.
std::string takeover_words(const Trace& trace) {
  int64_t total_ns = 0;
  for (const Spell& spell : takeover_spells(trace)) total_ns += spell.end_ns - spell.start_ns;
  return total_ns == 0 ? "" : " (" + time_text(total_ns) + " in all, never counted as idle)";
}

// What CUPTI would not record, or not tell of its own losses.
std::string refused_words(const Trace& trace) {
  constexpr std::string_view kRefused = "refused.";
  std::string text;
  for (const auto& [name, value] : trace.process.facts) {
    if (name.compare(0, kRefused.size(), kRefused) == 0)
      text += ", no records of " + name.substr(kRefused.size()) + " (" + value + ")";
    if (name == kDroppedUnknown)
      text += ", how many records CUPTI dropped is not known (" + value + ")";
    if (name == "cupti_copies")
      text +=
          ", " + value +
          " copies of libcupti in the process, of which one can record: if GPU work is missing, "
          "name the one that the job loads (DEEPPROF_CUPTI)";
  }
  return text;
}

// Losses come and go with these.
std::string version_words(const Trace& trace) {
  const std::string cupti = fact_or_empty(trace, "cupti_version"),
                    driver = fact_or_empty(trace, "driver_version");
  if (cupti.empty()) return "";
  return ", with CUPTI " + cupti + (driver.empty() ? "" : " and driver " + driver);
}

// Whether a launch failed is not kept.
std::string kernel_words(const Trace& trace) {
  const uint64_t launches = launches_without_kernels(trace);
  if (launches == 0) return "";
  return ", " + count_text(static_cast<int64_t>(launches)) + " kernel launch" +
         (launches == 1 ? "" : "es") +
         " but no kernel: kernels were not recorded and idle time may be theirs, or every launch "
         "failed";
}

std::string loss_words(const Trace& trace) {
  std::string text;
  if (!trace.closed) text = "NOT CLOSED: killed or still running, whole up to the last flush";
  else if (has_fact(trace, kNotClosed))
    text = "of a recording that was NOT CLOSED: whole up to its last flush";
  else if (is_incomplete(trace)) text = "INCOMPLETE";
  else if (find_fact(trace, kDroppedUnknown) != nullptr) text = "MAYBE INCOMPLETE";
  else if (trace.losses[Loss::import_skipped] + trace.losses[Loss::bad_timestamp] > 0)
    text = "0 dropped";
  else text = "complete: 0 dropped";
  for (const LossInfo& info : losses()) {
    const uint64_t count = trace.losses[info.loss];
    if (count > 0) text += ", " + count_text(count) + " " + info.words(count);
    if (count > 0 && info.loss == Loss::takeover) text += takeover_words(trace);
    // A job can end before a takeover is noticed.
    if (count > 0 && info.loss == Loss::never_returned && trace.losses[Loss::takeover] == 0)
      text +=
          " (another user of CUPTI, such as torch.profiler, may have taken it over: a run without "
          "it has all)";
  }
  return text;
}

std::string clock_words(const Trace& trace) {
  std::string text;
  if (const std::string steps = fact_or_empty(trace, "clock_steps"); !steps.empty())
    text += ", the wall clock was set " + steps + (steps == "1" ? " time" : " times") +
            " during the run";
  if (has_fact(trace, kClockUnusable))
    text += ", GPU and host have clocks of their own, whose distance changes: launches left out";
  if (const auto moved = integer_fact(trace, kClockMoved)) {
    text += ", GPU and host have clocks of their own: GPU times moved by " +
            time_text(std::abs(std::max(*moved, -INT64_MAX))) + (*moved < 0 ? " back" : " ahead") +
            ", launch delays and causes of idle time are of that estimate";
  }
  return text;
}

// Whether clocks that are apart may have decided which call the host was in.
std::string early_words(const Trace& trace, const Figures& figures) {
  if (figures.devices.empty()) return {};
  uint64_t count = 0;
  int64_t worst_ns = 0;
  for (const Op& op : trace.ops) {
    if (op.launch == kNone) continue;
    const int64_t early_ns = trace.calls[op.launch].start_ns - op.start_ns;
    count += early_ns > 0;
    worst_ns = std::max(worst_ns, early_ns);
  }
  // The longest of the usual gaps that the host is told to be the cause of.
  int64_t gap_ns = 0;
  for (const Cause cause : {Cause::host_outside, Cause::host_launch, Cause::host_blocked})
    gap_ns = std::max(gap_ns, figures.main().causes[static_cast<size_t>(cause)].pieces.median_ns);
  constexpr int64_t kRounding_ns = 2'000;  // of times in microseconds
  if (worst_ns <= kRounding_ns || gap_ns == 0 || 10 * worst_ns < gap_ns) return {};
  return ", " + count_text(static_cast<int64_t>(count)) + " op" + plural(count) +
         (count == 1 ? " starts" : " start") + " before the call that launched " +
         (count == 1 ? "it" : "them") + ", by up to " + time_text(worst_ns) +
         ": clocks disagree, what the host did in gaps is uncertain";
}

// Which calls are there to tell launches and causes by.
std::string call_words(const Trace& trace, const Figures& figures) {
  if (trace.calls.empty()) return ", no API records: idle time cannot be attributed";
  std::string text;
  uint64_t orphans = 0;
  for (const Op& op : trace.ops) orphans += lacks_launch(trace, op);
  if (orphans > 0) {
    text += ", " + count_text(orphans) + " op" + plural(orphans) + " without launch record (" +
            percent_text(static_cast<double>(orphans) / static_cast<double>(trace.ops.size())) +
            ")";
  }
  const bool only_launches =
      std::all_of(trace.calls.begin(), trace.calls.end(), [&](const HostCall& call) {
        return call.kind != Kind::api_call ||
               figures.call_class_of_name[call.name] == CallClass::launch;
      });
  if (only_launches)
    text += ", no calls but launches recorded: time blocked in CUDA counts as outside CUDA";
  return text;
}

void data_lines(const Trace& trace, const Figures& figures, Page& page) {
  std::string text = loss_words(trace);
  const std::string refused = refused_words(trace);
  text += refused;
  if (!refused.empty() || trace.losses.any(Severity::warning)) text += version_words(trace);
  text += kernel_words(trace) + clock_words(trace) + early_words(trace, figures);
  if (const std::string part = fact_or_empty(trace, "recorded_part"); !part.empty())
    text += ", recorded " + part;
  text += call_words(trace, figures);
  page.paragraph("data   ", text);
  if (const std::string tails = tails_text(trace, figures); !tails.empty())
    page.paragraph("       ", tails);
  if (!figures.category_error.empty())
    page.paragraph("       ", figures.category_error + ": built-in rules used");
}

void findings_section(const Trace& trace, const Figures& figures, const DeviceFigures& device,
                      Page& page) {
  const Finder finder(trace, figures);
  const Findings findings = finder.of_page(device);
  page.heading("FINDINGS", findings.empty() ? "nothing passed its threshold" : "");
  int number = 0;
  for (const Finding& finding : findings) {
    page.paragraph(format_text("%2d ", ++number), finding.sentence);
    std::string next = finding.next_step;
    if (finding.ceiling_ns >= 0) {
      next += (next.empty() ? "" : " ") + std::string("Without it at best ") + finding.ceiling +
              (device.has_iterations() ? " per iteration." : " in all.");
    }
    if (!next.empty()) page.paragraph("   ", next);
  }
  if (const char* words = finder.left_out()) page.paragraph("   ", words);
}

void other_devices(const Trace& trace, const Figures& figures, const DeviceFigures& main,
                   Page& page) {
  if (figures.devices.size() < 2) return;
  page.heading("OTHER GPUS", format_text("the sections above are of GPU %u", main.device));
  for (const DeviceFigures& device : figures.devices) {
    if (&device == &main) continue;
    const double wall = static_cast<double>(std::max<int64_t>(1, device.basis.recorded_ns()));
    device_lines(trace, device, 2, page);
    page.line(
        "         " + basis_words(device) + "   busy " +
        percent_text(static_cast<double>(device.basis.busy_ns()) / wall) +
        "   communication exposed " +
        percent_text(static_cast<double>(device.basis.exposed(Activity::communication)) / wall));
  }
}

// What the devices of one process wait for each other.
void devices_as_ranks(const Trace& trace, const Figures& figures, Page& page) {
  if (figures.devices.size() < 2) return;
  Ranks ranks;
  add_ranks(trace, figures, "", false, ranks);
  compare_ranks(ranks);
  ranks_part(ranks, page);
}

// Steps that a job without GPU ops marked on the host; of several processes, those of the one that
// marked most.
void marks_without_ops(const Trace& trace, Page& page) {
  const std::vector<StepMarks> found = find_step_marks(trace);
  if (found.empty() || found[0].by_repetition()) return;
  const StepMarks& marks = found[0];
  const std::vector<Mark>* most = nullptr;
  for (const StepMarks::OfProcess& process : marks.processes) {
    if (most == nullptr || process.marks.size() > most->size()) most = &process.marks;
  }
  if (most == nullptr || most->size() < 2) return;
  std::vector<int64_t> apart;
  for (size_t i = 1; i < most->size(); ++i)
    apart.push_back((*most)[i].end_ns - (*most)[i - 1].end_ns);
  const Distribution times = distribution_of(std::move(apart));
  page.paragraph("marked ", count_text(static_cast<int64_t>(most->size())) + " steps (" +
                                marks.marker + "), from end to end median " +
                                time_text(times.median_ns) + ", max " + time_text(times.max_ns));
}

bool calls_launch(const Trace& trace) {
  const std::vector<CallClass> classes = classify_calls(trace);
  return std::any_of(trace.calls.begin(), trace.calls.end(),
                     [&](const HostCall& call) { return classes[call.name] == CallClass::launch; });
}

// What was recorded all the same tells whether the job used a GPU.
std::string nothing_recorded_text(const Trace& trace) {
  const std::string head = "no GPU op was recorded";
  if (const std::string* unread = find_fact(trace, kUnreadDevice); unread != nullptr)
    return head + ": " + *unread;
  const auto calls =
      std::count_if(trace.calls.begin(), trace.calls.end(),
                    [](const HostCall& call) { return call.kind == Kind::api_call; });
  if (calls > 0)
    return head + ", but " + count_text(calls) + " CUDA call" +
           plural(static_cast<uint64_t>(calls)) +
           (calls_launch(trace) ? ", launches among them: what they launched was not recorded"
                                : ": none of them launches anything");
  const bool has_memory = std::any_of(
      trace.allocations.begin(), trace.allocations.end(),
      [](const Allocation& allocation) { return allocation.device != Allocation::kHost; });
  if (has_memory)
    return head + ", though memory of a GPU was allocated: what ran there was not recorded";
  if (!trace.ranges.empty())
    return head + ": of the host alone, " + count_text(static_cast<int64_t>(trace.ranges.size())) +
           " operators and annotations were";
  return head + ": the job did not use a GPU, or nothing of it was seen";
}

}  // namespace

std::string without_ops_text(const Trace& trace, const View& view) {
  if (view.device && !trace.ops.empty())
    return format_text("no GPU op of GPU %u was recorded", unsigned{*view.device});
  const uint64_t unreadable =
      trace.losses[Loss::import_skipped] + trace.losses[Loss::bad_timestamp];
  if (unreadable == 0) return nothing_recorded_text(trace);
  // Of which kind they were is not known: some may have been of the GPU.
  return "no GPU op was read; " + count_text(static_cast<int64_t>(unreadable)) + " event" +
         plural(unreadable) + " of any kind could not be: without what the kind needs, or with " +
         "impossible times";
}

std::string summary_text(const Trace& trace, const Mined& mined, const SummaryOptions& options) {
  return summary_text(trace, compute_figures(trace, mined, {options.categories_path, options.view}),
                      options);
}

std::string summary_text(const Trace& trace, const Figures& figures,
                         const SummaryOptions& options) {
  Page page(static_cast<size_t>(std::max(0, options.width)), options.color);
  page.line(header_line(trace));
  if (is_host_run(trace)) {
    host_run_part(trace, options.batch, page);
  } else if (figures.devices.empty()) {
    data_lines(trace, figures, page);
    whole_run_part(trace, page);
    page.paragraph("", without_ops_text(trace, figures.view));
    marks_without_ops(trace, page);
    host_operators_part(trace, page);
    memory_part(trace, figures, page);
  } else {
    const DeviceFigures& device = figures.main();
    device_lines(trace, device, 0, page);
    data_lines(trace, figures, page);
    const std::string view = view_words(figures.view, trace);
    if (!view.empty()) page.paragraph("view   ", view);
    if (trace.losses[Loss::segment_evicted] > 0) whole_run_part(trace, page);
    iterations_part(device, options, page);
    time_part(figures, device, page);
    idle_part(trace, figures, device, page);
    kernels_part(trace, figures, device, page);
    if (figures.view.stream == kNone && !figures.view.within)
      device_part(trace, figures, options.batch, page);
    if (figures.view.stream == kNone && !figures.view.within) memory_part(trace, figures, page);
    other_devices(trace, figures, device, page);
    devices_as_ranks(trace, figures, page);
    // Findings are about a device: a stream that has nothing to do is no fault.
    if (figures.view.stream == kNone) findings_section(trace, figures, device, page);
  }
  if (!options.wrote.empty()) page.paragraph("", options.wrote);
  return page.take();
}

}  // namespace deepprof
