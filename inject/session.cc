#include "inject/session.h"

#include <unistd.h>

#include <utility>

#include "analysis/model/facts.h"
#include "inject/exit_summary.h"
#include "inject/log.h"
#include "inject/notice.h"
#include "inject/process_facts.h"
#include "libdeepprof/capture/clock.h"
#include "libdeepprof/capture/process_guard.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

// 16 MiB: half a second at 500,000 records a second
constexpr size_t kRingSlots = size_t{1} << 19;
constexpr uint32_t kFirstBuffers = 8;
constexpr size_t kMostNameBytes = size_t{32} << 20;

// The parts of the exit, all on the monotonic clock from its beginning; together under five
// seconds.
constexpr int64_t kForcedFlush_ns = 1'500'000'000;
constexpr int64_t kCollected_ns = 1'800'000'000;
constexpr int64_t kFileClosed_ns = 4'000'000'000;  // a whole file is worth more than the summary
constexpr int64_t kReported_ns = 4'300'000'000;

std::string version_text(int cuda_version) {
  return format_text("%d.%d", cuda_version / 1000, cuda_version % 1000 / 10);
}

const char* api_word(cupti::ApiSelection selection) {
  switch (selection) {
    case cupti::ApiSelection::off: return "off";
    case cupti::ApiSelection::launch: return "launch";
    case cupti::ApiSelection::all: return "all";
  }
  return "";
}

}  // namespace

Session::Session(Options options, cupti::Library library, void (*on_early_request)())
    : options_(std::move(options)),
      library_(std::move(library)),
      names_(log_, losses_, kMostNameBytes),
      ring_(kRingSlots),
      pool_(kFirstBuffers, BufferPool::kMaxBuffers),
      sampling_({options_.sample_interval_ns, options_.step_hook, true}, names_, log_),
      on_early_request_(on_early_request) {}

Result<std::unique_ptr<Session>> Session::start(Options options, const Rank& rank,
                                                void (*on_early_request)()) {
  Result<cupti::Library> library = cupti::load_library(options.cupti_path);
  if (!library) return Error{library.error()};
  log_line(format_text("using %s, %s, API version %u, driver %s", library.value().path.c_str(),
                       library.value().reason.c_str(), library.value().version,
                       version_text(library.value().driver_version).c_str()));

  std::unique_ptr<Session> session(
      new Session(std::move(options), std::move(library).value(), on_early_request));
  if (!session->ring_.valid() || session->pool_.mapped() == 0)
    return Error{"not enough memory for buffers"};
  Result<Output> output = create_output(session->options_, rank);
  if (!output) return Error{"cannot write the trace: " + output.error()};
  session->output_ = std::move(output).value();
  session->sampling_.briefing().used_gpus_only = rank.world_size > 1;

  guard_this_process();
  Status started = session->start_threads();
  if (!started) {
    session->abandon();
    static_cast<void>(session.release());  // CUPTI may still call us, and threads may still run
    return Error{started.error()};
  }
  session->publish_facts(rank);
  return session;
}

Status Session::start_threads() {
  const Error no_thread{"cannot create a thread"};
  drain_ = std::make_unique<Drain>(
      ring_, log_, losses_, std::move(output_.writer), options_.flush_interval_ns,
      [](const std::string& error) { notice("trace incomplete: " + error); });
  watch_.summary_reads_back(most_events_read_back(options_));
  watch_.file_has_room_for(options_.max_file_bytes);
  if (watch_.start()) drain_->observe_with(&watch_);
  drain_->tell_of(&lost_time_);
  if (!drain_->start()) return no_thread;
  auto decoder =
      std::make_unique<cupti::Decoder>(strides_, library_.api, filter_, names_, log_, losses_);
  cupti::Collector::Hooks hooks{[this] { on_wake(); }, [this] { drain_->wake(); }};
  collector_ =
      std::make_unique<cupti::Collector>(pool_, std::move(decoder), ring_, std::move(hooks));
  collector_->note_lost_time(&lost_time_);
  desk_ = std::make_unique<cupti::BufferDesk>(pool_, collector_->bell(), losses_,
                                              library_.version >= cupti::kFirstVersionThatTakesNull,
                                              on_early_request_, &filter_.threads);
  cupti::open_desk(desk_.get());

  Result<cupti::Activation> activation = cupti::activate(library_, options_.wanted);
  if (!activation) return Error{"CUPTI refused to trace: " + activation.error()};
  activation_ = std::move(activation).value();
  strides_ = cupti::probe_strides(library_, activation_);
  clock_ = std::make_unique<cupti::CuptiClock>(library_, activation_);
  collector_->buffers_must_be_zeroed(activation_.zeroed_buffers);
  const RecordingWindow window = recording_window();
  collector_->keep_only(window);
  drain_->keep_allocations_of(window);
  filter_.selected_only = options_.wanted.api == cupti::ApiSelection::launch;
  takeover_ = std::make_unique<cupti::TakeoverWatch>(
      library_, options_.wanted, activation_, *clock_, *desk_, filter_, log_, losses_,
      options_.rearm_after_ns, cupti::Witnesses::find(),
      [](const std::string& sentence) { notice(sentence); });
  control_ = std::make_unique<cupti::Control>(library_, activation_, *clock_, collector_->devices(),
                                              filter_, *takeover_, *desk_, sampling_.briefing(),
                                              log_, losses_, options_.flush_interval_ns);
  if (!collector_->start() || !control_->start()) return no_thread;
  sampling_.start();
  return Done{};
}

RecordingWindow Session::recording_window() const {
  const int64_t now_ns = clock_->now_ns();
  return {now_ns != 0 ? now_ns : realtime_ns(), options_.delay_ns, options_.duration_ns};
}

void Session::on_wake() {
  say_what_was_kept();
  if (strides_probed_again_ || !desk_->used.load(std::memory_order_relaxed)) return;
  strides_probed_again_ = true;
  // A CUPTI that could not walk records at start-up can, now that it has written some.
  constexpr auto kKernel = static_cast<uint32_t>(cupti::ActivityKind::concurrent_kernel);
  if (!strides_.readable(kKernel)) strides_ = cupti::probe_strides(library_, activation_);
}

// Capture could not start: no file is left behind, nothing runs on.
void Session::abandon() {
  cupti::close_desk();
  if (drain_ != nullptr) drain_->finish(monotonic_ns() + kForcedFlush_ns);
  ::unlink(output_.trace_path.c_str());
}

void Session::publish_facts(const Rank& rank) {
  publish_process_facts(options_, rank, log_);
  const auto fact = [this](std::string key, std::string value) {
    log_.publish(FactDefinition{std::move(key), std::move(value)});
  };
  if (library_.driver_version > 0) fact("driver_version", version_text(library_.driver_version));
  fact("cupti_version", format_text("%u", library_.version));
  fact("cupti_path", library_.path);
  fact("api_calls", api_word(options_.wanted.api));
  if (options_.wanted.allocations) fact(kMemoryRecords, "on");
  fact("takeover_witness", activation_.v2             ? "not needed"
                           : activation_.witness_call ? "driver call"
                                                      : "none");
  for (const std::string& refused : activation_.refused) {
    log_line("not enabled: " + refused);
    fact("refused." + refused.substr(0, refused.find(':')), refused.substr(refused.find(':') + 2));
  }
  if (!activation_.note.empty()) fact("cupti_note", activation_.note);
}

void Session::finish() noexcept {
  if (!in_guarded_process_by_pid() || finished_.exchange(true)) return;
  const int64_t now_ns = monotonic_ns();
  try {
    stop_capture(now_ns);
    report(now_ns + kReported_ns);
  } catch (...) {
    // Out of memory: the file is whole up to its last flush.
  }
}

void Session::stop_capture(int64_t now_ns) {
  sampling_.stop();
  if (!control_->finish(now_ns + kForcedFlush_ns)) {
    notice("CUPTI did not return from the last flush: the newest records are missing");
  }
  losses_.add(Loss::never_returned, pool_.held_by_cupti());
  cupti::close_desk();
  collected_ = collector_->finish(now_ns + kCollected_ns);
  if (collected_) {
    publish_left_out();
  } else {
    log_line("the collector did not finish in time");
  }
  sampling_.finish(now_ns + kCollected_ns);
  file_closed_ = drain_->finish(now_ns + kFileClosed_ns);
}

// What was left out because it was asked for.
void Session::publish_left_out() {
  const auto number = [](uint64_t value) {
    return format_text("%llu", static_cast<unsigned long long>(value));
  };
  log_.publish(FactDefinition{"calls_left_out", number(collector_->calls_left_out())});
  if (options_.delay_ns == 0 && options_.duration_ns == 0) return;
  const auto seconds = [](int64_t ns) {
    return format_text("%.1f s", static_cast<double>(ns) / 1e9);
  };
  log_.publish(FactDefinition{
      "recorded_part",
      "from " + seconds(options_.delay_ns) + " after the start on" +
          (options_.duration_ns == 0 ? "" : " for " + seconds(options_.duration_ns)) + ", " +
          number(collector_->outside_window()) + " records outside left out"});
}

// Why there is nothing to report; null: there is something.
const char* Session::nothing_recorded() const {
  // A process that only counts the GPUs makes records too, of calls that are left out.
  const uint64_t left_out = collected_ ? collector_->calls_left_out() : 0;
  if (collector_->records() == left_out) {
    const LossCounts lost = losses_.snapshot();
    if (lost[Loss::takeover] != 0)
      return "another user of CUPTI took its records: if the job uses torch.profiler or the like, "
             "run it once without";
    // A job can end before the takeover is noticed.
    return lost[Loss::never_returned] != 0
               ? "CUPTI kept its records (another user of CUPTI, such as torch.profiler, may have "
                 "taken them: if the job uses one, run it once without)"
               : "no GPU work was recorded";
  }
  const bool windowed = options_.delay_ns != 0 || options_.duration_ns != 0;
  if (windowed && file_closed_ && drain_->events_written() == 0)
    return "not between DEEPPROF_DELAY and _DURATION";
  return nullptr;
}

void Session::report(int64_t deadline_ns) {
  say_what_was_kept();
  if (const char* reason = nothing_recorded()) {
    // No file is better than an empty one in a tree of processes that only looked at the GPU.
    if (file_closed_) ::unlink(output_.trace_path.c_str());
    return notice(
        format_text("pid %d used CUDA, but %s: no report", static_cast<int>(::getpid()), reason));
  }
  if (!file_closed_) {
    return notice("the disk is too slow to close " + output_.trace_path +
                  ": deepprof report reads it");
  }
  if (!options_.report_to_stderr && !options_.report_to_file && output_.metrics_path.empty())
    return;
  ExitSummaryInput input;
  input.trace_path = output_.trace_path;
  input.report_path = output_.report_path;
  input.metrics_path = output_.metrics_path;
  input.events = drain_->events_kept();
  input.file_bytes = drain_->file_bytes();
  input.run_statistics = watch_.stored();
  input.run_statistics[std::string(SampleTotals::kBlobKey)] = sampling_.totals();
  input.deadline_ns = deadline_ns;
  summarize_in_time(options_, input);
}

}  // namespace deepprof
