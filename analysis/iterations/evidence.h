// What beside the repetition shows where iterations begin: optimizer runs, input copies, results that
// are read, pauses of the host. Positions are symbols of the string. Collected once a device by mine().
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/model/trace.h"
#include "analysis/sequence/sequence.h"

namespace deepprof {

struct Evidence {
  std::vector<uint32_t> update_ends;  // behind each run of optimizer kernels (and the fills behind it)
  std::vector<uint32_t> feeds;        // first of each run of host-to-device copies
  std::vector<uint32_t> read_backs;   // behind each run of device-to-host copies
  std::vector<float> pause_us;        // by symbol: how long the host launched nothing before it
};

Evidence collect_evidence(const Trace& trace, const Sequence& sequence);

// The symbols of [first, last) before which the host paused longest, ascending: at most `count`, each at
// least `least_us`.
std::vector<uint32_t> longest_pauses(const Evidence& evidence, uint32_t first, uint32_t last, size_t count,
                                     float least_us);

}  // namespace deepprof
