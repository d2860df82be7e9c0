#include "libdeepprof/cupti/takeover.h"

#include <dlfcn.h>

#include <utility>

#include "libdeepprof/capture/clock.h"
#include "libdeepprof/cupti/records.h"
#include "libdeepprof/text.h"

namespace deepprof::cupti {
namespace {

constexpr uint32_t kFirstVersionWithPerThreadBuffers = 130000;
constexpr int kCallsThatFillABuffer = BufferPool::kBufferBytes / ApiLayout::kBaseBytes + 1;

constexpr const char* kNoticedLate = "had taken over: GPU work of that time is not recorded";

int (*find_witness_call())(int*) {
  void* driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  return driver == nullptr ? nullptr
                           : reinterpret_cast<int (*)(int*)>(::dlsym(driver, "cuDeviceGetCount"));
}

}  // namespace

TakeoverWatch::TakeoverWatch(const Library& library, const Wanted& wanted,
                             const Activation& activation, const CuptiClock& clock,
                             const BufferDesk& desk, const CallFilter& filter, DefinitionLog& log,
                             LossCounters& losses, int64_t rearm_after_ns,
                             std::function<void(const std::string&)> notice)
    : library_(library),
      wanted_(wanted),
      clock_(clock),
      desk_(desk),
      filter_(filter),
      log_(log),
      losses_(losses),
      notice_(std::move(notice)),
      rearm_after_ns_(rearm_after_ns),
      watching_(activation.witness_call),
      witness_(rearm_after_ns, library.version >= kFirstVersionWithPerThreadBuffers),
      others_end_(library) {
  if (watching_) count_devices_ = find_witness_call();
}

void TakeoverWatch::tick(int64_t now_ns) {
  if (count_devices_ == nullptr) return;
  if (filter_.own_call_seen.load(std::memory_order_relaxed)) witness_.seen_to_work();
  last_heard_ns_ = witness_.last_heard_ns();
  if (others_end_.seen(now_ns)) return other_is_done(now_ns);
  switch (witness_.tick(now_ns, desk_.movements.load(), desk_.pool.held_by_cupti())) {
    case Witness::Action::none: break;
    case Witness::Action::ask: ask(1); break;
    case Witness::Action::fill: ask(kCallsThatFillABuffer); break;
    case Witness::Action::taken_over: taken_over(); break;
    case Witness::Action::rearm: rearm(); break;
    case Witness::Action::regained: end_spell(now_ns); break;
  }
}

void TakeoverWatch::ask(int calls) {
  const uint64_t before = desk_.movements.load();
  for (int i = 0; i < calls && desk_.movements.load(std::memory_order_relaxed) == before; ++i) {
    int devices = 0;
    count_devices_(&devices);
  }
  witness_.answered(desk_.movements.load());
}

void TakeoverWatch::taken_over() {
  std::string until = "to the end (DEEPPROF_REARM_S=60 would take CUPTI back after 60 s)";
  if (rearm_after_ns_ != 0)
    until = format_text("for %lld s", static_cast<long long>(rearm_after_ns_ / 1'000'000'000));
  if (others_end_.would_show()) until = "until it is done";
  begin_spell("has taken over: GPU work goes unrecorded " + until);
}

void TakeoverWatch::other_is_done(int64_t now_ns) {
  witness_.lose(now_ns);
  if (!in_spell_) begin_spell(kNoticedLate);
  rearm();
}

// Records on another tool's clock would be worse than none. What cannot be had now is tried again
// later.
void TakeoverWatch::rearm() {
  if (!clock_.restore()) return;
  others_end_.expect_another();
  if (!reactivate(library_, wanted_)) return;
  losses_.add(Loss::never_returned, desk_.pool.write_off_held());  // those went to the other tool
}

void TakeoverWatch::begin_spell(const std::string& what) {
  in_spell_ = true;
  spell_began_ns_ = last_heard_ns_;
  losses_.add(Loss::takeover);
  if (++spells_ == 1) notice_("another user of CUPTI in this process " + what);
}

void TakeoverWatch::end_spell(int64_t now_ns) {
  if (!in_spell_) begin_spell(kNoticedLate);
  in_spell_ = false;
  const int64_t to_wall_ns = realtime_ns() - monotonic_ns();
  log_.publish(
      FactDefinition{format_text("takeover.%u", spells_),
                     format_text("%lld %lld", static_cast<long long>(spell_began_ns_ + to_wall_ns),
                                 static_cast<long long>(now_ns + to_wall_ns))});
}

void TakeoverWatch::finish(int64_t now_ns) {
  if (in_spell_) end_spell(now_ns);
}

}  // namespace deepprof::cupti
