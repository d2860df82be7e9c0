// Turns what the follower tells of a stream of ops into whole-run statistics. Used by the online
// miner.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/online/op_columns.h"
#include "analysis/online/run_statistics.h"
#include "analysis/online/stretch.h"
#include "analysis/pattern/follower.h"
#include "libdeepprof/event/event.h"

namespace deepprof {

class RunRecorder : public FollowSink {
 public:
  explicit RunRecorder(uint16_t device) { statistics_.device = device; }

  // The pattern followed from here on: the iterations of the one before, then perhaps more.
  void set_pattern(const Pattern& pattern);
  // Another pattern from here on; what was recorded along the one before stays. Once.
  bool may_start_anew() const { return first_kind_ == 0; }
  void start_anew(const Pattern& pattern);
  // Each repetition counted along the pattern so far is this many iterations.
  void revalue(double iterations);
  // Iterations are timed on the stream that most of these ops are on.
  void time_on_busiest_stream(std::span<const Event> ops);
  // The ops that are counted from now on. Those at the end that are not may come again, first.
  void look_at(std::span<const Event> ops);
  // Of them, so far.
  size_t explained_here() const { return block_.explained; }
  // Their names: what is followed.
  std::span<const NameId> names() const { return columns_.names(); }
  // Iterations that were found among `ops` and not followed, up to the end of the last one.
  void count_mined(std::span<const Event> ops, std::span<const OpRange> iterations);

  void begins(size_t at, uint32_t iteration) override;
  void turns_into(uint32_t iteration) override;
  void matched(size_t first, size_t count, PatternPlace place) override;
  void unexplained(size_t first, size_t count) override;
  // No op will follow.
  void finish();

  // Repetitions of the pattern, with the one under way if half of it has been seen.
  uint64_t counted() const;

  // Those of them that were neither short of a fifth of their ops nor held a fifth too many.
  uint64_t counted_whole() const;

  // Iterations of which more than a fifth was missing or did not belong; they are forgotten within
  // a few hundred.
  double odd_iterations() const { return odd_; }
  // Moving average over the last ten thousand ops or so.
  double explained_share() {
    account_block();
    return explained_share_;
  }
  void forget_explained_share() {
    account_block();
    explained_share_ = 1;
    odd_ = 0;
  }

  RunStatistics& statistics() {
    account_block();
    end_row();
    return statistics_;
  }

 private:
  static constexpr uint32_t kNoIteration = UINT32_MAX;
  static constexpr int64_t kNoTime = INT64_MIN;

  struct Current {
    uint32_t iteration = kNoIteration;
    uint32_t matched = 0, unexplained = 0;
    uint32_t in_a_row = 0, longest_row = 0;  // of those unexplained
    bool on_main_stream = false;             // start_ns is that of an op on the main stream
    int64_t start_ns = 0;
    uint32_t first_correlation = 0;
  };

  // Durations of ops of one iteration that have not been added to its table yet: by position, with
  // kMissing for the few that were not seen. They are added when the row ends, mostly with its
  // iteration, because loops of ever the same length are cheaper than one for each run of matches.
  struct Row {
    uint32_t kind = 0, first = 0, last = 0;  // positions
    std::vector<int32_t> durations_ns;       // kReadBehind more can be written
  };
  // Of the ops looked at, what has been told since.
  struct Block {
    size_t ops = 0, explained = 0;
  };

  void account_block();
  void continue_row(PatternPlace place, const int32_t* durations_ns, size_t count);
  void end_row();
  void count_by_name(size_t first, size_t count, bool explained);
  void count_foreign();
  void add_by_name(NameId name, int64_t duration_ns);
  NameStats& unexplained_name(NameId name);
  int64_t start_on_main_stream(std::span<const Event> ops) const;
  uint32_t closest_in_length() const;
  bool is_odd(size_t length) const;
  bool holds_something_else(size_t length) const;
  void end_iteration(int64_t next_start_ns);
  void time_iteration(IterationStats& stats, const SlowInRun& iteration);
  void note_slow(IterationStats& stats, const SlowInRun& iteration);
  void open_slice(const Event& first);

  RunStatistics statistics_;
  std::span<const Event> ops_;
  OpColumns columns_;  // of ops_
  Block block_;
  Row row_;
  // Indices of unexplained ops that have not been counted by name yet; room for all of ops_.
  std::vector<uint32_t> foreign_;
  size_t foreign_count_ = 0;
  std::vector<uint32_t> name_slots_;  // by NameId: index into statistics_.unexplained, plus one
  Current current_;
  uint32_t first_kind_ = 0;  // of the pattern's iterations among statistics_.iterations
  uint64_t counted_ = 0;     // repetitions of the patterns
  uint64_t whole_ = 0;       // of these
  uint64_t numbered_ = 0;    // these and the mined ones
  uint32_t main_stream_ = 0;
  double odd_ = 0;
  double explained_share_ = 1;
};

}  // namespace deepprof
