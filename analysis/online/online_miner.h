// The online miner: follows the GPU ops of one device for a job of any length in bounded memory,
// counts its iterations and keeps whole-run statistics. Called by the drain thread;
// single-threaded, never throws but std::bad_alloc.
//
// It mines a prefix of the run with the offline miner, follows the pattern found (follower.h), and
// mines again when the pattern explains too little. Memory: the statistics (run_statistics.h), the
// pattern (36 bytes an op) and, while it collects ops to mine, 36 bytes for each of
// OnlineOptions::prefix_ops.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "analysis/online/consensus.h"
#include "analysis/online/follower.h"
#include "analysis/online/run_recorder.h"
#include "analysis/online/run_statistics.h"
#include "libdeepprof/event/event.h"

namespace deepprof {

// Finds the complete iterations in a stretch of ops, in order; none: no structure found.
using OfflineMiner = std::function<std::vector<OpRange>(std::span<const Event> ops)>;

struct OnlineOptions {
  size_t prefix_ops = 200'000;  // mined first, and again when the pattern has changed
  double explained_share =
      .6;  // of the last ten thousand ops or so; below it the pattern has changed
};

class OnlineMiner {
 public:
  OnlineMiner(uint16_t device, OfflineMiner offline, const OnlineOptions& options = {});
  OnlineMiner(const OnlineMiner&) = delete;
  OnlineMiner& operator=(const OnlineMiner&) = delete;

  // GPU ops of the device, in launch order, durations >= 0.
  void add(std::span<const Event> ops);
  // Mines what has been collected, where nothing has been mined yet, and counts the last iteration.
  void finish();

  const Pattern& pattern() const { return pattern_; }
  RunStatistics& statistics() { return recorder_.statistics(); }

 private:
  void mine();
  size_t follow(std::span<const Event> ops, bool last);
  void follow_waiting(bool last);
  std::span<const Event> follow_block(std::span<const Event> ops);

  OfflineMiner offline_;
  OnlineOptions options_;
  Pattern pattern_;
  Follower follower_;
  RunRecorder recorder_;
  std::vector<Event> waiting_;   // given, not yet followed
  std::vector<NameId> names_;    // of the ops that are being followed
  bool collecting_ = true;       // until there is enough to mine
  uint64_t pause_ops_ = 0;       // not to be mined again before these have passed
  uint64_t last_pause_ops_ = 0;  // doubles while mining finds nothing new
};

}  // namespace deepprof
