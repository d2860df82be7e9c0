#include "analysis/ranks/collectives.h"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "analysis/findings/align.h"
#include "libdeepprof/upper_median.h"

namespace deepprof {
namespace {

constexpr int kMostEdits = 500;        // kernels that one of two ranks lacks
constexpr size_t kFewestForClock = 3;  // matched collectives that fix a clock
constexpr size_t kBlock = 256;         // matches over which a clock's drift does not show

struct Pair {
  uint32_t a = 0, b = 0;  // indices into the ops of two ranks
};

// How two ranks' ops pair up, and how well their ends agree when the clocks are aligned by them.
struct Pairing {
  std::vector<Pair> pairs;
  std::vector<int64_t> offset_of_block;  // of clock b against clock a, every kBlock pairs
  int64_t spread_ns = INT64_MAX;
};

bool all_have_shape(std::span<const CommunicationOp> ops) {
  return std::all_of(ops.begin(), ops.end(),
                     [](const CommunicationOp& op) { return op.shape != 0; });
}

// What is matched: names, or names with shapes, each pair by a number that all ranks share.
class Symbols {
 public:
  explicit Symbols(bool with_shape) : with_shape_(with_shape) {}

  std::vector<NameId> of(std::span<const CommunicationOp> ops) {
    std::vector<NameId> symbols;
    symbols.reserve(ops.size());
    for (const CommunicationOp& op : ops) symbols.push_back(of(op));
    return symbols;
  }

 private:
  NameId of(const CommunicationOp& op) {
    if (!with_shape_) return op.name;
    return numbers_.try_emplace({op.name, op.shape}, static_cast<NameId>(numbers_.size()))
        .first->second;
  }
  bool with_shape_;
  std::map<std::pair<NameId, uint64_t>, NameId> numbers_;
};

std::vector<Pair> pairs_of(const std::vector<Aligned>& aligned) {
  std::vector<Pair> pairs;
  for (const Aligned& each : aligned) {
    if (each.a != kNone && each.b != kNone) pairs.push_back({each.a, each.b});
  }
  return pairs;
}

class PairOfRanks {
 public:
  PairOfRanks(const CommunicationOfRank& a, const CommunicationOfRank& b) : a_(a), b_(b) {}

  // The names of a loop repeat, so ranks whose recordings begin or end at different iterations
  // match at many shifts. The ends decide: only where the right ones are paired do they agree.
  Pairing best() const {
    std::vector<Pairing> candidates;
    const bool shapes = all_have_shape(a_.ops) && all_have_shape(b_.ops);
    for (const bool with_shape : {false, true}) {
      if (with_shape && !shapes) break;
      candidates.push_back(rated(from_front(0, 0, with_shape)));
      candidates.push_back(rated(from_back(with_shape)));
      if (a_.clock_base_ns != 0 && b_.clock_base_ns != 0)
        candidates.push_back(rated(by_wall_clock(with_shape)));
    }
    size_t most = 0;
    for (Pairing& each : candidates) {
      drop_apart(each);
      most = std::max(most, each.pairs.size());
    }
    Pairing* chosen = nullptr;
    for (Pairing& each : candidates) {
      if (2 * each.pairs.size() < most) continue;
      const bool better =
          chosen == nullptr || each.spread_ns < chosen->spread_ns ||
          (each.spread_ns == chosen->spread_ns && each.pairs.size() > chosen->pairs.size());
      if (better) chosen = &each;
    }
    return std::move(*chosen);
  }

 private:
  std::vector<Pair> from_front(size_t skip_a, size_t skip_b, bool with_shape) const {
    Symbols symbols(with_shape);
    const std::vector<NameId> a = symbols.of(std::span(a_.ops).subspan(skip_a)),
                              b = symbols.of(std::span(b_.ops).subspan(skip_b));
    std::vector<Pair> pairs = pairs_of(align(a, b, kMostEdits));
    for (Pair& pair : pairs) {
      pair.a += static_cast<uint32_t>(skip_a);
      pair.b += static_cast<uint32_t>(skip_b);
    }
    return pairs;
  }
  std::vector<Pair> from_back(bool with_shape) const {
    Symbols symbols(with_shape);
    std::vector<NameId> a = symbols.of(a_.ops), b = symbols.of(b_.ops);
    std::reverse(a.begin(), a.end());
    std::reverse(b.begin(), b.end());
    std::vector<Pair> pairs = pairs_of(align(a, b, kMostEdits));
    std::reverse(pairs.begin(), pairs.end());
    for (Pair& pair : pairs) {
      pair.a = static_cast<uint32_t>(a.size() - 1 - pair.a);
      pair.b = static_cast<uint32_t>(b.size() - 1 - pair.b);
    }
    return pairs;
  }
  // Without what the other rank cannot have seen: it ended before the other's first one began.
  std::vector<Pair> by_wall_clock(bool with_shape) const {
    if (a_.ops.empty() || b_.ops.empty()) return {};
    int64_t shift;             // added to a time of b: a's clock
    int64_t first_a, first_b;  // in the other's clock
    if (__builtin_sub_overflow(b_.clock_base_ns, a_.clock_base_ns, &shift) ||
        __builtin_sub_overflow(a_.ops[0].start_ns, shift, &first_a) ||
        __builtin_add_overflow(b_.ops[0].start_ns, shift, &first_b)) {
      return {};  // no clocks of one day
    }
    const auto ended_before = [](const CommunicationOfRank& rank, int64_t time_ns) {
      size_t count = 0;
      while (count < rank.ops.size() && rank.ops[count].end_ns < time_ns) ++count;
      return count;
    };
    return from_front(ended_before(a_, first_b), ended_before(b_, first_a), with_shape);
  }

  int64_t apart(const Pair& pair) const { return b_.ops[pair.b].end_ns - a_.ops[pair.a].end_ns; }

  Pairing rated(std::vector<Pair> pairs) const {
    Pairing result;
    result.pairs = std::move(pairs);
    std::vector<int64_t> away;
    for (size_t first = 0; first < result.pairs.size(); first += kBlock) {
      const size_t last = std::min(first + kBlock, result.pairs.size());
      std::vector<int64_t> block;
      for (size_t i = first; i < last; ++i) block.push_back(apart(result.pairs[i]));
      const int64_t offset = upper_median(block);
      result.offset_of_block.push_back(offset);
      for (const int64_t each : block) away.push_back(std::abs(each - offset));
    }
    if (!away.empty()) result.spread_ns = upper_median(std::move(away));
    return result;
  }

  // What does not overlap in time cannot be the same collective: of two groups with the same names,
  // say.
  void drop_apart(Pairing& pairing) const {
    std::vector<Pair> kept;
    for (size_t i = 0; i < pairing.pairs.size(); ++i) {
      const CommunicationOp &a = a_.ops[pairing.pairs[i].a], &b = b_.ops[pairing.pairs[i].b];
      const int64_t offset = pairing.offset_of_block[i / kBlock];
      if (a.start_ns <= b.end_ns - offset && b.start_ns - offset <= a.end_ns)
        kept.push_back(pairing.pairs[i]);
    }
    pairing.pairs = std::move(kept);
  }

  const CommunicationOfRank &a_, &b_;
};

ClockOffset clock_of(const Pairing& pairing) {
  ClockOffset clock;
  clock.known = pairing.pairs.size() >= kFewestForClock;
  if (!clock.known) return clock;
  clock.offset_ns = pairing.offset_of_block.front();
  clock.spread_ns = pairing.spread_ns;
  return clock;
}

void split(std::span<const CommunicationOfRank> ranks, Collective& collective) {
  collective.transfer_ns = INT64_MAX;
  for (uint32_t rank = 0; rank < ranks.size(); ++rank) {
    const uint32_t op = collective.op_of_rank[rank];
    if (op == kNotThere) continue;
    const int64_t duration_ns = ranks[rank].ops[op].duration_ns();
    if (duration_ns > collective.transfer_ns) continue;
    collective.last = duration_ns == collective.transfer_ns ? kNotThere : rank;
    collective.transfer_ns = duration_ns;
  }
}

}  // namespace

MatchedRanks match_collectives(std::span<const CommunicationOfRank> ranks) {
  MatchedRanks matched;
  matched.clocks.resize(ranks.size());
  if (ranks.size() < 2) return matched;
  // The rank with most of them is the one that the others are compared with.
  const auto most = std::max_element(ranks.begin(), ranks.end(), [](const auto& a, const auto& b) {
    return a.ops.size() < b.ops.size();
  });
  const auto reference = static_cast<size_t>(most - ranks.begin());
  std::vector<Collective> all(most->ops.size());
  for (uint32_t op = 0; op < all.size(); ++op) {
    all[op].op_of_rank.assign(ranks.size(), kNotThere);
    all[op].op_of_rank[reference] = op;
  }
  std::vector<bool> shared(all.size(), false);
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    if (rank == reference) {
      matched.clocks[rank].known = true;
      continue;
    }
    const Pairing pairing = PairOfRanks(*most, ranks[rank]).best();
    matched.clocks[rank] = clock_of(pairing);
    for (const Pair& pair : pairing.pairs) {
      all[pair.a].op_of_rank[rank] = pair.b;
      shared[pair.a] = true;
    }
  }
  for (size_t op = 0; op < all.size(); ++op) {
    if (!shared[op]) continue;
    split(ranks, all[op]);
    matched.collectives.push_back(std::move(all[op]));
  }
  // Clocks were compared with the reference's; they are told against the first rank's.
  const ClockOffset first = matched.clocks[0];
  for (ClockOffset& clock : matched.clocks) {
    clock.known = clock.known && first.known;
    clock.offset_ns -= first.offset_ns;
    clock.spread_ns = std::max(clock.spread_ns, first.spread_ns);
  }
  matched.clocks[0].spread_ns = 0;
  return matched;
}

std::vector<RankCommunication> sum_up(std::span<const CommunicationOfRank> ranks,
                                      const MatchedRanks& matched) {
  std::vector<RankCommunication> sums(ranks.size());
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    sums[rank].count = ranks[rank].ops.size();
    for (const CommunicationOp& op : ranks[rank].ops) {
      sums[rank].total_ns += op.duration_ns();
      sums[rank].exposed_ns += op.exposed_ns;
    }
    sums[rank].unmatched_ns = sums[rank].total_ns;
  }
  for (const Collective& collective : matched.collectives) {
    int64_t waited_ns = 0, others = 0;
    for (size_t rank = 0; rank < ranks.size(); ++rank) {
      const uint32_t op = collective.op_of_rank[rank];
      if (op == kNotThere) continue;
      const int64_t duration_ns = ranks[rank].ops[op].duration_ns();
      const int64_t waiting_ns = duration_ns - collective.transfer_ns;
      ++sums[rank].matched;
      sums[rank].transfer_ns += collective.transfer_ns;
      sums[rank].waiting_ns += waiting_ns;
      sums[rank].unmatched_ns -= duration_ns;
      if (rank == collective.last) continue;
      waited_ns += waiting_ns;
      ++others;
    }
    if (collective.last == kNotThere) continue;  // nobody alone is to blame
    ++sums[collective.last].came_last;
    sums[collective.last].blamed_ns += others > 0 ? waited_ns / others : 0;
  }
  return sums;
}

uint32_t straggler(std::span<const RankCommunication> ranks) {
  int64_t blamed_ns = 0, total_ns = 0, waiting_ns = 0;
  uint32_t most = kNotThere;
  for (uint32_t rank = 0; rank < ranks.size(); ++rank) {
    blamed_ns += ranks[rank].blamed_ns;
    total_ns += ranks[rank].total_ns;
    waiting_ns += ranks[rank].waiting_ns;
    if (most == kNotThere || ranks[rank].blamed_ns > ranks[most].blamed_ns) most = rank;
  }
  const bool stands_out = most != kNotThere && 2 * ranks[most].blamed_ns > blamed_ns;
  return stands_out && 20 * waiting_ns >= total_ns ? most : kNotThere;
}

}  // namespace deepprof
