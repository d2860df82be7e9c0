#include "analysis/ranks/collectives.h"
#include "analysis/ranks/collective_name.h"

#include <random>

#include "test/support/catch.h"

using namespace deepprof;

namespace {

// What a rank does in a made job: collective k begins on each rank when it arrives and ends on all
// together, `transfer_ns` after the last has come.
struct Job {
  std::vector<NameId> names;
  std::vector<std::vector<int64_t>> arrival_ns;  // by collective, by rank
  int64_t transfer_ns = 100'000;

  CommunicationOfRank of(size_t rank, int64_t clock_ns = 0, size_t first = 0,
                         size_t last = SIZE_MAX) const {
    CommunicationOfRank result;
    for (size_t k = first; k < std::min(last, names.size()); ++k) {
      const int64_t all_there = *std::max_element(arrival_ns[k].begin(), arrival_ns[k].end());
      result.ops.push_back(
          {arrival_ns[k][rank] + clock_ns, all_there + transfer_ns + clock_ns, names[k], 20, 0});
    }
    return result;
  }
};

// `count` iterations of three collectives; arrivals differ by up to `skew_ns`.
Job loop(size_t count, size_t ranks, int64_t skew_ns, uint32_t seed = 1) {
  std::mt19937 random(seed);
  Job job;
  int64_t now = 1'000'000'000;
  for (size_t k = 0; k < 3 * count; ++k) {
    job.names.push_back(static_cast<NameId>(1 + k % 3 % 2));
    std::vector<int64_t> arrivals;
    for (size_t rank = 0; rank < ranks; ++rank)
      arrivals.push_back(now + static_cast<int64_t>(random() % static_cast<uint64_t>(skew_ns + 1)));
    job.arrival_ns.push_back(arrivals);
    now += 5'000'000 +
           static_cast<int64_t>(random() % 3'000'000);  // no two iterations take the same time
  }
  return job;
}

}  // namespace

TEST_CASE("the rank that comes last has the transfer; what the others run longer is waiting") {
  Job job;
  job.names = {1, 2};
  job.arrival_ns = {{1'000'000, 1'400'000}, {9'000'000, 8'800'000}};
  const std::vector<CommunicationOfRank> ranks{job.of(0), job.of(1)};
  const MatchedRanks matched = match_collectives(ranks);
  REQUIRE(matched.collectives.size() == 2);
  CHECK(matched.collectives[0].transfer_ns == 100'000);
  CHECK(matched.collectives[0].last == 1);
  CHECK(matched.collectives[1].last == 0);
  const auto sums = sum_up(ranks, matched);
  CHECK(sums[0].waiting_ns == 400'000);
  CHECK(sums[1].waiting_ns == 200'000);
  CHECK(sums[0].blamed_ns == 200'000);
  CHECK(sums[1].blamed_ns == 400'000);
  for (const RankCommunication& sum : sums) {
    CHECK(sum.came_last == 1);
    CHECK(sum.transfer_ns + sum.waiting_ns + sum.unmatched_ns == sum.total_ns);
  }
}

TEST_CASE(
    "the ends align the clocks of the files to the nanosecond where collectives end together") {
  const Job job = loop(40, 3, 800'000);
  const std::vector<CommunicationOfRank> ranks{job.of(0), job.of(1, 5'000'000'123),
                                               job.of(2, -777)};
  const MatchedRanks matched = match_collectives(ranks);
  CHECK(matched.collectives.size() == 120);
  REQUIRE(matched.clocks[1].known);
  CHECK(matched.clocks[1].offset_ns == 5'000'000'123);
  CHECK(matched.clocks[1].spread_ns == 0);
  CHECK(matched.clocks[2].offset_ns == -777);
}

TEST_CASE("recordings that begin or end at different iterations are matched where they overlap") {
  const Job job = loop(50, 2, 500'000);
  for (const auto& [first, last] :
       std::vector<std::pair<size_t, size_t>>{{9, SIZE_MAX}, {0, 120}, {30, SIZE_MAX}}) {
    CAPTURE(first, last);
    const std::vector<CommunicationOfRank> ranks{job.of(0), job.of(1, 123'456, first, last)};
    const MatchedRanks matched = match_collectives(ranks);
    CHECK(matched.collectives.size() == ranks[1].ops.size());
    CHECK(matched.clocks[1].offset_ns == 123'456);
    for (const Collective& collective : matched.collectives)
      CHECK(collective.op_of_rank[0] == collective.op_of_rank[1] + first);
  }
}

TEST_CASE("with wall clocks both ends may differ at once") {
  const Job job = loop(50, 2, 500'000);
  CommunicationOfRank a = job.of(0, 0, 0, 120), b = job.of(1, 7'000, 30, 150);
  a.clock_base_ns = 1'700'000'000'000'000'000;
  b.clock_base_ns = a.clock_base_ns - 7'000 + 40'000;  // 40 us off, as a network's clocks are
  const MatchedRanks matched = match_collectives(std::vector{a, b});
  CHECK(matched.collectives.size() == 90);
  CHECK(matched.clocks[1].offset_ns == 7'000);
}

TEST_CASE("a collective that a rank lacks is not matched, and the others still are") {
  const Job job = loop(20, 2, 300'000);
  std::vector<CommunicationOfRank> ranks{job.of(0), job.of(1)};
  ranks[1].ops.erase(ranks[1].ops.begin() + 25);
  const MatchedRanks matched = match_collectives(ranks);
  CHECK(matched.collectives.size() == 59);
  const auto sums = sum_up(ranks, matched);
  CHECK(sums[0].matched == 59);
  CHECK(sums[0].unmatched_ns == ranks[0].ops[25].duration_ns());
}

TEST_CASE("equal names at another time are not the same collective") {
  // Two groups that use the same kernel: one rank of each, never together.
  CommunicationOfRank a, b;
  for (int64_t k = 0; k < 10; ++k) {
    a.ops.push_back({1'000'000 * k + 1000, 1'000'000 * k + 51'000, 1, 20, 0});
    const int64_t later = k % 2 == 0 ? 300'000 : 700'000;
    b.ops.push_back({1'000'000 * k + later, 1'000'000 * k + later + 50'000, 1, 20, 0});
  }
  const auto sums = sum_up(std::vector{a, b}, match_collectives(std::vector{a, b}));
  CHECK(sums[0].matched <= 6);  // those of one of the two delays may pass for a shifted clock
}

TEST_CASE("the straggler is the rank that the others wait for, and nobody where they take turns") {
  Job job = loop(30, 4, 20'000);
  for (std::vector<int64_t>& arrivals : job.arrival_ns) arrivals[2] += 2'000'000;
  const std::vector<CommunicationOfRank> late{job.of(0), job.of(1), job.of(2), job.of(3)};
  const auto sums = sum_up(late, match_collectives(late));
  CHECK(straggler(sums) == 2);
  CHECK(sums[2].came_last == 90);
  CHECK(sums[2].waiting_ns == 0);

  Job even = loop(30, 4, 20'000);
  for (size_t k = 0; k < even.arrival_ns.size(); ++k) even.arrival_ns[k][k % 4] += 2'000'000;
  const std::vector<CommunicationOfRank> turns{even.of(0), even.of(1), even.of(2), even.of(3)};
  CHECK(straggler(sum_up(turns, match_collectives(turns))) == kNotThere);

  const Job close = loop(30, 2, 1'000);
  const std::vector<CommunicationOfRank> together{close.of(0), close.of(1)};
  CHECK(straggler(sum_up(together, match_collectives(together))) == kNotThere);
}

TEST_CASE("a slow drift of a clock does not tear collectives apart") {
  const Job job = loop(2000, 2, 100'000);
  CommunicationOfRank a = job.of(0), b = job.of(1);
  for (CommunicationOp& op :
       b.ops) {  // 20 ppm: half a millisecond in 30 s, five times a collective's length
    op.start_ns += op.start_ns / 50'000;
    op.end_ns += op.end_ns / 50'000;
  }
  const MatchedRanks matched = match_collectives(std::vector{a, b});
  CHECK(matched.collectives.size() == 6000);
}

TEST_CASE("one rank has nobody to wait for") {
  const Job job = loop(3, 1, 0);
  const std::vector<CommunicationOfRank> ranks{job.of(0)};
  const MatchedRanks matched = match_collectives(ranks);
  CHECK(matched.collectives.empty());
  CHECK(sum_up(ranks, matched)[0].unmatched_ns == 9 * 100'000);
}

TEST_CASE(
    "clocks that differ by more than a time can be tell nothing, and the collectives match all the "
    "same") {
  const Job job = loop(20, 2, 800'000);
  std::vector<CommunicationOfRank> ranks{job.of(0), job.of(1)};
  ranks[0].clock_base_ns = INT64_MIN;
  ranks[1].clock_base_ns = INT64_MAX;
  CHECK(match_collectives(ranks).collectives.size() == 60);
}

TEST_CASE("two ranks that come equally late are both waited for, and neither is the last") {
  Job job;
  job.names = {1, 1, 1, 1};
  for (int64_t k = 0; k < 4; ++k)
    job.arrival_ns.push_back({k * 9'000'000, k * 9'000'000 + 400'000, k * 9'000'000 + 400'000});
  const std::vector<CommunicationOfRank> ranks{job.of(0), job.of(1), job.of(2)};
  const MatchedRanks matched = match_collectives(ranks);
  REQUIRE(matched.collectives.size() == 4);
  CHECK(matched.collectives[0].last == kNotThere);
  const auto sums = sum_up(ranks, matched);
  CHECK(sums[0].waiting_ns == 1'600'000);
  for (const RankCommunication& sum : sums)
    CHECK(sum.came_last + static_cast<uint64_t>(sum.blamed_ns) == 0);
  CHECK(straggler(sums) == kNotThere);
}

TEST_CASE(
    "collectives of one name are told apart by their size where both ranks know it and the ends "
    "agree") {
  // A rank lacks the small collective between two large ones: by name alone those behind it have no
  // partner.
  for (const bool sized : {true, false}) {
    CommunicationOfRank a, b;
    int64_t now = 0;
    for (int64_t k = 0; k < 30; ++k) {
      now += 1'000'000 + 137'000 * (k % 7);
      const bool small = k % 3 == 1;
      const CommunicationOp op{now, now + (small ? 10'000 : 50'000),       1, 20,
                               0,   sized ? (small ? 4096u : 1u << 20) : 0};
      a.ops.push_back(op);
      if (k != 13) b.ops.push_back(op);
    }
    const MatchedRanks matched = match_collectives(std::vector{a, b});
    for (const Collective& each : matched.collectives) {
      CHECK(a.ops[each.op_of_rank[0]].duration_ns() == b.ops[each.op_of_rank[1]].duration_ns());
    }
    CHECK((matched.collectives.size() == 29) == sized);
  }
}

TEST_CASE("pieces of different size are still one collective") {
  const Job job = loop(20, 2, 300'000);
  std::vector<CommunicationOfRank> ranks{job.of(0), job.of(1)};
  for (size_t rank = 0; rank < 2; ++rank) {
    for (size_t k = 0; k < ranks[rank].ops.size(); ++k)
      ranks[rank].ops[k].shape = 1 + 10 * rank + k % 5;
  }
  CHECK(match_collectives(ranks).collectives.size() == 60);
}

TEST_CASE("a collective is told by its kernel's name, namespaces and arguments aside") {
  CHECK(collective_name("c10d::symmetric_memory::(anonymous namespace)::"
                        "two_shot_all_reduce_kernel<c10::BFloat16>(c10::BFloat16*, unsigned long)")
            .words == "all-reduce");
  CHECK(
      collective_name("ncclDevKernel_Broadcast_RING_LL(ncclDevKernelArgsStorage<4096ul>)").words ==
      "broadcast");
  CHECK(collective_name("gemm(reduce_scatter_tag)").words.empty());
}
