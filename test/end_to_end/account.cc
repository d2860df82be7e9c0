#include "test/end_to_end/account.h"

#include <algorithm>

#include "libdeepprof/event/allocation_events.h"
#include "libdeepprof/text.h"
#include "test/support/catch.h"

namespace deepprof::test {
namespace {

// The losses that count records which CUPTI had returned.
constexpr Loss kLostRecords[] = {Loss::ring_full,     Loss::write_failed,   Loss::segment_evicted,
                                 Loss::bad_timestamp, Loss::unknown_record, Loss::truncated_record};

}  // namespace

uint64_t events_in(const Trace& trace) {
  const auto of_library = [&](const HostCall& call) {
    return trace.names[call.name].substr(0, 8) == "cuDevice";
  };
  const auto own = std::count_if(trace.calls.begin(), trace.calls.end(), of_library);
  return trace.ops.size() + trace.calls.size() - static_cast<uint64_t>(own) +
         trace.overheads.size() +
         static_cast<uint64_t>(
             std::count_if(trace.allocations.begin(), trace.allocations.end(), is_event));
}

uint64_t total(const fake::Account::Count* counts) {
  uint64_t sum = 0;
  for (uint32_t kind = 0; kind < fake::kActivityKinds; ++kind) sum += counts[kind];
  return sum;
}

LoadedDprof only_trace(const JobOutcome& job) {
  INFO(job.errors);
  REQUIRE(job.traces.size() == 1);
  Result<LoadedDprof> loaded = read_dprof(job.traces[0]);
  if (!loaded.ok()) FAIL(loaded.error());
  return std::move(loaded).value();
}

uint64_t delivered_before(const fake::Account& account, int64_t age_ns) {
  const uint64_t length = account.history_length;
  REQUIRE(length > 0);
  const auto moment = [&](uint64_t i) -> const auto& {
    return account.history[i % fake::Account::kHistory];
  };
  const int64_t last = moment(length - 1).monotonic_ns;
  uint64_t delivered = 0;
  for (uint64_t i = length > fake::Account::kHistory ? length - fake::Account::kHistory : 0;
       i < length; ++i) {
    if (moment(i).monotonic_ns <= last - age_ns)
      delivered = std::max<uint64_t>(delivered, moment(i).delivered);
  }
  return delivered;
}

std::string imbalance(const JobOutcome& job, const Trace& trace) {
  const uint64_t fed = total(job.account->delivered) + job.account->truncated;
  uint64_t accounted = events_in(trace);
  std::string parts = format_text("%llu in the trace", static_cast<unsigned long long>(accounted));
  for (const Loss loss : kLostRecords) {
    if (trace.losses[loss] == 0) continue;
    accounted += trace.losses[loss];
    parts += format_text(" + %llu %s", static_cast<unsigned long long>(trace.losses[loss]),
                         losses()[static_cast<size_t>(loss)].name.data());
  }
  std::string text;
  if (fed != accounted) {
    text += format_text("%llu records were fed, %llu are accounted for: %s\n",
                        static_cast<unsigned long long>(fed),
                        static_cast<unsigned long long>(accounted), parts.c_str());
  }
  if (job.account->dropped != trace.losses[Loss::cupti_dropped]) {
    text += format_text("CUPTI dropped %llu records, the trace says %llu\n",
                        static_cast<unsigned long long>(job.account->dropped.load()),
                        static_cast<unsigned long long>(trace.losses[Loss::cupti_dropped]));
  }
  return text;
}

}  // namespace deepprof::test
