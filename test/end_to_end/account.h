// The balance of a replayed job: what the stand-in CUPTI fed against what the trace holds and
// admits to lack.
#pragma once

#include <cstdint>
#include <string>

#include "analysis/model/dprof.h"
#include "test/fake/cupti/account.h"
#include "test/fake/run_job.h"

namespace deepprof::test {

// Ops, calls, waits, overheads; without the calls of cuDevice... that the library itself makes, and
// which are not part of a recording: accounts leave them out, too.
uint64_t events_in(const Trace& trace);
uint64_t total(const fake::Account::Count* counts);

// The one trace that the job wrote; fails the running test where there is none or it cannot be
// read.
LoadedDprof only_trace(const JobOutcome& job);

// What CUPTI had delivered so long before its last delivery.
uint64_t delivered_before(const fake::Account& account, int64_t age_ns);

// How much of what CUPTI delivered last may be missing after an end without exit handlers: the
// intervals of its flushes and of the file's (200 ms each), and time for a busy machine.
inline constexpr int64_t kLastMoments_ns = 1'000'000'000;

// Empty where  delivered + truncated = events in the trace + each counted loss of records,  and
// CUPTI's own drops are those that the trace admits; else both sides.
std::string imbalance(const JobOutcome& job, const Trace& trace);

}  // namespace deepprof::test
