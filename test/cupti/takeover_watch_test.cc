// The watch over a CUPTI of which we have but the calls that it makes, on made-up time.
#include "libdeepprof/cupti/takeover.h"

#include <vector>

#include "libdeepprof/capture/clock.h"
#include "test/cupti/mapped_torch.h"
#include "test/support/catch.h"

namespace deepprof::cupti {
namespace {

constexpr int64_t kSecond_ns = 1'000'000'000, kTick_ns = kSecond_ns / 5;

// One callback pair and one set of kinds for the whole process, as in v1.
struct Cupti {
  bool ours = false, kinds_on = false;
  int per_thread = 0;  // before 13.0
  int registered = 0, refuse_registrations = 0, refuse_clock = 0;
  bool others_clock = false;
  bool torch_tells = false, torch_is_on = false;
  BufferDesk* desk = nullptr;

  void record() const {
    if (ours && kinds_on) desk->movements.fetch_add(1);
  }
  void session_begins() {
    ours = false;
    kinds_on = others_clock = true;
  }
  void session_ends() { kinds_on = false; }
} cupti;

ResultCode register_callbacks(BufferRequested, BufferCompleted) {
  if (cupti.refuse_registrations > 0) return --cupti.refuse_registrations, kUnknownError;
  ++cupti.registered;
  cupti.ours = true;
  return kSuccess;
}
ResultCode enable(uint32_t) {
  cupti.kinds_on = true;
  return kSuccess;
}
ResultCode get_timestamp(uint64_t* now) {
  *now = static_cast<uint64_t>(cupti.others_clock ? monotonic_ns() : realtime_ns());
  return kSuccess;
}
ResultCode register_timestamp_callback(TimestampCallback) {
  if (cupti.refuse_clock > 0) return --cupti.refuse_clock, kUnknownError;
  cupti.others_clock = false;
  return kSuccess;
}
ResultCode get_attribute(uint32_t, size_t*, void* value) {
  *static_cast<uint8_t*>(value) = static_cast<uint8_t>(cupti.per_thread);
  return kSuccess;
}
ResultCode set_attribute(uint32_t, size_t*, void* value) {
  cupti.per_thread = *static_cast<uint8_t*>(value);
  return kSuccess;
}
int count_devices(int* count) {
  cupti.record();
  return *count = 1, 0;
}
bool torch_profiler_is_on() { return cupti.torch_is_on; }
TorchProfilerIsOn find_torch() { return cupti.torch_tells ? &torch_profiler_is_on : nullptr; }

struct Job {
  // `per_thread`: 1 is CUPTI 13.0.
  Job(std::optional<int64_t> rearm_after_s, bool torch_tells, int per_thread = 0) {
    cupti = Cupti{};
    cupti.desk = &desk;
    cupti.per_thread = per_thread;
    cupti.torch_tells = torch_tells;
    library.version = per_thread != 0 ? 130000 : 28;
    library.api.register_callbacks = &register_callbacks;
    library.api.enable = &enable;
    library.api.get_timestamp = &get_timestamp;
    library.api.register_timestamp_callback = &register_timestamp_callback;
    library.api.get_attribute = &get_attribute;
    library.api.set_attribute = &set_attribute;
    activation = activate(library, wanted).value();
    clock.emplace(library, activation);
    const Witnesses witnesses{&count_devices, &find_torch};
    if (rearm_after_s) rearm_after_ns = *rearm_after_s * kSecond_ns;
    watch.emplace(library, wanted, activation, *clock, desk, filter, log, losses, rearm_after_ns,
                  witnesses, [this](const std::string& said) { notices.push_back(said); });
    go_on(1);
  }
  void go_on(double seconds) {
    const int64_t until = now_ns + static_cast<int64_t>(seconds * 1e9);
    while (now_ns < until) {
      if (launches) cupti.record();
      watch->tick(now_ns += kTick_ns);
    }
  }
  bool recorded() const { return cupti.ours && cupti.kinds_on; }

  BufferPool pool{1, 1};
  Doorbell bell;
  LossCounters losses;
  BufferDesk desk{pool, bell, losses, true};
  Library library;
  Wanted wanted;
  Activation activation;
  std::optional<CuptiClock> clock;
  CallFilter filter;
  DefinitionLog log;
  std::optional<int64_t> rearm_after_ns;
  std::vector<std::string> notices;
  std::optional<TakeoverWatch> watch;
  int64_t now_ns = kSecond_ns;
  bool launches = true;
};

// As long as the witness needs, and then some.
constexpr double kNoticed_s = 3;

}  // namespace

TEST_CASE("before CUPTI 13.0 it is taken back after ten minutes, which is said twice") {
  Job job({}, false);
  cupti.session_begins();
  job.go_on(kNoticed_s);
  REQUIRE(job.watch->in_spell());
  cupti.session_ends();
  job.go_on(590);
  CHECK(job.watch->in_spell());
  CHECK_FALSE(job.recorded());
  job.go_on(12);
  CHECK(job.recorded());
  CHECK_FALSE(job.watch->in_spell());
  REQUIRE(job.notices.size() == 2);
  CHECK(job.notices[0].find("for 600 s") != std::string::npos);
  CHECK(job.notices[1].find("after 600 s") != std::string::npos);
}

TEST_CASE("DEEPPROF_REARM_S=0 leaves the other tool alone for ever") {
  Job job(0, false);
  cupti.session_begins();
  job.go_on(4'000);
  CHECK_FALSE(cupti.ours);
  REQUIRE(job.notices.size() == 1);
  CHECK(job.notices[0].find("to the end") != std::string::npos);
}

TEST_CASE("a session that PyTorch says is on is not ended by the clock that nobody set") {
  Job job({}, true);
  cupti.session_begins();
  cupti.torch_is_on = true;
  job.go_on(4'000);
  CHECK_FALSE(cupti.ours);
  CHECK(job.notices.size() == 1);
}

TEST_CASE("a session that PyTorch says is over ends the spell a minute later") {
  Job job({}, true);
  cupti.session_begins();
  cupti.torch_is_on = true;
  job.go_on(20);
  cupti.torch_is_on = false;
  job.go_on(2);
  cupti.session_ends();
  job.go_on(55);
  CHECK_FALSE(job.recorded());
  job.go_on(8);
  CHECK(job.recorded());
  CHECK(cupti.registered == 2);
  job.go_on(100);
  CHECK(cupti.registered == 2);
  CHECK(job.notices.size() == 1);
  CHECK(job.losses.snapshot()[Loss::takeover] == 1);
}

TEST_CASE("what PyTorch has shown of a session is not cut short by the clock that nobody set") {
  Job job({}, true);
  cupti.session_begins();
  job.go_on(kNoticed_s);
  cupti.torch_is_on = true;
  job.go_on(550);
  cupti.torch_is_on = false;
  job.go_on(100);  // ten minutes are over: it writes down what it has
  CHECK_FALSE(cupti.ours);
  cupti.session_ends();
  job.go_on(460);
  CHECK(job.recorded());
  CHECK(cupti.registered == 2);
  CHECK(job.notices.size() == 1);
}

TEST_CASE("the time that was asked for holds whatever PyTorch shows") {
  Job job(600, true);
  cupti.session_begins();
  cupti.torch_is_on = true;
  job.go_on(595);
  cupti.torch_is_on = false;
  job.go_on(10);
  CHECK(cupti.ours);
}

TEST_CASE("a session of PyTorch that was imported after the job's first call of CUDA shows") {
  Job job({}, false);
  job.go_on(10);
  cupti.torch_tells = true;
  cupti.session_begins();
  cupti.torch_is_on = true;
  job.go_on(1);
  cupti.torch_is_on = false;
  cupti.session_ends();
  job.go_on(70);
  CHECK(job.recorded());
  REQUIRE(job.notices.size() == 1);
  CHECK(job.notices[0].find("until it has been done for a minute") != std::string::npos);
}

TEST_CASE("from an idle job CUPTI is taken back once, and the spell ends with its next launch") {
  Job job({}, true);
  cupti.session_begins();
  cupti.torch_is_on = true;
  job.go_on(5);
  cupti.torch_is_on = false;
  cupti.session_ends();
  job.launches = false;
  job.go_on(300);
  CHECK(cupti.registered == 2);
  CHECK(job.watch->in_spell());
  job.launches = true;
  job.go_on(1);
  CHECK_FALSE(job.watch->in_spell());
}

TEST_CASE("a session of a second, over before it was noticed, is known from PyTorch as well") {
  Job job({}, true);
  cupti.session_begins();
  cupti.torch_is_on = true;
  job.go_on(1);
  cupti.torch_is_on = false;
  cupti.session_ends();
  job.go_on(70);
  CHECK(job.recorded());
}

TEST_CASE("a CUPTI that cannot be taken back at once is asked again until it can") {
  const MappedTorch torch;
  Job job({}, false, 1);
  cupti.session_begins();
  job.go_on(kNoticed_s);
  (GENERATE(true, false) ? cupti.refuse_clock : cupti.refuse_registrations) = 5;
  cupti.session_ends();
  cupti.per_thread = 0;  // the mark
  job.go_on(4.5);
  CHECK_FALSE(job.recorded());
  job.go_on(2);
  CHECK(job.recorded());
  CHECK_FALSE(job.watch->in_spell());
  CHECK(cupti.per_thread == 1);
  job.go_on(10);
  CHECK(cupti.registered == 2);
}

TEST_CASE("while CUPTI's clock cannot be had the mark of the next session's end stays as it is") {
  const MappedTorch torch;
  Job job({}, false, 1);
  cupti.session_begins();
  job.go_on(kNoticed_s);
  cupti.refuse_clock = 1'000'000;
  cupti.session_ends();
  cupti.per_thread = 0;
  job.go_on(10);
  CHECK(cupti.per_thread == 0);
  CHECK(cupti.registered == 1);
}

TEST_CASE("a session that begins while CUPTI cannot be taken back is not ended") {
  const MappedTorch torch;
  Job job({}, true, 1);
  cupti.session_begins();
  job.go_on(kNoticed_s);
  cupti.refuse_clock = 2;
  cupti.session_ends();
  cupti.per_thread = 0;
  job.go_on(1.5);
  cupti.session_begins();
  cupti.torch_is_on = true;
  cupti.refuse_clock = 0;
  job.go_on(1'000);
  CHECK_FALSE(cupti.ours);
}

}  // namespace deepprof::cupti
