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

constexpr int64_t kTryAgain_ns = 1'000'000'000;

std::string seconds(int64_t ns) {
  return format_text("%lld s", static_cast<long long>(ns / 1'000'000'000));
}

}  // namespace

Witnesses Witnesses::find() {
  Witnesses found;
  found.find_torch = &find_torch_profiler;
  if (void* driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD))
    found.count_devices = reinterpret_cast<int (*)(int*)>(::dlsym(driver, "cuDeviceGetCount"));
  return found;
}

TakeoverWatch::TakeoverWatch(const Library& library, const Wanted& wanted,
                             const Activation& activation, const CuptiClock& clock,
                             const BufferDesk& desk, const CallFilter& filter, DefinitionLog& log,
                             LossCounters& losses, std::optional<int64_t> rearm_after_ns,
                             const Witnesses& witnesses,
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
      watching_(activation.witness_call && witnesses.count_devices != nullptr),
      count_devices_(witnesses.count_devices),
      witness_(rearm_after_ns.value_or(kPatience_ns),
               library.version >= kFirstVersionWithPerThreadBuffers),
      others_end_(library),
      torch_(witnesses.find_torch) {}

void TakeoverWatch::tick(int64_t now_ns) {
  if (!watching_) return;
  if (filter_.own_call_seen.load(std::memory_order_relaxed)) witness_.seen_to_work();
  last_heard_ns_ = witness_.last_heard_ns();
  torch_.look(now_ns);
  if (others_end_.seen(now_ns) && !torch_.is_on()) return other_is_done(now_ns);
  switch (witness_.tick(now_ns, desk_.movements.load(), desk_.pool.held_by_cupti())) {
    case Witness::Action::none: break;
    case Witness::Action::ask: ask(1); break;
    case Witness::Action::fill: ask(kCallsThatFillABuffer); break;
    case Witness::Action::taken_over: taken_over(); break;
    case Witness::Action::rearm: time_is_up(now_ns); break;
    case Witness::Action::regained: end_spell(now_ns); break;
  }
  if (!in_spell_) return;
  if (torch_.long_over(spell_began_ns_, now_ns)) return rearm(now_ns);
  // A session that has begun since is the next one's to end.
  if (try_again_ns_ != 0 && now_ns >= try_again_ns_ && !torch_.is_on()) rearm(now_ns);
}

// Only in silence, which is before any spell: a job that launches costs no search.
void TakeoverWatch::ask(int calls) {
  torch_.look_for_it();
  moves_a_buffer(calls);
  witness_.answered(desk_.movements.load());
}

bool TakeoverWatch::moves_a_buffer(int calls) {
  const uint64_t before = desk_.movements.load();
  for (int i = 0; i < calls && desk_.movements.load(std::memory_order_relaxed) == before; ++i) {
    int devices = 0;
    count_devices_(&devices);
  }
  return desk_.movements.load() != before;
}

void TakeoverWatch::ask_at_end(const std::function<void()>& fetch) {
  if (!watching_ || in_spell_ || !witness_.proven()) return;
  for (int question = 0; question < Witness::kUnansweredCalls; ++question) {
    fetch();
    const uint32_t held = desk_.pool.held_by_cupti();
    if (moves_a_buffer(1) || !witness_.one_call_shows(held)) return;
  }
  begin_spell("had taken over by the job's end: GPU work went unrecorded");
}

void TakeoverWatch::taken_over() {
  begin_spell("has taken over: GPU work goes unrecorded " + how_long());
}

std::string TakeoverWatch::how_long() const {
  if (rearm_after_ns_.value_or(0) != 0) return "for " + seconds(*rearm_after_ns_);
  if (others_end_.would_show()) return "until it is done";
  const std::string known = torch_.can_tell() ? "until it has been done for a minute" : "";
  if (rearm_after_ns_.has_value()) return known.empty() ? "to the end" : known;
  const std::string at_most = "for " + seconds(kPatience_ns);
  return (known.empty() ? at_most : known + ", or " + at_most + " where that does not show") +
         " (DEEPPROF_REARM_S sets the time; 0: never by the clock)";
}

void TakeoverWatch::other_is_done(int64_t now_ns) {
  witness_.lose(now_ns);
  if (!in_spell_) begin_spell(kNoticedLate);
  rearm(now_ns);
}

// Nobody has asked for the clock where the end of the other tool's session would show.
void TakeoverWatch::time_is_up(int64_t now_ns) {
  const bool shows = others_end_.would_show() || torch_.seen(spell_began_ns_);
  if (!rearm_after_ns_.has_value() && shows) return;
  if (!told_of_time_) {
    told_of_time_ = true;
    notice_("CUPTI is taken back from its other user after " +
            seconds(rearm_after_ns_.value_or(kPatience_ns)) +
            ": if that is still at work, it sees no more GPU work");
  }
  rearm(now_ns);
}

// What cannot be had now is tried again.
void TakeoverWatch::rearm(int64_t now_ns) {
  torch_.forget();
  try_again_ns_ = take_back() ? 0 : now_ns + kTryAgain_ns;
}

// Records on another tool's clock would be worse than none.
bool TakeoverWatch::take_back() {
  if (!clock_.restore()) return false;
  others_end_.expect_another();
  if (!reactivate(library_, wanted_)) return false;
  losses_.add(Loss::never_returned, desk_.pool.write_off_held());  // those went to the other tool
  return true;
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
  try_again_ns_ = 0;
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
