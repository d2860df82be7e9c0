// Faults on demand: what the environment asks of a replay CUPTI. Read once, at the library's first
// use.
#pragma once

#include <cstdint>
#include <string>

namespace deepprof::fake {

struct Settings {
  // FAKE_CUPTI_FAIL=cuptiSubscribe=39,cuptiActivityEnable=15,cuptiActivityEnable:17=14
  // The named functions return the error; with :N only for activity kind N, with @A-B only the Ath
  // to the Bth time that they are called.
  std::string fail;
  // FAKE_CUPTI_FLUSH_BLOCKS_MS: every FlushAll hangs so long; -1: for ever
  int64_t flush_blocks_ms = 0;
  int64_t forced_blocks_ms = 0;  // FAKE_CUPTI_FORCED_BLOCKS_MS: likewise, FORCED ones alone
  int64_t worker_late_ms =
      0;  // FAKE_CUPTI_LATE_MS: its worker has no core for so long, again and again
  // FAKE_CUPTI_WITHHOLD=1: nothing is returned before a FORCED flush
  bool withhold = false;
  // FAKE_CUPTI_BAD_TIMES=N: every Nth GPU record has impossible times
  uint64_t bad_times_every = 0;
  // FAKE_CUPTI_UNKNOWN=N: a NAME record, not asked for, after every N
  uint64_t unknown_every = 0;
  bool alien = false;           // FAKE_CUPTI_ALIEN=1: buffers end in a record of kind 199
  uint64_t truncate_every = 0;  // FAKE_CUPTI_TRUNCATE=N: every Nth buffer's last record is cut
  bool reverse = false;         // FAKE_CUPTI_ORDER=reverse: full buffers come back newest first
  int per_thread = -1;          // FAKE_CUPTI_PER_THREAD=0|1; -1: as the version does by default
  // FAKE_CUPTI_EXIT_DELIVERS=1: buffers are returned while the driver goes
  bool exit_delivers = false;
  // FAKE_CUPTI_OWN_THREADS=1: calls are of this process, threads named by pthread_self()
  bool own_threads = false;
  std::string account;  // FAKE_CUPTI_ACCOUNT=PATH (%p: pid): see account.h
};

const Settings& settings();

// The error that `function` is to return, 0: none.
int demanded_error(const char* function, int64_t kind = -1);  // once a call

}  // namespace deepprof::fake
