// The offline miner on a stretch of GPU ops alone (no host calls), as the online miner asks it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/online/consensus.h"
#include "libdeepprof/event/event.h"

namespace deepprof {

// The complete iterations of the stretch that are typical of the job: none of a warm-up or an
// irregular section. Empty where none were found, where the launch order is not known, or past the
// time budget (0: none). `ops`: of one device, in launch order. `names`: by NameId.
std::vector<OpRange> mine_stretch(std::span<const Event> ops, const std::vector<std::string>& names,
                                  int64_t time_budget_ns);

}  // namespace deepprof
