#include "analysis/device/memory_use.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>

#include "analysis/model/facts.h"
#include "libdeepprof/event/allocation_events.h"
#include "libdeepprof/upper_median.h"

namespace deepprof {
namespace {

// A leak: over so many iterations, by so much of the peak and so many bytes in all.
constexpr size_t kFewestIterations = 12;
constexpr double kLeastOfPeak = 0.01;
constexpr uint64_t kLeast_bytes = uint64_t{1} << 20;
constexpr size_t kParts = 4;
// Each part's rise against the mean rise: what is taken once, in one part, is no leak.
constexpr double kLeastOfMeanRise = 1.0 / 3;

uint64_t in_use_before(const Allocation& step) {
  return step.step == AllocationStep::allocate ? step.in_use_bytes - step.bytes
                                               : step.in_use_bytes + step.bytes;
}

// On top of what was in use before the first step of each kind.
AllocationLedger::Totals totals_of_steps(const Trace& trace) {
  AllocationLedger ledger;
  std::set<MemoryLane> begun;
  for (Allocation step : trace.allocations) {
    const MemoryLane lane{step.device, step.kind};
    if (begun.insert(lane).second && !says_what_is_held(step.kind) && in_use_before(step) > 0)
      ledger.start_with(lane, in_use_before(step), step.time_ns);
    ledger.add(step);
  }
  return ledger.totals();
}

uint64_t steps_of(const AllocationLedger::Totals& totals) {
  uint64_t steps = 0;
  for (const auto& [lane, of] : totals) steps += of.allocations + of.releases;
  return steps;
}

void add_later_step(const Allocation& step, AllocationTotals& totals) {
  const bool first = totals.allocations + totals.releases == 0;
  ++(step.step == AllocationStep::allocate ? totals.allocations : totals.releases);
  if (step.step == AllocationStep::allocate) totals.allocated_bytes += step.bytes;
  totals.first_ns = first ? step.time_ns : std::min(totals.first_ns, step.time_ns);
  totals.last_ns = first ? step.time_ns : std::max(totals.last_ns, step.time_ns);
  totals.in_use_bytes = step.in_use_bytes;
  if (step.in_use_bytes <= totals.peak_bytes) return;
  totals.peak_bytes = step.in_use_bytes;
  totals.peak_ns = step.time_ns;
  totals.largest_at_peak.clear();  // which pieces lived then is not known
}

// Totals are stored once a second: those of a job that was killed lack the steps of its last one.
void bring_up_to_date(AllocationLedger::Totals& stored, const Trace& trace) {
  AllocationLedger::Totals totals = stored;
  int64_t last_of_all_ns = INT64_MIN;
  for (const auto& [lane, of] : stored) last_of_all_ns = std::max(last_of_all_ns, of.last_ns);
  for (const Allocation& step : trace.allocations) {
    // A kind may have no totals since its one release turned out to be of another's piece.
    const auto before = stored.find({step.device, step.kind});
    if (step.time_ns > (before != stored.end() ? before->second.last_ns : last_of_all_ns))
      add_later_step(step, totals[{step.device, step.kind}]);
  }
  if (steps_of(totals) == steps_of(stored)) return;
  // Where no step was let go, the steps alone tell everything.
  stored = steps_of(totals) == trace.allocations.size() ? totals_of_steps(trace) : totals;
}

// Per iteration: the median of the slopes between the medians of equal parts of the run. A step
// that comes once is in one of these slopes, whose number is odd.
double steady_rise(std::span<const int64_t> levels) {
  constexpr size_t kMostSlopeParts = 8, kFewestInPart = 4;
  const size_t count = levels.size();
  const size_t wanted = std::clamp(count / kFewestInPart, std::min(count, kParts), kMostSlopeParts);
  const size_t parts = wanted - wanted % 2;
  const auto first_of = [&](size_t part) { return part * count / parts; };
  const auto level_of = [&](size_t part) {
    const auto of = levels.subspan(first_of(part), first_of(part + 1) - first_of(part));
    return static_cast<double>(upper_median(std::vector<int64_t>(of.begin(), of.end())));
  };
  const auto middle_of = [&](size_t part) {
    return static_cast<double>(first_of(part) + first_of(part + 1)) / 2;
  };
  std::vector<double> slopes;
  for (size_t part = 1; part < parts; ++part)
    slopes.push_back((level_of(part) - level_of(part - 1)) /
                     (middle_of(part) - middle_of(part - 1)));
  return upper_median(std::move(slopes));
}

// The largest change between neighbours, where the typical levels on both sides of it differ by as
// much, more than steady growth makes them, and that is most of what was kept.
void find_step(std::span<const int64_t> levels, std::span<const int64_t> growths,
               MemoryTrend& trend) {
  size_t at = 0;
  for (size_t i = 1; i < levels.size(); ++i) {
    if (at == 0 || std::abs(levels[i] - levels[i - 1]) > std::abs(levels[at] - levels[at - 1]))
      at = i;
  }
  if (at == 0) return;
  const auto typical = [](std::span<const int64_t> of) {
    return upper_median(std::vector<int64_t>(of.begin(), of.end()));
  };
  const double grown = trend.bytes_per_iteration * static_cast<double>(levels.size()) / 2;
  const double step =
      static_cast<double>(typical(levels.subspan(at)) - typical(levels.first(at))) - grown;
  if (std::fabs(step) < static_cast<double>(kLeast_bytes) ||
      2 * std::fabs(step) < std::fabs(static_cast<double>(trend.kept_bytes)))
    return;
  trend.step_bytes = std::llround(step);
  // The least of the iteration in which it came is from before.
  trend.step_at = std::abs(growths[at - 1]) > std::abs(growths[at]) ? at - 1 : at;
}

}  // namespace

MemoryIndex::MemoryIndex(const Trace& trace)
    : since_start_("," + fact_or_empty(trace, kInUseSinceStart) + ",") {
  const auto blob = trace.blobs.find(std::string(AllocationLedger::kBlobKey));
  auto stored = blob != trace.blobs.end() ? AllocationLedger::decode(blob->second) : std::nullopt;
  totals_damaged_ = blob != trace.blobs.end() && !stored;
  if (stored) bring_up_to_date(*stored, trace);
  totals_ = stored ? std::move(*stored) : totals_of_steps(trace);
  std::map<MemoryLane, uint64_t> steps;
  for (const Allocation& step : trace.allocations) {
    const MemoryLane lane{step.device, step.kind};
    Series& series = series_[lane];
    ++steps[lane];
    const bool first = series.points.empty();
    if (first && !says_what_is_held(step.kind)) series.before_first = in_use_before(step);
    const bool follows_on = !first && (says_what_is_held(step.kind) ||
                                       in_use_before(step) == series.points.back().bytes);
    series.points.push_back({step.time_ns, step.in_use_bytes, follows_on});
  }
  for (auto& [lane, series] : series_) {
    const auto of = totals_.find(lane);
    series.whole =
        of != totals_.end() && steps[lane] >= of->second.allocations + of->second.releases;
  }
}

bool MemoryIndex::is_since_start(AllocationKind kind) const {
  return since_start_.find(std::string(",") + allocation_kind_name(kind) + ",") !=
         std::string::npos;
}

std::optional<MemoryUse> MemoryIndex::in(const MemoryLane& lane, Window window) const {
  const auto found = series_.find(lane);
  if (found == series_.end()) return {};
  const auto& [points, before_first, whole] = found->second;
  auto next =
      std::lower_bound(points.begin(), points.end(), window.start_ns,
                       [](const Point& point, int64_t time_ns) { return point.time_ns < time_ns; });
  if (next == points.begin() && !whole) return {};
  MemoryUse use;
  use.start_bytes = next == points.begin() ? before_first : (next - 1)->bytes;
  use.least_bytes = use.most_bytes = use.end_bytes = use.start_bytes;
  for (; next != points.end() && next->time_ns < window.end_ns; ++next) {
    if (!whole && !next->follows_on) return {};
    use.end_bytes = next->bytes;
    use.least_bytes = std::min(use.least_bytes, next->bytes);
    use.most_bytes = std::max(use.most_bytes, next->bytes);
  }
  // What comes next tells whether something is missing before it.
  if (!whole && next != points.end() && !next->follows_on) return {};
  return use;
}

std::optional<int64_t> MemoryIndex::kept_bytes(const MemoryLane& lane,
                                               std::span<const Window> iterations) const {
  if (iterations.empty()) return {};
  const auto first = in(lane, iterations.front()), last = in(lane, iterations.back());
  if (!first || !last) return {};
  return static_cast<int64_t>(last->end_bytes) - static_cast<int64_t>(first->start_bytes);
}

std::optional<MemoryTrend> MemoryIndex::trend(const MemoryLane& lane,
                                              std::span<const Window> iterations) const {
  std::vector<int64_t> levels, growths;
  for (const Window& window : iterations) {
    const std::optional<MemoryUse> use = in(lane, window);
    if (!use) return {};
    levels.push_back(static_cast<int64_t>(use->least_bytes));
    growths.push_back(use->growth_bytes());
  }
  const std::optional<int64_t> kept = kept_bytes(lane, iterations);
  if (!kept) return {};
  MemoryTrend trend;
  trend.kept_bytes = *kept;
  // Of a single iteration there is no next one: what it keeps is all that is known.
  trend.bytes_per_iteration = levels.size() > 1 ? steady_rise(levels) : static_cast<double>(*kept);
  find_step(levels, growths, trend);
  return trend;
}

std::optional<MemoryGrowth> MemoryIndex::growth(const MemoryLane& lane,
                                                std::span<const Window> iterations) const {
  std::vector<uint64_t> least;
  uint64_t peak = 0;
  for (const Window& window : iterations) {
    const std::optional<MemoryUse> use = in(lane, window);
    if (!use) continue;
    least.push_back(use->least_bytes);
    peak = std::max(peak, use->most_bytes);
  }
  if (least.size() < kFewestIterations) return {};
  std::array<uint64_t, kParts> typical{};
  for (size_t part = 0; part < kParts; ++part) {
    const auto at = [&](size_t parts) {
      return least.begin() + static_cast<std::ptrdiff_t>(parts * least.size() / kParts);
    };
    typical[part] = upper_median(std::vector<uint64_t>(at(part), at(part + 1)));
  }
  const double rise = static_cast<double>(typical.back()) - static_cast<double>(typical.front());
  if (rise < static_cast<double>(kLeast_bytes) || rise < kLeastOfPeak * static_cast<double>(peak))
    return {};
  for (size_t part = 1; part < kParts; ++part) {
    const double step = static_cast<double>(typical[part]) - static_cast<double>(typical[part - 1]);
    if (step < kLeastOfMeanRise * rise / (kParts - 1)) return {};
  }
  // A rise that is given back before the last iteration ends (a forward pass, layer by layer) is no
  // leak.
  const std::optional<int64_t> kept = kept_bytes(lane, iterations);
  if (kept && static_cast<double>(*kept) < kLeastOfMeanRise * rise) return {};
  MemoryGrowth growth;
  growth.iterations = least.size();
  growth.first_bytes = typical.front();
  growth.last_bytes = typical.back();
  // Between the medians of the first part and the last.
  const auto middle = [&](size_t part) {
    const size_t first = part * least.size() / kParts, end = (part + 1) * least.size() / kParts;
    return first + (end - first) / 2;
  };
  growth.bytes_per_iteration = rise / static_cast<double>(middle(kParts - 1) - middle(0));
  return growth;
}

std::optional<AllocationTotals> totals_in(const Trace& trace, const MemoryIndex& memory,
                                          const MemoryLane& lane, std::span<const Window> windows) {
  AllocationTotals totals;
  bool is_first = true;
  const auto see = [&](int64_t time_ns, uint64_t in_use_bytes) {
    totals.in_use_bytes = in_use_bytes;
    if (!std::exchange(is_first, false) && in_use_bytes <= totals.peak_bytes) return;
    totals.peak_bytes = in_use_bytes;
    totals.peak_ns = time_ns;
  };
  for (const Window& window : windows) {
    const std::optional<MemoryUse> use = memory.in(lane, window);
    if (!use) return {};
    auto step = std::lower_bound(
        trace.allocations.begin(), trace.allocations.end(), window.start_ns,
        [](const Allocation& each, int64_t time_ns) { return each.time_ns < time_ns; });
    see(std::max(window.start_ns, trace.allocations.front().time_ns), use->start_bytes);
    for (; step != trace.allocations.end() && step->time_ns < window.end_ns; ++step) {
      if (step->device != lane.first || step->kind != lane.second) continue;
      ++(step->step == AllocationStep::allocate ? totals.allocations : totals.releases);
      if (step->step == AllocationStep::allocate) totals.allocated_bytes += step->bytes;
      see(step->time_ns, step->in_use_bytes);
    }
  }
  return totals;
}

}  // namespace deepprof
