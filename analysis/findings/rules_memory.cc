// What iterations allocate and do not give back.
#include <cmath>

#include "analysis/findings/rules.h"
#include "analysis/report/may_be_no_iteration.h"
#include "analysis/report/units.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

uint64_t memory_of(const Trace& trace, uint32_t device) {
  for (const Device& each : trace.devices) {
    if (each.id == device) return each.memory_bytes;
  }
  return 0;
}

// "; after 120 more the GPU's memory is full": where that is soon enough to matter.
std::string until_full(const Trace& trace, const MemoryLane& lane, const MemoryGrowth& growth) {
  constexpr double kFarOff = 1e7;
  const uint64_t all = memory_of(trace, lane.first);
  if (all <= growth.last_bytes || lane.second == AllocationKind::pinned) return "";
  const double left =
      std::floor(static_cast<double>(all - growth.last_bytes) / growth.bytes_per_iteration);
  if (left > kFarOff) return "";
  return "; after " + count_text(static_cast<int64_t>(left)) + " more the GPU is full";
}

std::string sentence(const Trace& trace, const MemoryIndex& memory, const MemoryLane& lane,
                     const MemoryGrowth& growth) {
  const std::string owner =
      lane.first == Allocation::kHost ? "the host" : format_text("GPU %u", lane.first);
  return std::string("Allocated memory of ") + owner + " (" + allocation_kind_name(lane.second) +
         ") grows by " + bytes_text(growth.bytes_per_iteration) + " an iteration over " +
         count_text(static_cast<int64_t>(growth.iterations)) + " iterations (" +
         bytes_text(static_cast<double>(growth.first_bytes)) + " to " +
         bytes_text(static_cast<double>(growth.last_bytes)) + ")" +
         // What was in use before is not known.
         (memory.is_since_start(lane.second) ? "" : until_full(trace, lane, growth)) + ".";
}

}  // namespace

void memory_grows(const Case& c, Findings& out) {
  if (c.figures.memory.empty() || !c.device.has_iterations()) return;
  // Layer by layer memory grows in every forward pass.
  const DeviceMined& mined = *c.device.mined;
  if (may_be_no_iteration(c.device) || is_low(mined.confidence)) return;
  const std::vector<Window> iterations = c.device.counted_windows();
  const bool is_main = &c.device == &c.figures.main();
  for (const auto& [lane, totals] : c.figures.memory.totals()) {
    // The host's pinned memory is told of with the device that the report is about.
    if (lane.first == Allocation::kHost ? !is_main : lane.first != c.device.device) continue;
    const std::optional<MemoryGrowth> growth = c.figures.memory.growth(lane, iterations);
    if (!growth) continue;
    Finding finding;
    finding.kind = FindingKind::memory_grows;
    finding.sentence = sentence(c.trace, c.figures.memory, lane, *growth);
    finding.next_step = c.advice(Advice::find_leak);
    out.push_back(std::move(finding));
  }
}

}  // namespace deepprof
