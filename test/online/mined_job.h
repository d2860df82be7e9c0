// What the online miner makes of a simulated job (job.h) when the offline miner is right: for its
// tests.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "analysis/online/online_miner.h"
#include "test/online/job.h"

namespace deepprof::test {

inline MinedStretch answer(std::vector<OpRange> tiles) {
  return {Verdict::iteration, .95, "the truth", std::move(tiles)};
}

// Where an op of the job is among its events.
inline size_t index_of(const Job& job, const Event& op) {
  const auto at = std::lower_bound(
      job.events.begin(), job.events.end(), op.correlation,
      [](const Event& event, uint32_t correlation) { return event.correlation < correlation; });
  return static_cast<size_t>(at - job.events.begin());
}

// An offline miner that is right: it knows by correlation where the job's iterations begin, those
// that are `of_each`-th: 1 for all, 4 if an iteration is made of four. What is tested here is what
// the online miner makes of its answer.
inline OfflineMiner truth_of(const Job& job, size_t of_each = 1) {
  return [&job, of_each](std::span<const Event> ops) {
    if (ops.empty()) return answer({});
    std::vector<OpRange> tiles;
    const size_t first = index_of(job, ops.front());
    for (size_t i = 0; i + of_each <= job.begins.size(); i += of_each) {
      const size_t begin = job.begins[i], end = job.ends[i + of_each - 1];
      if (begin < first || end > first + ops.size()) continue;
      tiles.push_back({static_cast<uint32_t>(begin - first), static_cast<uint32_t>(end - first)});
    }
    return answer(std::move(tiles));
  };
}

inline RunStatistics mined(std::span<const Event> ops, OfflineMiner offline, size_t batch = 1'000,
                           const OnlineOptions& options = {}) {
  OnlineMiner miner(0, std::move(offline), options);
  for (size_t at = 0; at < ops.size(); at += batch)
    miner.add(ops.subspan(at, std::min(batch, ops.size() - at)));
  miner.finish();
  return miner.statistics();
}

inline RunStatistics mined(const Job& job, size_t batch = 1'000) {
  return mined(job.events, truth_of(job), batch);
}

inline double count_error(const RunStatistics& run, const Job& job) {
  return std::abs(static_cast<double>(run.iteration_count()) / static_cast<double>(job.iterations) -
                  1);
}

}  // namespace deepprof::test
