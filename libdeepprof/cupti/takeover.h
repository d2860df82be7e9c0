// Keeps watch over our hold on CUPTI's v1 interface: asks the witness (witness.h), counts and dates
// each spell in which another user of CUPTI had it, and takes it back when that one is done
// (others_end.h). Control thread; every call may block in CUPTI.
#pragma once

#include <cstdint>
#include <functional>
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
#include "libdeepprof/cupti/witness.h"

namespace deepprof::cupti {

class TakeoverWatch {
 public:
  // `notice` is called with a sentence for the job's owner.
  TakeoverWatch(const Library& library, const Wanted& wanted, const Activation& activation,
                const CuptiClock& clock, const BufferDesk& desk, const CallFilter& filter,
                DefinitionLog& log, LossCounters& losses, int64_t rearm_after_ns,
                std::function<void(const std::string&)> notice);

  // On every timer tick, after the flush.
  void tick(int64_t now_ns);
  // Another tool has CUPTI, as far as we know.
  bool in_spell() const { return in_spell_; }
  // A spell that lasts to the end of the job ends here.
  void finish(int64_t now_ns);

 private:
  void ask(int calls);
  void taken_over();
  void other_is_done(int64_t now_ns);
  void rearm();
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
  const int64_t rearm_after_ns_;
  const bool watching_;
  Witness witness_;
  OthersEnd others_end_;
  int (*count_devices_)(int*) = nullptr;  // the witness call
  int64_t last_heard_ns_ = 0;             // before the movement that ended a spell
  bool in_spell_ = false;
  int64_t spell_began_ns_ = 0;
  uint32_t spells_ = 0;
};

}  // namespace deepprof::cupti
