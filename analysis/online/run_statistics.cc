#include "analysis/online/run_statistics.h"

#include <algorithm>
#include <unordered_map>

#include "libdeepprof/trace/bytes.h"

namespace deepprof {

void RunSlice::add(const KindInSlice& more) {
  for (KindInSlice& known : kinds) {
    if (known.kind != more.kind) continue;
    known.iterations += more.iterations;
    known.time_ns += more.time_ns;
    return;
  }
  kinds.push_back(more);
}

std::vector<NameStats> RunStatistics::by_name() const {
  std::unordered_map<NameId, NameStats> totals;
  const auto add = [&](const NameStats& part) {
    NameStats& total = totals[part.name];
    total.name = part.name;
    total.count += part.count;
    total.sum_ns = wrapping_add(total.sum_ns, part.sum_ns);  // stored statistics may hold anything
    total.min_ns = std::min(total.min_ns, part.min_ns);
    total.max_ns = std::max(total.max_ns, part.max_ns);
  };
  for (const NameStats& part : unexplained) add(part);
  for (const IterationStats& iteration : iterations) {
    for (size_t i = 0; i < iteration.ops.size(); ++i) {
      const DurationStats duration = iteration.durations[i];
      if (const uint64_t count = duration.count(); count > 0)
        add({iteration.ops[i], count, duration.sum_ns, duration.min_ns, duration.max_ns});
    }
  }
  std::vector<NameStats> sorted;
  for (const auto& [name, total] : totals) sorted.push_back(total);
  std::sort(sorted.begin(), sorted.end(), [](const NameStats& a, const NameStats& b) {
    return a.sum_ns != b.sum_ns ? a.sum_ns > b.sum_ns : a.name < b.name;
  });
  return sorted;
}

}  // namespace deepprof
