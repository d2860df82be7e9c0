// What beside the repetition shows where iterations begin: optimizer runs, input copies, results
// that are read, pauses of the host. Positions are symbols of the string. Collected once a device
// by mine().
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/model/trace.h"
#include "analysis/sequence/sequence.h"

namespace deepprof {

enum class Sign : uint8_t {
  update,     // behind a run of optimizer kernels and the fills that follow
  feed,       // first of a run of host-to-device copies
  scalar,     // the same, of a few bytes
  read_back,  // behind a run of device-to-host copies
  copy,       // first of a run of copies whose direction is not known
  pause,      // the host launched nothing for long
};
inline constexpr size_t kSigns = 6;
const char* sign_words(Sign sign);  // "an optimizer run", "an input copy", ...

struct SignEvents {
  Sign sign = Sign::update;
  std::vector<uint32_t> at;  // ascending
};

// How long the host launched nothing before symbol `at`.
struct Pause {
  uint32_t at = 0;
  float us = 0;
};

struct Evidence {
  std::vector<SignEvents> signs;  // not pauses; several of Sign::copy, one for each kind of copy
  std::vector<Pause> pauses;      // longer than the pace of launching; the longest first
  double all_pauses_us = 0;       // and with those that are as short
  // symbols before this one were launched before the recording began: on the host it begins here
  uint32_t recorded_from = 0;

  // Optimizer runs; null: none recognised.
  const SignEvents* updates() const {
    return signs.empty() || signs[0].sign != Sign::update ? nullptr : &signs[0];
  }
  // How many of them end within the iteration [first, last).
  size_t updates_in(uint32_t first, uint32_t last) const;
};

// Without pauses.
Evidence collect_evidence(const Trace& trace, const Sequence& sequence);

// Whether the symbols [first, last) are mostly copies to the host: a checkpoint, where it is no
// iteration.
bool is_mostly_read(const Sequence& sequence, uint32_t first, uint32_t last);

// How many of the symbols [first, last) are copies in long rows: a job that sets itself up, or a
// checkpoint. Where they are in no iteration, they are no sign that something else was done.
uint32_t copies_in_rows(const Sequence& sequence, uint32_t first, uint32_t last);

// Whether most of the symbols [first, last) are such.
bool is_mostly_rows(const Sequence& sequence, uint32_t first, uint32_t last);

// The device's time in a stretch of the string. Every level asks: summed once for all of them.
class CopyTime {
 public:
  // Of symbols [first, last).
  CopyTime(const Trace& trace, const Sequence& sequence, uint32_t first, uint32_t last);

  // Share of the time in symbols [first, last) that copies from the host, or of unknown direction,
  // take.
  double copied_in(uint32_t first, uint32_t last) const;

 private:
  static constexpr uint32_t kBlock = 64;  // ops
  struct Sums {
    uint64_t copies_ns = 0, all_ns = 0;  // may wrap: only differences are looked at
  };
  void add(uint32_t from, uint32_t to, Sums& sums) const;  // positions
  Sums before(uint32_t symbol) const;

  const Trace& trace_;
  const Sequence& sequence_;
  uint32_t first_;            // position
  std::vector<Sums> before_;  // each block
};

// Sets the pauses before symbols [first, last).
void collect_pauses(const Trace& trace, const Sequence& sequence, uint32_t first, uint32_t last,
                    Evidence& evidence);

// The events that lie in [first, last).
std::span<const uint32_t> within(const std::vector<uint32_t>& events, uint32_t first,
                                 uint32_t last);

// The symbols of [first, last), as far as pauses were collected, before which the host paused
// longest, ascending: at most `count`, none as short as the pace of launching.
std::vector<uint32_t> longest_pauses(const Evidence& evidence, uint32_t first, uint32_t last,
                                     size_t count);

// The time that the longest `count` pauses of [first, last) take, in us.
double longest_pauses_us(const Evidence& evidence, uint32_t first, uint32_t last, size_t count);

}  // namespace deepprof
