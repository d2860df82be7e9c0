// Turns what the follower tells of a stream of ops into whole-run statistics. Used by the online
// miner.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/online/follower.h"
#include "analysis/online/run_statistics.h"
#include "libdeepprof/event/event.h"

namespace deepprof {

class RunRecorder : public FollowSink {
 public:
  explicit RunRecorder(uint16_t device) { statistics_.device = device; }

  // The pattern followed from here on: the iterations of the one before, then perhaps more.
  void set_pattern(const Pattern& pattern);
  // The stream on which iterations are timed: that with most ops.
  void set_main_stream(uint32_t stream) { main_stream_ = stream; }
  // The ops that the follower counts from now on.
  void look_at(std::span<const Event> ops) { ops_ = ops; }

  void begins(size_t at, uint32_t iteration) override;
  void turns_into(uint32_t iteration) override { current_.iteration = iteration; }
  void matched(size_t first, size_t count, PatternPlace place) override;
  void unexplained(size_t first, size_t count) override;
  // No op will follow.
  void finish() { end_iteration(kNoTime); }

  // Moving average over the last ten thousand ops or so.
  double explained_share() const { return explained_share_; }
  void forget_explained_share() { explained_share_ = 1; }

  RunStatistics& statistics() { return statistics_; }
  const RunStatistics& statistics() const { return statistics_; }

 private:
  static constexpr uint32_t kNoIteration = UINT32_MAX;
  static constexpr int64_t kNoTime = INT64_MIN;

  class BusyTime;

  struct Current {
    uint32_t iteration = kNoIteration;
    uint32_t matched = 0, unexplained = 0;
    bool on_main_stream = false;  // start_ns is that of an op on the main stream
    int64_t start_ns = 0;
    uint32_t first_correlation = 0;
  };

  NameStats& unexplained_name(NameId name);
  uint32_t closest_in_length() const;
  void end_iteration(int64_t next_start_ns);
  void time_iteration(IterationStats& stats, int64_t duration_ns);
  void note_slow(IterationStats& stats, int64_t duration_ns);
  void count_in_slice(const Event& first, size_t count, size_t explained);

  RunStatistics statistics_;
  std::span<const Event> ops_;
  std::vector<uint32_t> name_slots_;  // by NameId: index into statistics_.unexplained, plus one
  Current current_;
  uint64_t numbered_ = 0;
  uint32_t main_stream_ = 0;
  double explained_share_ = 1;
};

}  // namespace deepprof
