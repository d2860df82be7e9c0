// What a replay CUPTI has done, kept in a file that it maps: readable while the process runs and
// after it has been killed. Tests hold the account against the trace: fed = written + each counted
// loss.
#pragma once

#include <atomic>
#include <cstdint>

#include "test/fake/cupti/records.h"

namespace deepprof::fake {

struct Account {
  static constexpr uint64_t kMagic = 0x544e554f43434144;  // "DACCOUNT"
  static constexpr uint32_t kHistory = 4096;

  using Count = std::atomic<uint64_t>;
  uint64_t magic;
  Count submitted[kAccountKinds];  // records a CUPTI with every kind enabled would have made
  Count written[kAccountKinds];    // records put into buffers
  Count delivered[kAccountKinds];  // records in buffers that the client's callback has taken
  Count dropped;                   // records for which there was no buffer
  Count buffers_requested, buffers_refused, buffers_delivered;
  Count bytes_delivered;
  Count bad_times;      // delivered records with impossible times, incomplete ones included
  Count unknown;        // delivered records of the kinds that nobody asked for
  Count alien;          // delivered records of a kind without a size
  Count truncated;      // delivered records that were cut (not counted in `delivered`)
  Count dirty_buffers;  // buffers that the client had promised to be zero and were not
  Count flushes, forced_flushes;
  Count calls_after_fork;  // calls into CUPTI from a forked child, which would hang a genuine one
  // calls into CUPTI while another thread is inside cuInit, which may deadlock
  Count calls_during_init;
  Count api_misuse;  // v1 and v2 functions mixed, calls selected that CUPTI does not know
  Count longest_request_ns;
  // Request times of buffers, one bucket for every doubling from 1 us; the last holds the rest.
  Count request_us[20];

  // Total delivered at moments of CLOCK_MONOTONIC: the last kHistory deliveries.
  Count history_length;
  struct Moment {
    std::atomic<int64_t> monotonic_ns;
    std::atomic<uint64_t> delivered;
  } history[kHistory];
};

// The process's account: the mapped file, or memory that nobody sees.
Account& account();

}  // namespace deepprof::fake
