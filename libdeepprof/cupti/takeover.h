// Keeps watch over our hold on CUPTI's v1 interface: asks the witness (witness.h), counts and dates
// each spell in which another user of CUPTI had it, and takes it back when that one is done
// (others_end.h, torch_profiler.h), or by the clock where nothing shows that. Control thread; every
// call may block in CUPTI.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "libdeepprof/capture/buffer_pool.h"
#include "libdeepprof/capture/definitions.h"
#include "libdeepprof/capture/loss_counters.h"
#include "libdeepprof/cupti/activation.h"
#include "libdeepprof/cupti/callbacks.h"
#include "libdeepprof/cupti/cupti_clock.h"
#include "libdeepprof/cupti/decoder.h"
#include "libdeepprof/cupti/library.h"
#include "libdeepprof/cupti/others_end.h"
#include "libdeepprof/cupti/torch_profiler.h"
#include "libdeepprof/cupti/witness.h"

namespace deepprof::cupti {

// What the process has mapped that is asked; null: it has not.
struct Witnesses {
  int (*count_devices)(int*) = nullptr;         // the driver's call, which CUPTI records
  TorchProfilerIsOn (*find_torch)() = nullptr;  // looked for again while it is null

  static Witnesses find();
};

class TakeoverWatch {
 public:
  // How long another tool is left alone where nothing shows that it is done.
  static constexpr int64_t kPatience_ns = 600'000'000'000;

  // `rearm_after_ns`: as witness.h has it; not given: kPatience_ns, unless the end will show.
  // `notice` is called with a sentence for the job's owner.
  TakeoverWatch(const Library& library, const Wanted& wanted, const Activation& activation,
                const CuptiClock& clock, const BufferDesk& desk, const CallFilter& filter,
                DefinitionLog& log, LossCounters& losses, std::optional<int64_t> rearm_after_ns,
                const Witnesses& witnesses, std::function<void(const std::string&)> notice);

  // On every timer tick, after the flush.
  void tick(int64_t now_ns);
  // Another tool has CUPTI, as far as we know.
  bool in_spell() const { return in_spell_; }
  // At the job's end, before the last flush: whether CUPTI still works for us. There is no time to
  // wait for silence, so `fetch`, a flush, comes before each question.
  void ask_at_end(const std::function<void()>& fetch);
  // A spell that lasts to the end of the job ends here.
  void finish(int64_t now_ns);

 private:
  void ask(int calls);
  bool moves_a_buffer(int calls);  // makes as many witness calls, until one does
  void taken_over();
  std::string how_long() const;
  void other_is_done(int64_t now_ns);
  void time_is_up(int64_t now_ns);
  void rearm(int64_t now_ns);
  bool take_back();
  void begin_spell(const std::string& what);  // told of the first one
  void end_spell(int64_t now_ns);

  const Library& library_;
  const Wanted& wanted_;
  const CuptiClock& clock_;
  const BufferDesk& desk_;
  const CallFilter& filter_;
  DefinitionLog& log_;
  LossCounters& losses_;
  const std::function<void(const std::string&)> notice_;
  const std::optional<int64_t> rearm_after_ns_;
  const bool watching_;
  int (*const count_devices_)(int*);
  Witness witness_;
  OthersEnd others_end_;
  TorchProfiler torch_;
  int64_t last_heard_ns_ = 0;  // before the movement that ended a spell
  int64_t try_again_ns_ = 0;   // what was to be taken back could not be; 0: nothing is to be
  bool in_spell_ = false;
  bool told_of_time_ = false;
  int64_t spell_began_ns_ = 0;
  uint32_t spells_ = 0;
};

}  // namespace deepprof::cupti
