// The clock that CUPTI stamps its records with, and whether it is still the one that it was at the
// start.
//
// By default that is the wall clock. But torch.profiler has CUPTI call a function of its own
// instead, which counts the processor's cycles since the machine started; in v1 that is global, and
// it stays when the profiler stops. What is stamped by it is in another unit and lies decades
// before everything else.
#pragma once

#include <cstdint>

#include "libdeepprof/cupti/activation.h"
#include "libdeepprof/cupti/library.h"

namespace deepprof::cupti {

class CuptiClock {
 public:
  // Start-up thread, once CUPTI traces: keeps in mind how the clock stands to the wall clock.
  CuptiClock(const Library& library, const Activation& activation);

  // The time now on the clock of the start, whatever CUPTI has been told since. 0: it never said.
  int64_t now_ns() const;

  // v1: sees to it that records are again stamped by the clock of the start, by giving CUPTI the
  // wall clock where it has another tool's. False: it keeps that. A tool that wants its own clock
  // sets it for every session.
  bool restore() const;

 private:
  int64_t read() const;
  bool is_as_at_start(int64_t records_ns) const;

  const Library& library_;
  const Activation& activation_;
  bool known_ = false;
  int64_t offset_ns_ = 0;  // records - wall clock; where it is not known, as by default
};

}  // namespace deepprof::cupti
