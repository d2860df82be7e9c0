// The online miner: counts the iterations of one device for a job of any length in bounded memory,
// and keeps whole-run statistics. Called by the following thread; single-threaded, never throws but
// std::bad_alloc.
//
// The beginning of the run is held and mined once; before that, where somebody asks for a count
// early. Each answer is counted from scratch, so that a short run has the offline miner's answer on
// the whole. If following the pattern of the answer (follower.h) counts what the answer counts, the rest of the
// run is followed. If not, iterations vary too much for a pattern, and the run is mined stretch by
// stretch. A run that is followed is searched again when the pattern explains too little, together
// with the ops that show it, until two answers agree; and checked at twice, four times, ... as many
// ops: where a look and a longer one show the level above (micro-steps were taken for iterations),
// what has been counted is converted.
//
// Memory: the statistics (run_statistics.h), the pattern (36 bytes an op) and 32 bytes for each of
// so many times OnlineOptions::prefix_ops: four at most while it searches, eight while a check
// looks twice, eight until iterations are found.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "analysis/online/doubtful_ops.h"
#include "analysis/online/level_check.h"
#include "analysis/online/run_recorder.h"
#include "analysis/online/run_statistics.h"
#include "analysis/online/stretch.h"
#include "analysis/pattern/follower.h"
#include "libdeepprof/event/event.h"

namespace deepprof {

using OfflineMiner = std::function<MinedStretch(std::span<const Event> ops)>;

struct OnlineOptions {
  size_t prefix_ops =
      102'400;  // four times as many are mined first: of those mine() takes a window
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
  // The beginning is mined now, and again when it is long enough, if there is much of it and no
  // answer yet.
  void look_early();
  // Counts the last iteration. `mine_again`: a run that is still held is mined as a whole; else
  // only where nothing has been mined yet.
  void finish(bool mine_again = true);

  const Pattern& pattern() const { return pattern_; }
  RunStatistics& statistics() { return recorder_.statistics(); }

 private:
  // The part of the run that is followed along one pattern.
  struct Epoch {
    Verdict verdict = Verdict::none;
    uint64_t counted_before = 0;  // by the follower
    // iterations of the mined stretch that following it does not count; less than none: it counts
    // what is none
    int64_t missed = 0;
    double worth = 1;  // iterations that one of those followed is
    uint64_t iterations(uint64_t counted) const;
  };
  void take(std::span<const Event> ops);
  void count_beginning(bool last);
  void search(bool last);
  bool is_as_before(const MinedStretch& found) const;
  bool is_confirmed(const MinedStretch& found) const;
  bool settle(MinedStretch found, bool enough, bool last);
  size_t leave_out_context(std::vector<OpRange>& tiles);
  void give_up();
  void pause();
  bool has_changed();
  void search_again();
  void follow_along(Pattern pattern, const MinedStretch& found);
  void count_stretch(const MinedStretch& found, bool last);
  void count_by_length();
  void keep_uncounted(std::span<const Event> ops);
  void count_uncounted();
  void believe(const MinedStretch& found);
  void close_epoch();
  void count();

  std::span<const Event> follow_until_check(std::span<const Event> ops);
  void check();
  void reconsider(const MinedStretch& found, double ratio);

  size_t follow(std::span<const Event> ops, bool last);
  void follow_waiting(bool last);
  void follow_part(std::span<const Event> ops);

  const uint16_t device_;
  OfflineMiner offline_;
  OnlineOptions options_;
  // The run so far, while it is short.
  bool holding_ = true;
  std::vector<Event> held_;
  size_t next_look_ops_;  // that are held when they are mined next
  // The first ops, as long as no iterations have been found.
  std::vector<Event> uncounted_;

  Pattern pattern_;
  Follower follower_;
  RunRecorder recorder_;
  std::vector<Event> waiting_;  // given, not yet followed, behind context_ops_ that are counted
  size_t context_ops_ = 0;
  uint64_t given_ops_ = 0;
  uint64_t settled_ = 0;  // iterations of earlier epochs
  Epoch epoch_;
  LevelCheck check_;
  DoubtfulOps doubtful_;
  // What following counted of the ops that had shown a change and are mined again, as context.
  uint64_t doubted_ = 0;
  bool doubts_ = false;  // the context are such ops
  // of an iteration, by the last answer that was settled; 0: none was
  double ops_each_ = 0;
  bool varies_ = false;  // that answer could not be followed

  bool searching_ = true;
  size_t wanted_ops_;                           // that are waiting when the search goes on
  size_t earlier_ops_ = 0, earlier_tiles_ = 0;  // the last answer of this search; 0: none yet
  uint64_t pause_ops_ = 0;                      // no search before these have passed
  uint64_t last_pause_ops_ = 0;                 // doubles while nothing new is found
};

}  // namespace deepprof
