// Communication across ranks: which kernels of several ranks are one collective, and how much of
// each is transfer and how much is waiting for a rank that came late. A rank is a device of a
// trace; ranks may come from several files.
//
// Only lengths are compared, so no common clock is needed: a collective ends on every rank when the
// data has gone round, after the last rank has joined. Who joins last runs it shortest, and what
// the others run longer they waited. The ends then align the clocks of the files, which nothing
// else does as closely.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/model/name_table.h"

namespace deepprof {

// A communication kernel of a rank.
struct CommunicationOp {
  int64_t start_ns = 0, end_ns = 0;  // in the clock of the rank's file
  NameId name = 0;                   // in a table that all ranks share
  uint32_t stream = 0;
  int64_t exposed_ns = 0;  // the part with no compute kernel beside it
  // equal for equal sizes: a number of what was moved or launched; 0: not recorded
  uint64_t shape = 0;
  uint64_t bytes = 0;  // that a rank gives or gets, the larger; 0: not recorded

  int64_t duration_ns() const { return end_ns - start_ns; }
};

struct CommunicationOfRank {
  std::vector<CommunicationOp> ops;  // in launch order
  int64_t clock_base_ns = 0;         // added to a time: since 1970; 0: not known
};

inline constexpr uint32_t kNotThere = UINT32_MAX;

struct Collective {
  std::vector<uint32_t> op_of_rank;  // index into the rank's ops; kNotThere: not part of it
  int64_t transfer_ns = 0;           // the shortest
  // the rank that joined last; kNotThere: several were equally late
  uint32_t last = 0;
};

// A rank's clock against that of the first rank.
struct ClockOffset {
  bool known = false;     // enough collectives were matched
  int64_t offset_ns = 0;  // subtracted from a time of this rank: the first rank's clock
  int64_t spread_ns = 0;  // median distance of the ends after that
};

struct MatchedRanks {
  std::vector<Collective> collectives;  // in the order of the rank with most of them
  std::vector<ClockOffset> clocks;      // by rank
};

// Matches collectives by order and name, and by shape where all of both ranks have one and the ends
// agree better then (pieces of different size are fair in some collectives). Ranks may lack some:
// others are recorded longer, or have groups of their own. A pair that does not overlap in time
// once the clocks are aligned is no pair.
MatchedRanks match_collectives(std::span<const CommunicationOfRank> ranks);

// What matching says of one rank. transfer + waiting + unmatched = total.
struct RankCommunication {
  uint64_t count = 0, matched = 0, came_last = 0;
  int64_t total_ns = 0, exposed_ns = 0;  // summed over streams
  int64_t transfer_ns = 0, waiting_ns = 0, unmatched_ns = 0;
  int64_t blamed_ns =
      0;  // waiting of the other ranks, each, where this one came last (the mean of them)
};
std::vector<RankCommunication> sum_up(std::span<const CommunicationOfRank> ranks,
                                      const MatchedRanks& matched);

// The rank that the others waited for most; kNotThere: nobody came last alone, the waiting is not
// worth a name (under a twentieth of the communication time) or nobody stands out (under half of
// what the ranks waited).
uint32_t straggler(std::span<const RankCommunication> ranks);

}  // namespace deepprof
