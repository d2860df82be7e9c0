#include "analysis/model/spells.h"

#include <algorithm>
#include <cstdio>

#include "libdeepprof/trace/bytes.h"

namespace deepprof {
namespace {

// What CUPTI had not returned when the other tool came went to that tool: up to a buffer of each
// thread, which a busy one fills in less. A GPU that did nothing for longer was idle.
constexpr int64_t kHeldBack_ns = 2'000'000'000;

// From the last event before the spell, if that is not long ago.
template <typename Row, typename IsOfLane>
int64_t last_known_ns(const std::vector<Row>& rows, const Spell& spell, const IsOfLane& of_lane) {
  const auto next = std::partition_point(
      rows.begin(), rows.end(), [&](const Row& row) { return row.start_ns < spell.start_ns; });
  int64_t last_ns = spell.start_ns - kHeldBack_ns;
  bool any = false;
  for (auto row = next; row != rows.begin() && (row - 1)->start_ns >= last_ns; --row) {
    if (!of_lane(*(row - 1))) continue;
    last_ns = std::max(last_ns, (row - 1)->end_ns());
    any = true;
  }
  return any ? std::min(last_ns, spell.start_ns) : spell.start_ns;
}

}  // namespace

std::vector<Spell> takeover_spells(const Trace& trace) {
  std::vector<Spell> spells;
  for (const auto& [name, value] : trace.process.facts) {
    long long start_ns = 0, end_ns = 0;
    if (!name.starts_with("takeover.") ||
        std::sscanf(value.c_str(), "%lld %lld", &start_ns, &end_ns) != 2)
      continue;
    const Spell spell{wrapping_sub(start_ns, trace.clock_base_ns),
                      wrapping_sub(end_ns, trace.clock_base_ns)};
    // Facts of a damaged file may hold anything.
    if (usable_times(spell.start_ns, 0) && usable_times(spell.end_ns, 0) &&
        spell.start_ns < spell.end_ns)
      spells.push_back(spell);
  }
  return spells;
}

void add_spell_holes(Trace& trace) {
  const std::vector<Spell> spells = takeover_spells(trace);
  if (spells.empty()) return;
  const std::vector<uint16_t> devices = devices_with_ops(trace);
  for (const Spell& spell : spells) {
    for (const uint16_t device : devices) {
      const int64_t since_ns =
          last_known_ns(trace.ops, spell, [device](const Op& op) { return op.device == device; });
      trace.holes.push_back({since_ns, spell.end_ns, device});
    }
    const int64_t since_ns =
        last_known_ns(trace.calls, spell, [](const HostCall&) { return true; });
    trace.holes.push_back({since_ns, spell.end_ns, kHostDevice});
  }
  unite_holes(trace.holes);
}

}  // namespace deepprof
