// Follows a stream of ops along a pattern, op by op: which op of which iteration each one is, where
// an iteration begins, and which ops the pattern does not explain. Used by the online miner, and to
// align single iterations with each other (consensus.h).
//
// A mismatch is bridged by, in this order: one edit · another iteration with the same beginning ·
// up to kEditWindow edits, confirmed by kConfirm ops · the nearest run of six symbols close by ·
// the best chain of such runs in the next kWindow ops, which prefers the place expected. Ops are
// bridged in constant time, so following is linear whatever the stream holds. No allocation.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "analysis/pattern/edit.h"
#include "analysis/pattern/pattern.h"

namespace deepprof {

// What the follower tells. `first` and `at` count from the front of the span given to follow().
// Counts may be 0.
class FollowSink {
 public:
  virtual ~FollowSink() = default;
  // An iteration begins with the op `at`; the one before ends there.
  virtual void begins(size_t at, uint32_t iteration) = 0;
  // The iteration that has begun turns out to be this one (they share their beginning).
  virtual void turns_into(uint32_t iteration) = 0;
  virtual void matched(size_t first, size_t count, PatternPlace place) = 0;
  virtual void unexplained(size_t first, size_t count) = 0;
};

class Follower {
 public:
  // Must outlive the follower. May be empty: then every op is unexplained. May be replaced by one
  // that begins with the same iterations.
  explicit Follower(const Pattern& pattern) : pattern_(&pattern) {}

  // Expects the first op of this iteration next. Without it the follower finds its place first.
  void start_with(uint32_t iteration);

  // Returns how many of the symbols it has dealt with. The others (fewer than kLookAhead, none if
  // `last`) must come again, at the front of the next call.
  size_t follow(std::span<const uint32_t> symbols, bool last, FollowSink& sink);
  static constexpr size_t kLookAhead = 80;

 private:
  static constexpr uint32_t kConfirm = 3, kSureConfirm = 6;
  static constexpr uint32_t kNear = 24;  // ops within which a single run of six symbols is believed
  static constexpr uint32_t kNearPlace = 64;  // and how far from the expected place
  static constexpr uint32_t kWindow = 64;     // ops that are chained
  static constexpr uint32_t kStep = 32;       // ops given up when no chain is found
  static constexpr int64_t kFar = int64_t{1} << 40;

  // A run of six symbols found in the pattern.
  struct Hit {
    uint32_t offset = 0;  // in the stream, from the mismatch
    PatternPlace place;
    int32_t laps = 0;         // how many iterations later than the current one
    int64_t at = 0;           // place on a line that goes on through the end of the iteration
    int64_t distance = kFar;  // from the expected place; backwards counts double
  };

  using Symbols = std::span<const uint32_t>;

  size_t run_length(Symbols rest) const;
  void enter(PatternPlace place, int32_t laps);
  void pass_end();
  void choose_next(Symbols rest);
  size_t bridge(Symbols symbols, size_t at, FollowSink& sink);
  size_t skip(size_t at, Edit edit, FollowSink& sink);
  uint32_t same_beginning(Symbols rest) const;
  Hit find_near(Symbols rest) const;
  Hit find_chain(Symbols rest) const;
  Hit locate(uint32_t offset, PatternPlace place) const;
  size_t give_up(Symbols symbols, size_t at, FollowSink& sink);
  size_t go_to(const Hit& hit, size_t at, FollowSink& sink);

  const Pattern* pattern_;
  PatternPlace place_;
  int64_t lap_ = 0;           // iterations passed
  int64_t told_lap_ = -1;     // of the last begins()
  uint32_t unexplained_ = 0;  // ops in a row; saturates
  bool lost_ = true;          // the expected place is not to be believed before it is confirmed
};

}  // namespace deepprof
