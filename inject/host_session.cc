#include "inject/host_session.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "inject/exit_summary.h"
#include "inject/notice.h"
#include "inject/process_facts.h"
#include "libdeepprof/capture/clock.h"
#include "libdeepprof/capture/process_guard.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

constexpr size_t kRingSlots = 64;
constexpr size_t kMostNameBytes = size_t{1} << 20;
// A few dozen values a tick: written once a second, so that blocks are worth their headers.
constexpr int64_t kLeastFlush_ns = 1'000'000'000;

constexpr int64_t kAbandoned_ns = 1'000'000'000;
// The exit, on the monotonic clock from its beginning.
constexpr int64_t kSampled_ns = 200'000'000;
constexpr int64_t kFileClosed_ns = 2'000'000'000;
constexpr int64_t kReported_ns = 3'000'000'000;

// Child processes that have ended and were waited for: they are sampled by nobody.
int64_t children_cpu_ns() {
  struct rusage usage {};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  const auto nanoseconds = [](const timeval& time) {
    return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_usec * 1000;
  };
  return nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime);
}

}  // namespace

HostSession::HostSession(Options options)
    : options_(std::move(options)),
      names_(log_, losses_, kMostNameBytes),
      ring_(kRingSlots),
      sampling_({options_.sample_interval_ns, options_.step_hook, false}, names_, log_) {}

Result<std::unique_ptr<HostSession>> HostSession::start(Options options, const Rank& rank) {
  if (options.sample_interval_ns == 0)
    return Error{"DEEPPROF_SAMPLE_MS=0 leaves nothing to record"};
  std::unique_ptr<HostSession> session(new HostSession(std::move(options)));
  if (!session->ring_.valid()) return Error{"not enough memory for buffers"};
  Result<Output> output = create_output(session->options_, rank);
  if (!output) return Error{"cannot write the trace: " + output.error()};
  session->output_ = std::move(output).value();
  guard_this_process();
  session->drain_ = std::make_unique<Drain>(
      session->ring_, session->log_, session->losses_, std::move(session->output_.writer),
      std::max(kLeastFlush_ns, session->options_.flush_interval_ns),
      [](const std::string& error) { notice("trace incomplete: " + error); });
  if (!session->drain_->start() || !session->sampling_.start()) {
    session->abandon();
    static_cast<void>(session.release());  // the drain thread may still run
    return Error{"cannot create a thread"};
  }
  publish_process_facts(session->options_, rank, session->log_);
  session->log_.publish(FactDefinition{"recorded", "host"});
  session->log_.publish(ThreadDefinition{0, static_cast<uint32_t>(::getpid()),
                                         static_cast<uint64_t>(::getpid()), "main"});
  return session;
}

void HostSession::abandon() {
  drain_->finish(monotonic_ns() + kAbandoned_ns);
  ::unlink(output_.trace_path.c_str());
}

void HostSession::finish() noexcept {
  if (!in_guarded_process_by_pid() || finished_.exchange(true)) return;
  const int64_t now_ns = monotonic_ns();
  try {
    sampling_.stop();
    sampling_.finish(now_ns + kSampled_ns);
    log_.publish(FactDefinition{"children_cpu_ns",
                                format_text("%lld", static_cast<long long>(children_cpu_ns()))});
    const bool closed = drain_->finish(now_ns + kFileClosed_ns);
    say_what_was_kept();
    if (!closed) {
      return notice("the disk is too slow to close " + output_.trace_path +
                    ": deepprof report reads it");
    }
    ExitSummaryInput input;
    input.trace_path = output_.trace_path;
    input.report_path = output_.report_path;
    input.metrics_path = output_.metrics_path;
    input.file_bytes = drain_->file_bytes();
    input.deadline_ns = now_ns + kReported_ns;
    summarize_in_time(options_, input);
  } catch (...) {
    // Out of memory: the file is whole up to its last flush.
  }
}

}  // namespace deepprof
