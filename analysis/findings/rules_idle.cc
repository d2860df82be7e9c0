// Findings about idle time: one for each cause that a person can do something about.
#include <algorithm>

#include "analysis/categories/annotation_name.h"
#include "analysis/findings/rules.h"
#include "analysis/gaps/host_activity.h"
#include "analysis/report/quantity.h"
#include "analysis/report/units.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

bool names_input(std::string_view range) {
  for (const char* word :
       {"DataLoader", "dataloader", "data_loader", "__next__", "IteratorGetNext", "get_next"}) {
    if (range.find(word) != std::string_view::npos) return true;
  }
  return false;
}

bool is_upload(std::string_view op) { return op.find("HtoD") != std::string_view::npos; }

// Shorter waits than this are what a framework does between two launches, not a missing batch.
constexpr int64_t kFrameworkGap_ns = 500'000;
constexpr uint64_t kFew = 3;
constexpr uint64_t kMany = 10;

// Whether so few waits are half of the time, or more, that only they matter.
bool lies_in_few(const CauseFigures& figures) { return figures.half_count <= kFew; }

// Whether the time lies in many short waits: what replays and larger batches help against.
bool lies_in_short(const CauseFigures& figures, double count) {
  return count >= kMany && !lies_in_few(figures) && figures.half_least_ns < kFrameworkGap_ns;
}

std::string gaps_text(const Case& c, const CauseFigures& figures) {
  const uint64_t count = figures.pieces.count;
  const auto repetitions = static_cast<uint64_t>(c.device.repetitions);
  return mean_count_text(count, c.device.repetitions) + (count == repetitions ? " gap" : " gaps");
}

std::string longest_text(const Case& c, const CauseFigures& figures) {
  const int64_t ns = figures.pieces.total_ns;
  const auto part = [&](int64_t of_ns) {
    return format_text("%.0f %% of all",
                       100 * static_cast<double>(of_ns) / static_cast<double>(ns));
  };
  std::string text = "The longest wait is " + time_text(figures.largest.duration_ns());
  // One wait that makes up much of the whole asks for another remedy than a wait in every
  // iteration.
  if (5 * figures.pieces.max_ns >= ns && figures.pieces.count > 1)
    text += " (" + part(figures.pieces.max_ns) + ")";
  if (figures.largest_iteration != kNone)
    text += ", in iteration " + std::to_string(c.device.number_of(figures.largest_iteration));
  if (lies_in_few(figures) && figures.half_count > 1 && figures.pieces.count > figures.half_count)
    text += format_text("; the longest %llu are ",
                        static_cast<unsigned long long>(figures.half_count)) +
            part(figures.half_ns);
  return text + ".";
}

// What of the host waits lies in the input, where that is enough to act on; `range`: most of it.
CauseFigures::Doing input_part(const Case& c, const CauseFigures& figures) {
  CauseFigures::Doing input;
  for (const CauseFigures::Doing& doing : figures.doing) {
    if (!names_input(c.trace.names[doing.range])) continue;
    if (input.ns == 0) input.range = doing.range;
    input.ns += doing.ns;
  }
  return 5 * input.ns >= figures.pieces.total_ns ? input : CauseFigures::Doing();
}

// Where the host waits lie, as far as one place stands out, or the input has its part.
std::string place_of(const Case& c, const CauseFigures& figures, bool located) {
  const int64_t ns = figures.pieces.total_ns;
  const auto part = [&](int64_t of_ns) {
    return format_text(", %.0f %% of it ",
                       100 * static_cast<double>(of_ns) / static_cast<double>(ns));
  };
  const auto in = [&](int64_t of_ns, NameId range) {
    return part(of_ns) + "in " + short_annotation(c.trace.names[range]);
  };
  const CauseFigures::Doing input = input_part(c, figures);
  std::string text;
  if (located) text = in(figures.top_range_ns, figures.top_range);
  if (input.ns > 0 && !(located && input.range == figures.top_range))
    text += in(input.ns, input.range);
  if (!text.empty()) return text;
  if (figures.top_after == 0) return {};
  if (figures.top_after_ns < ns / 5) return ", before many different ops";
  return part(figures.top_after_ns) + "before " + c.name(figures.top_after, 40);
}

}  // namespace

// Input-bound is said where something shows that it is the input; else only that it is the host.
void host_bound(const Case& c, Findings& out) {
  const int64_t ns = c.idle(Cause::host_outside);
  const char* level = band(c.share(ns), 0.05, 0.20);
  if (*level == 0) return;
  const CauseFigures& figures = c.causes(Cause::host_outside);
  const bool located = figures.top_range_ns > ns / 2;
  const bool pipeline = located && names_input(c.trace.names[figures.top_range]);
  const bool before_input =
      figures.top_after_ns > ns / 2 && is_upload(c.trace.names[figures.top_after]);
  const bool is_input = pipeline || before_input;
  Finding finding =
      c.about(is_input ? FindingKind::input_bound : FindingKind::host_bound, Cause::host_outside);
  finding.sentence =
      format_text("%s %s: the GPU waits %s with no CUDA call on the launching thread", level,
                  is_input ? "input-bound" : "host-bound", c.amount(Cause::host_outside).c_str());
  finding.sentence += place_of(c, figures, located);
  finding.sentence += ". " + longest_text(c, figures);
  const bool one = figures.half_count == 1;
  finding.next_step =
      pipeline ? c.advice(Advice::feed_faster)
      : lies_in_few(figures)
          ? std::string("See what the host does in ") +
                (one ? "this one wait" : "these few waits") +
                ": deepprof gaps --cause host_outside lists " + (one ? "it" : "them") + " first."
      : input_part(c, figures).ns > 0 ? c.advice(Advice::feed_faster)
      : !is_input && lies_in_short(figures, c.per_repetition(figures.pieces.count))
          ? c.advice(Advice::short_waits)
          : "See what the host does there (input, logging, its own computing): deepprof gaps "
            "--cause host_outside.";
  out.push_back(std::move(finding));
}

namespace {

// CUDA loads the code of a kernel when it is first launched.
void code_loading(const Case& c, const CauseFigures& figures, Findings& out) {
  Finding finding = c.about(FindingKind::slow_calls, Cause::host_launch);
  finding.sentence = "The GPU waits " + c.amount(Cause::host_launch) +
                     format_text(" for calls, %.0f %% of it while CUDA loads code (",
                                 100 * static_cast<double>(figures.loading_ns) /
                                     static_cast<double>(figures.pieces.total_ns)) +
                     gaps_text(c, figures) + "), mostly in " + c.name(figures.top_call, 40) + ". " +
                     longest_text(c, figures);
  finding.next_step =
      "Code is loaded when a kernel is first launched: warm up before what is timed, or load "
      "eagerly (CUDA_MODULE_LOADING=EAGER). deepprof gaps --cause host_launch.";
  out.push_back(std::move(finding));
}

// What a launch takes long for is not the number of launches.
void slow_calls(const Case& c, const CauseFigures& figures, Findings& out) {
  Finding finding = c.about(FindingKind::slow_calls, Cause::host_launch);
  finding.sentence = "The GPU waits " + c.amount(Cause::host_launch) + " for ";
  finding.sentence += figures.pieces.count == 1
                          ? "one call that takes long, " + c.name(figures.top_call, 40) + "."
                          : "calls that take long (" + gaps_text(c, figures) + "), mostly " +
                                c.name(figures.top_call, 40) + ". " + longest_text(c, figures);
  finding.next_step =
      "A call that takes long loads code, makes a context, or finds the queue full: warm up first, "
      "or load eagerly (CUDA_MODULE_LOADING=EAGER). deepprof gaps --cause host_launch.";
  out.push_back(std::move(finding));
}

// Whether a call is a launch, or one of those that frameworks make beside each.
bool comes_with_launches(const Case& c, NameId call) {
  if (c.figures.call_class_of_name[call] == CallClass::launch) return true;
  const std::string_view function = c.trace.names[call];
  for (const char* word :
       {"Launch", "Func", "Kernel", "Occupancy", "LastError", "CallConfiguration", "Captur",
        "EventRecord", "EventQuery", "StreamQuery", "StreamWait", "TensorMap", "CtxGetCurrent"}) {
    if (function.find(word) != std::string_view::npos) return true;
  }
  return function.ends_with("GetDevice") || function.ends_with("SetDevice");
}

// Fewer kernels would not help: the calls are others.
void other_calls(const Case& c, const CauseFigures& figures, Findings& out) {
  Finding finding = c.about(FindingKind::slow_calls, Cause::host_launch);
  finding.sentence = "The GPU waits " + c.amount(Cause::host_launch) +
                     " for calls that launch nothing (" + gaps_text(c, figures) + "), mostly " +
                     c.name(figures.top_call, 40) + ".";
  finding.next_step =
      "Make such calls once, before the loop, and keep what they return. deepprof gaps --cause "
      "host_launch.";
  out.push_back(std::move(finding));
}

}  // namespace

void launch_bound(const Case& c, Findings& out) {
  const int64_t ns = c.idle(Cause::host_launch);
  const char* level = band(c.share(ns), 0.03, 0.15);
  if (*level == 0) return;
  const CauseFigures& figures = c.causes(Cause::host_launch);
  if (2 * figures.loading_ns > figures.pieces.total_ns) return code_loading(c, figures, out);
  if (!lies_in_short(figures, static_cast<double>(figures.pieces.count)))
    return slow_calls(c, figures, out);
  if (!comes_with_launches(c, figures.top_call)) return other_calls(c, figures, out);
  Finding finding = c.about(FindingKind::launch_bound, Cause::host_launch);
  finding.sentence = format_text(
      "%s launch-bound: the GPU waits %s for calls still being made, %s of %s (median), mostly in "
      "%s.",
      level, c.amount(Cause::host_launch).c_str(), gaps_text(c, figures).c_str(),
      duration_text(static_cast<double>(figures.pieces.median_ns)).c_str(),
      c.name(figures.top_call, 40).c_str());
  finding.next_step = c.advice(Advice::fewer_launches);
  out.push_back(std::move(finding));
}

namespace {

uint64_t calls_in(const Trace& trace, NameId name, const Gap& gap) {
  const auto first =
      std::lower_bound(trace.calls.begin(), trace.calls.end(), gap.start_ns,
                       [](const HostCall& call, int64_t ns) { return call.start_ns < ns; });
  uint64_t count = 0;
  for (auto call = first; call != trace.calls.end() && call->start_ns < gap.end_ns; ++call)
    count += call->name == name;
  return count;
}

// Before the end of the warm-up or of the second iteration; without iterations, in the first tenth
// of the run.
bool is_at_start(const Case& c, int64_t ns) {
  constexpr size_t kFirstIterations = 2;
  const Window& span = c.device.span;
  const DeviceMined* mined = c.device.mined;
  if (mined == nullptr || mined->iterations.empty())
    return ns < span.start_ns + (span.end_ns - span.start_ns) / 10;
  const size_t last = std::min(mined->iterations.size(), kFirstIterations) - 1;
  int64_t end_ns = mined->iterations[last].end_ns;
  for (const Section& section : mined->sections) {
    if (section.kind == SectionKind::warm_up) end_ns = std::max(end_ns, section.end_ns);
  }
  return ns < end_ns;
}

// What helps against calls that allocate and free depends on where they stand: a library frees once
// when it starts, an allocator that runs out of memory frees all that it keeps.
Advice memory_advice(const Case& c, const CauseFigures& figures) {
  constexpr uint64_t kFlush = 4;  // calls
  if (c.trace.names[figures.top_call].find("Free") == std::string_view::npos)
    return Advice::keep_memory;
  if (calls_in(c.trace, figures.top_call, figures.largest) >= kFlush) return Advice::flushed_cache;
  const bool starts = lies_in_few(figures) && is_at_start(c, figures.largest.start_ns);
  return starts ? Advice::warm_up : Advice::keep_memory;
}

}  // namespace

void blocked_in_cuda(const Case& c, Findings& out) {
  const int64_t ns = c.idle(Cause::host_blocked);
  const char* level = band(c.share(ns), 0.03, 0.15);
  if (*level == 0) return;
  const CauseFigures& figures = c.causes(Cause::host_blocked);
  const std::string_view call = c.trace.names[figures.top_call];
  Finding finding = c.about(FindingKind::host_blocked, Cause::host_blocked);
  finding.sentence = format_text(
      "%s host-blocked: the GPU waits %s while the launching thread sits in blocking calls "
      "(%s), mostly %s.",
      level, c.amount(Cause::host_blocked).c_str(), gaps_text(c, figures).c_str(),
      c.name(figures.top_call, 40).c_str());
  const auto mentions = [&](const char* word) { return call.find(word) != std::string_view::npos; };
  finding.next_step = is_synchronize(call) || mentions("emcpy") ? c.advice(Advice::read_later)
                      : mentions("Module") || mentions("Library")
                          ? "Modules are loaded in mid-run: warm up first, "
                            "or load eagerly (CUDA_MODULE_LOADING=EAGER)."
                          : c.advice(memory_advice(c, figures));
  out.push_back(std::move(finding));
}

void dependency_bound(const Case& c, Findings& out) {
  const int64_t ns = c.idle(Cause::dependency_wait);
  const char* level = band(c.share(ns), 0.03, 0.15);
  if (*level == 0) return;
  const CauseFigures& figures = c.causes(Cause::dependency_wait);
  Finding finding = c.about(FindingKind::dependency_bound, Cause::dependency_wait);
  finding.sentence =
      format_text("%s dependency-bound: the GPU waits %s though the next op was queued in time.",
                  level, c.amount(Cause::dependency_wait).c_str());
  if (figures.top_wait != kNone) {
    const Op& before = c.trace.ops[figures.top_wait];
    const Op& after = c.trace.ops[figures.top_wait_after];
    finding.sentence += format_text(" Stream %u waits for %s on stream %u.", after.stream,
                                    c.name(before.name, 40).c_str(), before.stream);
  }
  finding.next_step =
      "Look for events and streams that serialize the work: deepprof gaps --cause dependency_wait.";
  out.push_back(std::move(finding));
}

// A synchronize call in every iteration keeps the host from running ahead, even where the GPU is
// not yet seen to wait for it.
void synchronize_calls(const Case& c, Findings& out) {
  constexpr double kEvery = 0.9;          // of the counted iterations
  constexpr double kWorthTelling = 0.01;  // of their time
  if (!c.device.has_iterations() || c.figures.synchronize_calls.empty()) return;
  const LaunchingThreads launching(c.trace, c.device);
  uint64_t calls = 0, with_calls = 0;
  int64_t host_ns = 0;
  NameId name = 0;
  for (const uint32_t counted : c.device.counted) {
    const Iteration& iteration = c.device.mined->iterations[counted];
    auto next = std::lower_bound(
        c.figures.synchronize_calls.begin(), c.figures.synchronize_calls.end(), iteration.start_ns,
        [&](uint32_t call, int64_t ns) { return c.trace.calls[call].start_ns < ns; });
    const uint64_t before = calls;
    for (; next != c.figures.synchronize_calls.end(); ++next) {
      const HostCall& call = c.trace.calls[*next];
      if (call.start_ns >= iteration.end_ns) break;
      if (!launching.holds(call.thread)) continue;
      ++calls;
      host_ns += call.duration_ns;
      name = call.name;
    }
    with_calls += calls > before;
  }
  const int64_t blocked_ns = c.idle(Cause::host_blocked);
  const bool told = *band(c.share(blocked_ns), 0.03, 0.15) != 0;  // by blocked_in_cuda()
  if (told || c.share(host_ns) < kWorthTelling || c.per_repetition(with_calls) < kEvery) return;
  Finding finding;
  finding.kind = FindingKind::synchronize_calls;
  finding.sentence = format_text(
      "%s and the like are called %.1f times per iteration, and the host waits there %s: ",
      c.name(name, 40).c_str(), c.per_repetition(calls), c.amount(host_ns).c_str());
  finding.sentence +=
      blocked_ns == 0 ? "the GPU is not idle behind them yet, but the host cannot run ahead."
                      : "the GPU idles " + c.time(Cause::host_blocked) + " behind blocking calls.";
  finding.next_step = c.advice(Advice::read_later);
  finding.share = c.share(blocked_ns);
  out.push_back(std::move(finding));
}

// Without it the job is faster: who reads its times must know.
void profiler_overhead(const Case& c, Findings& out) {
  if (c.share(c.idle(Cause::overhead)) < 0.05) return;
  Finding finding = c.about(FindingKind::profiler_overhead, Cause::overhead);
  finding.sentence = "The GPU waits " + c.amount(Cause::overhead) +
                     " for the profiler's own work: without a profiler the job is faster.";
  finding.next_step =
      "Record less at once: fewer kinds of events, no stacks or shapes. deepprof gaps --cause "
      "overhead.";
  out.push_back(std::move(finding));
}

}  // namespace deepprof
