// The offline miner on a stretch of GPU ops alone (no host calls), as the online miner asks it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/online/stretch.h"
#include "libdeepprof/event/event.h"

namespace deepprof {

// Copies of so few bytes are numbers, not data. Events that are followed carry no details: the bit
// that would announce one marks a scalar copy.
inline constexpr uint64_t kScalar_bytes = 16;

// The complete iterations of the stretch; those of a warm-up or an irregular section are not
// typical. Nothing past the time budget (0: none). `ops`: of one device, in launch order, or in
// start order where they have no correlation ids. By NameId: `names`, and what `copies` of that
// name move between, as far as it goes.
MinedStretch mine_stretch(std::span<const Event> ops, const std::vector<std::string>& names,
                          const std::vector<Detail>& copies, int64_t time_budget_ns);

}  // namespace deepprof
