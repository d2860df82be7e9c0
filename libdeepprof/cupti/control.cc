#include "libdeepprof/cupti/control.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "libdeepprof/cupti/callbacks.h"
#include "libdeepprof/cupti/devices.h"
#include "libdeepprof/text.h"

namespace deepprof::cupti {
namespace {

constexpr int64_t kSpellTick_ns = 20'000'000;
constexpr int64_t kClockInterval_ns = 5'000'000'000;
// NTP slews a clock by at most 0.5 ms a second; more than that between two readings is a step.
constexpr int64_t kClockStep_ns = 5'000'000;

std::string triple_text(const ClockTriple& triple) {
  return format_text("%lld %lld %lld", static_cast<long long>(triple.realtime_ns),
                     static_cast<long long>(triple.monotonic_ns),
                     static_cast<long long>(triple.records_ns));
}

}  // namespace

Control::Control(const Library& library, const Activation& activation, const CuptiClock& clock,
                 const SeenDevices& devices, CallFilter& filter, TakeoverWatch& takeover,
                 const BufferDesk& desk, SamplerBriefing& briefing, DefinitionLog& log,
                 LossCounters& losses, int64_t flush_interval_ns)
    : library_(library),
      activation_(activation),
      clock_(clock),
      devices_(devices),
      filter_(filter),
      takeover_(takeover),
      desk_(desk),
      briefing_(briefing),
      log_(log),
      losses_(losses),
      flush_interval_ns_(flush_interval_ns) {}

bool Control::start() {
  watch_clocks();
  return thread_.start("dp-control", WorkerThread::Descriptors::jobs, [this] {
    try {
      run();
    } catch (...) {
      // Out of memory: records still come whenever CUPTI fills a buffer, only the timer is gone.
    }
  });
}

bool Control::finish(int64_t deadline_ns) {
  stop_.store(true, std::memory_order_release);
  bell_.ring();
  return thread_.wait_until(deadline_ns);
}

void Control::run() {
  make_own_calls_known();
  while (!stop_.load(std::memory_order_acquire)) {
    wait_for_tick();
    if (!stop_.load(std::memory_order_acquire) && desk_.used.load()) tick();
  }
  if (!desk_.used.load()) return;
  takeover_.ask_at_end([this] { flush(0); });
  flush(kFlushForced);
  // What follows calls the driver, whose calls are recorded: no buffer may go out for those and
  // never come back.
  close_desk();
  takeover_.finish(monotonic_ns());
  watch_copies();
  describe_new_devices();
  watch_clocks();
}

void Control::wait_for_tick() {
  // The end of another tool's session is worth noticing at once: the next one may follow.
  if (takeover_.in_spell()) return bell_.wait_for(std::min(flush_interval_ns_, kSpellTick_ns));
  // The sampler waits for the first device: at first its records are fetched more often.
  constexpr int kMostHurried = 10, kParts = 4;
  if (desk_.used.load() && !any_device_ && hurried_ticks_ < kMostHurried) {
    ++hurried_ticks_;
    for (int part = 1; part < kParts; ++part) {
      bell_.wait_for(flush_interval_ns_ / kParts);
      if (stop_.load(std::memory_order_acquire)) return;
      flush(0);
      describe_new_devices();
    }
    return bell_.wait_for(flush_interval_ns_ / kParts);
  }
  bell_.wait_for(flush_interval_ns_);
}

// Not before CUPTI has asked for a buffer: until then there is nothing to fetch, and the job's
// cuInit, which has started us, may still be under way with locks that CUPTI would wait for.
void Control::tick() {
  // While another tool has CUPTI a flush would return its buffers, each but begun, and it may keep
  // them all.
  if (!takeover_.in_spell()) flush(0);
  describe_new_devices();
  takeover_.tick(monotonic_ns());
  if (monotonic_ns() >= next_clock_ns_) {
    watch_copies();
    watch_clocks();
  }
}

void Control::make_own_calls_known() {
  filter_.own_pthread.store(static_cast<uint32_t>(::pthread_self()));
  filter_.own_tid.store(static_cast<uint32_t>(::syscall(SYS_gettid)));
}

void Control::flush(uint32_t flags) {
  library_.api.flush_all(flags);
  if (!takeover_.in_spell()) count_dropped();  // else those are the other tool's
}

void Control::count_dropped() {
  size_t dropped = 0;
  ResultCode code = kSuccess;
  if (activation_.v2) {
    code = library_.api.get_dropped_v2(activation_.subscriber, nullptr, 0, &dropped);
  } else if (library_.api.get_dropped != nullptr) {
    code = library_.api.get_dropped(nullptr, 0, &dropped);
  }
  if (code == kSuccess) {
    losses_.add(Loss::cupti_dropped, dropped);
  } else if (!dropped_unknown_) {
    // An error is not "nothing dropped": the report has to say that the count is not known.
    dropped_unknown_ = true;
    log_.publish(FactDefinition{"cupti_dropped_unknown", result_text(code)});
  }
}

void Control::describe_new_devices() {
  bool any = false;
  for (uint32_t device = 0; device <= UINT8_MAX; ++device) {
    const auto number = static_cast<uint8_t>(device);
    if (!devices_.contains(number) || described_.contains(number)) continue;
    described_.add(number);
    any = any_device_ = true;
    if (std::optional<DeviceDefinition> definition = describe_device(device)) {
      log_.publish(std::move(*definition));
    }
  }
  // At the end the sampler has stopped, and a call into the driver would be a record more that
  // CUPTI cannot return.
  if (any && !stop_.load(std::memory_order_relaxed)) brief_sampler();
}

void Control::brief_sampler() {
  if (!bus_ids_) bus_ids_ = device_bus_ids();
  std::vector<VisibleGpu> gpus;
  for (uint32_t device = 0; device < bus_ids_->size() && device <= UINT8_MAX; ++device) {
    const bool used = described_.contains(static_cast<uint8_t>(device));
    if ((*bus_ids_)[device].empty() || (briefing_.used_gpus_only && !used)) continue;
    gpus.push_back({device, (*bus_ids_)[device], used});
  }
  briefing_.gpus.set(std::move(gpus));
}

// A second libcupti traces nothing of ours and may take the driver's hooks from the first.
void Control::watch_copies() {
  const size_t copies = mapped_libcuptis().size();
  if (copies <= copies_) return;
  copies_ = copies;
  log_.publish(FactDefinition{"cupti_copies", format_text("%zu", copies)});
}

ClockTriple Control::read_clocks() const {
  ClockTriple triple;
  triple.monotonic_ns = monotonic_ns();
  triple.realtime_ns = realtime_ns();
  triple.records_ns = clock_.now_ns();
  return triple;
}

void Control::watch_clocks() {
  const ClockTriple now = read_clocks();
  if (first_clocks_.monotonic_ns == 0) {
    first_clocks_ = last_clocks_ = now;
    log_.publish(FactDefinition{"clock_first", triple_text(now)});
    if (now.records_ns != 0) {
      log_.publish(FactDefinition{
          "clock_base_ns",
          format_text("%lld", static_cast<long long>(now.realtime_ns - now.records_ns))});
    }
  }
  if (std::llabs(now.offset_ns() - last_clocks_.offset_ns()) > kClockStep_ns) {
    log_.publish(FactDefinition{"clock_steps", format_text("%u", ++clock_steps_)});
  }
  last_clocks_ = now;
  briefing_.clock.set(now);
  log_.publish(FactDefinition{"clock_last", triple_text(now)});
  next_clock_ns_ = now.monotonic_ns + kClockInterval_ns;
}

}  // namespace deepprof::cupti
