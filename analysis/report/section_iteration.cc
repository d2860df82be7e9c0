// One iteration beside the typical one.
#include <unordered_map>

#include "analysis/findings/align.h"
#include "analysis/report/sections.h"

namespace deepprof {
namespace {

// Ops of an iteration in launch order.
std::vector<uint32_t> members_of(const DeviceFigures& device, uint32_t iteration) {
  const Iteration& range = device.mined->iterations[iteration];
  const std::vector<uint32_t>& order = device.mined->order;
  return {order.begin() + range.first, order.begin() + std::min<size_t>(range.last, order.size())};
}

std::vector<NameId> names_of(const Trace& trace, const std::vector<uint32_t>& ops) {
  std::vector<NameId> names;
  for (const uint32_t index : ops) names.push_back(trace.ops[index].name);
  return names;
}

// The idle time of an iteration: what each of its ops ended, by the op's index, and what its window
// ends with. A gap across a border is in both windows, in each its part.
struct IterationGaps {
  std::unordered_map<uint32_t, Gap> before;
  Gap closing;

  int64_t before_ns(uint32_t op) const {
    const auto found = before.find(op);
    return found == before.end() ? 0 : found->second.duration_ns();
  }
};

std::vector<Gap> all_gaps(const Trace& trace, const DeviceFigures& device) {
  std::vector<Gap> gaps;
  const auto classes = classify_calls(trace);
  for_each_gap(trace, device.ops, classes, [&](const Gap& gap) { gaps.push_back(gap); });
  return gaps;
}

IterationGaps gaps_of(const Iteration& iteration, const std::vector<Gap>& gaps) {
  IterationGaps within;
  for (Gap gap : gaps) {
    const bool closes = gap.end_ns >= iteration.end_ns;
    gap.start_ns = std::max(gap.start_ns, iteration.start_ns);
    gap.end_ns = std::min(gap.end_ns, iteration.end_ns);
    if (gap.start_ns >= gap.end_ns) continue;
    if (closes) within.closing = gap;
    else within.before[gap.after] = gap;
  }
  return within;
}

// The row of the wait behind the last op, if there is one.
void add_closing_wait(const Iteration& iteration, const Gap& here, const Gap* there,
                      size_t position, Table& table) {
  if (here.duration_ns() == 0 && (there == nullptr || there->duration_ns() == 0)) return;
  const NotAvailable none{"no op, but the wait behind the last one"};
  std::vector<Cell> row{static_cast<int64_t>(position), none};
  row.emplace_back(iteration.end_ns - iteration.start_ns);
  row.insert(row.end(), 3, Cell{none});
  row.emplace_back(here.duration_ns());
  const NotAvailable missing{"there is no typical iteration"};
  row.push_back(there != nullptr ? Cell{there->duration_ns()} : Cell{missing});
  row.push_back(there != nullptr ? Cell{here.duration_ns() - there->duration_ns()} : Cell{missing});
  row.emplace_back(std::string(here.duration_ns() > 0 ? cause_info(here.cause).words : ""));
  row.emplace_back(std::string(there != nullptr ? "both" : "only this"));
  row.emplace_back(std::string("(end of the iteration)"));
  table.rows.push_back(std::move(row));
}

}  // namespace

Table iteration_parts_table(const DeviceFigures& device, uint32_t iteration,
                            const SlowFigures& slow) {
  Table table;
  table.name = "iteration_parts";
  table.whole = true;
  table.columns = {{"part", Unit::none, ""},
                   {"duration_ns", Unit::nanoseconds, "this"},
                   {"median_ns", Unit::nanoseconds, "median"},
                   {"growth_ns", Unit::nanoseconds, "more"}};
  const PartTimes parts = parts_of(device.iterations[iteration], device.iteration_idle[iteration]);
  for (size_t part = 0; part < kParts; ++part) {
    if (parts[part] == 0 && slow.median_parts[part] == 0) continue;
    table.rows.push_back({std::string(part_name(part)), parts[part], slow.median_parts[part],
                          parts[part] - slow.median_parts[part]});
  }
  const int64_t wall = device.iterations[iteration].wall_ns;
  table.rows.push_back({std::string("iteration"), wall, slow.median_ns, wall - slow.median_ns});
  table.notes = {
      "the parts of \"this\" sum to the iteration; medians of parts need not sum to the median "
      "iteration"};
  return table;
}

Table iteration_ops_table(const Trace& trace, const DeviceFigures& device, uint32_t iteration,
                          uint32_t typical, Names names) {
  Table table;
  table.name = "iteration_ops";
  table.columns = {{"position", Unit::none, ""},
                   {"stream", Unit::none, ""},
                   {"start_ns", Unit::nanoseconds, "start"},  // after the start of the iteration
                   {"duration_ns", Unit::nanoseconds, "duration"},
                   {"typical_ns", Unit::nanoseconds, "typical"},
                   {"growth_ns", Unit::nanoseconds, "more"},
                   {"gap_before_ns", Unit::nanoseconds, "gap before"},
                   {"typical_gap_ns", Unit::nanoseconds, "typical gap"},
                   {"gap_growth_ns", Unit::nanoseconds, "more gap"},
                   {"cause", Unit::none, ""},
                   {"match", Unit::none, ""},
                   {"name", Unit::none, ""}};
  const auto these = members_of(device, iteration);
  const auto others = typical == kNone ? std::vector<uint32_t>{} : members_of(device, typical);
  const auto gaps = all_gaps(trace, device);
  const Iteration& window = device.mined->iterations[iteration];
  const IterationGaps gaps_here = gaps_of(window, gaps);
  const IterationGaps gaps_there =
      typical == kNone ? IterationGaps{} : gaps_of(device.mined->iterations[typical], gaps);
  ShownNames shown(trace, names);
  for (const Aligned& pair : align(names_of(trace, these), names_of(trace, others))) {
    const bool here = pair.a != kNone, there = pair.b != kNone;
    const uint32_t index = here ? these[pair.a] : others[pair.b];
    const Op& op = trace.ops[index];
    const NotAvailable missing{here ? "not in the typical iteration" : "not in this iteration"};
    std::vector<Cell> row{int64_t{here ? pair.a : pair.b}, int64_t{op.stream}};
    const auto add = [&](bool known, int64_t value) {
      if (known) row.emplace_back(value);
      else row.emplace_back(missing);
    };
    const int64_t other_ns = there ? trace.ops[others[pair.b]].duration_ns : 0;
    const int64_t gap = here ? gaps_here.before_ns(index) : 0;
    const int64_t other_gap = there ? gaps_there.before_ns(others[pair.b]) : 0;
    add(here, op.start_ns - window.start_ns);
    add(here, op.duration_ns);
    add(there, other_ns);
    add(here && there, op.duration_ns - other_ns);
    add(here, gap);
    add(there, other_gap);
    add(here && there, gap - other_gap);
    row.emplace_back(
        std::string(gap > 0 ? cause_info(gaps_here.before.at(index).cause).words : ""));
    row.emplace_back(std::string(here && there ? "both" : here ? "only this" : "only typical"));
    row.emplace_back(shown.of(op.name));
    table.rows.push_back(std::move(row));
  }
  add_closing_wait(window, gaps_here.closing, typical == kNone ? nullptr : &gaps_there.closing,
                   these.size(), table);
  return table;
}

}  // namespace deepprof
