#include "analysis/report/ranks.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "analysis/report/coverage.h"
#include "analysis/report/quantity.h"
#include "analysis/report/units.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

// In the order in which the host launched them, which is the same on every rank; where an op's launch was not
// recorded its start stands in.
std::vector<CommunicationOp> communication_of(const Trace& trace, const Figures& figures,
                                              const DeviceFigures& device, NameTable& names) {
  const Coverage compute(trace, device.ops, [&](const Op& op) {
    return activity_of(op, figures.category_of_name) == Activity::compute;
  });
  std::vector<uint32_t> ops;
  for (const uint32_t index : device.shown()) {
    if (activity_of(trace.ops[index], figures.category_of_name) == Activity::communication)
      ops.push_back(index);
  }
  const auto launched_ns = [&](uint32_t index) {
    const Op& op = trace.ops[index];
    return op.launch == kNone ? op.start_ns : trace.calls[op.launch].start_ns;
  };
  std::stable_sort(ops.begin(), ops.end(),
                   [&](uint32_t a, uint32_t b) { return launched_ns(a) < launched_ns(b); });
  std::vector<CommunicationOp> result;
  result.reserve(ops.size());
  for (const uint32_t index : ops) {
    const Op& op = trace.ops[index];
    result.push_back({op.start_ns, op.end_ns(), names.intern(trace.names[op.name]), op.stream,
                      op.duration_ns - compute.covered_ns(op.start_ns, op.end_ns())});
  }
  return result;
}

std::string label_of(const ProcessInfo& process, uint16_t device, bool several_devices,
                     const std::string& file, bool several_files) {
  std::string label;
  if (process.rank >= 0) label = format_text("rank %d", process.rank);
  else if (several_files) label = file.substr(file.rfind('/') + 1);
  if (several_devices || label.empty())
    label += format_text("%sGPU %u", label.empty() ? "" : " ", device);
  return label;
}

template <typename T>
void reorder(std::vector<T>& items, const std::vector<size_t>& order) {
  std::vector<T> sorted;
  sorted.reserve(items.size());
  for (const size_t index : order) sorted.push_back(std::move(items[index]));
  items = std::move(sorted);
}

Cell rank_cell(const RankFigures& rank) {
  if (rank.rank < 0) return NotAvailable{"the file names no rank"};
  return int64_t{rank.rank};
}

// Figures that need another rank to compare with.
Cell compared(const Ranks& ranks, int64_t value) {
  if (ranks.matched.collectives.empty())
    return NotAvailable{"no collective was matched with another rank"};
  return value;
}

std::string lacking_text(const Ranks& ranks) {
  return format_text("%zu ranks of a job of %d: waiting for the others counts as transfer",
                     ranks.figures.size(), ranks.figures[0].world_size);
}

void add_lacking(const Ranks& ranks, Table& table) {
  if (ranks.figures.size() > 1 && ranks.lacks_ranks()) table.notes.push_back(lacking_text(ranks));
}

}  // namespace

void add_ranks(const Trace& trace, const Figures& figures, const std::string& file,
               bool several_files, Ranks& ranks) {
  ++ranks.files;
  for (const DeviceFigures& device : figures.devices) {
    RankFigures rank;
    rank.rank = trace.process.rank;
    rank.world_size = trace.process.world_size;
    rank.device = device.device;
    rank.label =
        label_of(trace.process, device.device, figures.devices.size() > 1, file, several_files);
    rank.file = file;
    rank.has_iterations = device.has_iterations();
    rank.repetitions = device.repetitions;
    rank.basis = device.basis;
    ranks.figures.push_back(std::move(rank));
    ranks.communication.push_back(
        {communication_of(trace, figures, device, ranks.names), trace.clock_base_ns});
  }
}

void compare_ranks(Ranks& ranks) {
  std::vector<size_t> order(ranks.figures.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const RankFigures &x = ranks.figures[a], &y = ranks.figures[b];
    return x.rank != y.rank ? x.rank < y.rank : x.device < y.device;
  });
  reorder(ranks.figures, order);
  reorder(ranks.communication, order);
  ranks.matched = match_collectives(ranks.communication);
  ranks.sums = sum_up(ranks.communication, ranks.matched);
  ranks.straggler = straggler(ranks.sums);
}

Table ranks_table(const Ranks& ranks) {
  Table table;
  table.name = "ranks";
  table.title = "RANKS";
  table.columns = {{"rank", Unit::none, ""},
                   {"device", Unit::none, ""},
                   {"iteration_ns", Unit::nanoseconds, "iteration"},
                   {"busy_ratio", Unit::ratio, "busy"},
                   {"collectives", Unit::count, ""},
                   {"matched", Unit::count, ""},
                   {"total_ns", Unit::nanoseconds, "comm"},
                   {"exposed_ns", Unit::nanoseconds, "exposed"},
                   {"transfer_ns", Unit::nanoseconds, "transfer"},
                   {"waiting_ns", Unit::nanoseconds, "waiting"},
                   {"unmatched_ns", Unit::nanoseconds, "not matched"},
                   {"came_last", Unit::count, "came last"},
                   {"others_waited_ns", Unit::nanoseconds, "others waited"},
                   {"clock_offset_ns", Unit::nanoseconds, "clock"},
                   {"clock_spread_ns", Unit::nanoseconds, "agrees within"},
                   {"file", Unit::none, ""}};
  for (size_t i = 0; i < ranks.figures.size(); ++i) {
    const RankFigures& rank = ranks.figures[i];
    const RankCommunication& sum = ranks.sums[i];
    std::vector<Cell> row{rank_cell(rank), int64_t{rank.device}};
    if (rank.has_iterations) row.emplace_back(rank.basis.wall_ns / rank.repetitions);
    else row.emplace_back(NotAvailable{"no iterations"});
    if (rank.basis.recorded_ns() > 0)
      row.emplace_back(static_cast<double>(rank.basis.busy_ns()) /
                       static_cast<double>(rank.basis.recorded_ns()));
    else row.emplace_back(NotAvailable{"no time"});
    row.emplace_back(static_cast<int64_t>(sum.count));
    row.emplace_back(static_cast<int64_t>(sum.matched));
    row.emplace_back(sum.total_ns);
    row.emplace_back(sum.exposed_ns);
    for (const int64_t value : {sum.transfer_ns, sum.waiting_ns, sum.unmatched_ns,
                                static_cast<int64_t>(sum.came_last), sum.blamed_ns})
      row.push_back(compared(ranks, value));
    const ClockOffset& clock = ranks.matched.clocks[i];
    for (const int64_t value : {clock.offset_ns, clock.spread_ns}) {
      if (ranks.files < 2) row.emplace_back(NotAvailable{"one file, one clock"});
      else if (clock.known) row.emplace_back(value);
      else row.emplace_back(NotAvailable{"too few matched collectives"});
    }
    row.emplace_back(rank.file);
    table.rows.push_back(std::move(row));
  }
  table.notes = {
      "comm = transfer + waiting + not matched, summed over streams; transfer: what the rank that "
      "came last took",
      "others waited: on average, for this rank, in the collectives where it came last",
      "clock: of the file against the first rank's, by the ends of matched collectives"};
  add_lacking(ranks, table);
  return table;
}

Table communication_table(const Ranks& ranks, Names names) {
  Table table;
  table.name = "comm";
  table.columns = {{"rank", Unit::none, ""},
                   {"device", Unit::none, ""},
                   {"stream", Unit::none, ""},
                   {"count", Unit::count, ""},
                   {"total_ns", Unit::nanoseconds, "total"},
                   {"exposed_ns", Unit::nanoseconds, "exposed"},
                   {"overlap_ratio", Unit::ratio, "hidden"},
                   {"transfer_ns", Unit::nanoseconds, "transfer"},
                   {"waiting_ns", Unit::nanoseconds, "waiting"},
                   {"unmatched_ns", Unit::nanoseconds, "not matched"},
                   {"mean_ns", Unit::nanoseconds, "mean"},
                   {"min_ns", Unit::nanoseconds, "min"},
                   {"max_ns", Unit::nanoseconds, "max"},
                   {"name", Unit::none, ""}};
  struct Row {
    int64_t count = 0, total_ns = 0, exposed_ns = 0, min_ns = INT64_MAX, max_ns = 0;
    int64_t transfer_ns = 0, waiting_ns = 0, unmatched_ns = 0;
  };
  using Rows = std::map<std::pair<NameId, uint32_t>, Row>;
  std::vector<Rows> rows(ranks.figures.size());
  const auto row_of = [&](size_t rank, const CommunicationOp& op) -> Row& {
    return rows[rank][{op.name, op.stream}];
  };
  for (size_t rank = 0; rank < rows.size(); ++rank) {
    for (const CommunicationOp& op : ranks.communication[rank].ops) {
      Row& row = row_of(rank, op);
      const int64_t ns = op.duration_ns();
      ++row.count;
      row.total_ns += ns;
      row.unmatched_ns += ns;
      row.exposed_ns += op.exposed_ns;
      row.min_ns = std::min(row.min_ns, ns);
      row.max_ns = std::max(row.max_ns, ns);
    }
  }
  for (const Collective& collective : ranks.matched.collectives) {
    for (size_t rank = 0; rank < rows.size(); ++rank) {
      if (collective.op_of_rank[rank] == kNotThere) continue;
      const CommunicationOp& op = ranks.communication[rank].ops[collective.op_of_rank[rank]];
      Row& row = row_of(rank, op);
      row.transfer_ns += collective.transfer_ns;
      row.waiting_ns += op.duration_ns() - collective.transfer_ns;
      row.unmatched_ns -= op.duration_ns();
    }
  }
  for (size_t rank = 0; rank < rows.size(); ++rank) {
    const size_t first = table.rows.size();
    for (const auto& [key, row] : rows[rank]) {
      std::vector<Cell> cells{rank_cell(ranks.figures[rank]),
                              int64_t{ranks.figures[rank].device},
                              int64_t{key.second},
                              row.count,
                              row.total_ns,
                              row.exposed_ns};
      if (row.total_ns > 0)
        cells.emplace_back(1 -
                           static_cast<double>(row.exposed_ns) / static_cast<double>(row.total_ns));
      else cells.emplace_back(NotAvailable{"no time"});
      for (const int64_t ns : {row.transfer_ns, row.waiting_ns, row.unmatched_ns})
        cells.push_back(compared(ranks, ns));
      cells.emplace_back(row.total_ns / row.count);
      cells.emplace_back(row.min_ns);
      cells.emplace_back(row.max_ns);
      cells.emplace_back(name_text(ranks.names[key.first], names));
      table.rows.push_back(std::move(cells));
    }
    std::stable_sort(table.rows.begin() + static_cast<std::ptrdiff_t>(first), table.rows.end(),
                     [](const auto& a, const auto& b) {
                       return std::get<int64_t>(a[4]) > std::get<int64_t>(b[4]);
                     });
  }
  table.notes = {
      "exposed: no compute kernel ran beside it",
      "total = transfer + waiting + not matched; transfer: what the rank that came last took "
      "(n/a with one rank)"};
  add_lacking(ranks, table);
  return table;
}

Table collectives_table(const Ranks& ranks, Names names) {
  Table table;
  table.name = "collectives";
  table.columns = {
      {"number", Unit::none, ""},
      {"ranks", Unit::count, ""},
      {"start_ns", Unit::none, "start"},  // an instant of the first participant's clock
      {"transfer_ns", Unit::nanoseconds, "transfer"},
      {"waited_most_ns", Unit::nanoseconds, "waited most"},
      {"first", Unit::none, "came first"},
      {"last", Unit::none, "came last"},
      {"name", Unit::none, ""}};
  int64_t number = 0;
  for (const Collective& collective : ranks.matched.collectives) {
    int64_t members = 0;
    size_t first = 0;
    const CommunicationOp *shown = nullptr, *longest = nullptr;
    for (size_t rank = 0; rank < ranks.figures.size(); ++rank) {
      if (collective.op_of_rank[rank] == kNotThere) continue;
      const CommunicationOp& op = ranks.communication[rank].ops[collective.op_of_rank[rank]];
      ++members;
      if (shown == nullptr) shown = &op;
      if (longest != nullptr && op.duration_ns() <= longest->duration_ns()) continue;
      longest = &op;
      first = rank;
    }
    table.rows.push_back({number++, members, shown->start_ns, collective.transfer_ns,
                          longest->duration_ns() - collective.transfer_ns,
                          ranks.figures[first].label, ranks.figures[collective.last].label,
                          name_text(ranks.names[shown->name], names)});
  }
  table.notes = {
      "ranks of whom no one waited long came together: who was last by a hair tells nothing"};
  return table;
}

namespace {

constexpr size_t kMostLines = 16;

std::string clocks_text(const Ranks& ranks) {
  if (ranks.files < 2) return "one clock";
  int64_t spread_ns = 0, furthest_ns = 0;
  for (const ClockOffset& clock : ranks.matched.clocks) {
    if (!clock.known) return "clocks not aligned: too few of them";
    spread_ns = std::max(spread_ns, clock.spread_ns);
    furthest_ns = std::max(furthest_ns, std::abs(clock.offset_ns));
  }
  return "their ends align the clocks: " + time_text(furthest_ns) + " apart, then within " +
         time_text(spread_ns);
}

}  // namespace

void ranks_part(const Ranks& ranks, Page& page) {
  const bool any = std::any_of(ranks.sums.begin(), ranks.sums.end(),
                               [](const RankCommunication& sum) { return sum.count > 0; });
  if (ranks.figures.size() < 2 || !any) return;
  const size_t matched = ranks.matched.collectives.size();
  page.heading("RANKS", format_text("%zu, %s collective%s matched; %s", ranks.figures.size(),
                                    count_text(static_cast<int64_t>(matched)).c_str(),
                                    plural(matched), clocks_text(ranks).c_str()));
  size_t width = 8;
  for (const RankFigures& rank : ranks.figures)
    width = std::max(width, std::min<size_t>(24, rank.label.size()));
  page.line("  " + padded("", width) + at_right("iteration", 11) + at_right("busy", 9) +
            at_right("comm", 11) + at_right("= transfer", 12) + at_right("+ waiting", 11) +
            at_right("came last", 11));
  for (size_t i = 0; i < ranks.figures.size() && i < kMostLines; ++i) {
    const RankFigures& rank = ranks.figures[i];
    const RankCommunication& sum = ranks.sums[i];
    const auto compared = [&](int64_t ns) {
      return matched == 0 ? std::string("n/a") : time_text(ns);
    };
    page.line(
        "  " + padded(rank.label, width) +
        at_right(rank.has_iterations ? time_text(rank.basis.wall_ns / rank.repetitions) : "n/a",
                 11) +
        at_right(percent_text(static_cast<double>(rank.basis.busy_ns()) /
                              static_cast<double>(std::max<int64_t>(1, rank.basis.recorded_ns()))),
                 9) +
        at_right(time_text(sum.total_ns), 11) + at_right(compared(sum.transfer_ns), 12) +
        at_right(compared(sum.waiting_ns), 11) +
        at_right(matched == 0 ? "n/a" : count_text(static_cast<int64_t>(sum.came_last)), 11) +
        (sum.unmatched_ns > 0 && matched > 0
             ? "   and " + time_text(sum.unmatched_ns) + " not matched"
             : ""));
  }
  if (ranks.figures.size() > kMostLines)
    page.line(format_text("  and %zu more: deepprof comm", ranks.figures.size() - kMostLines));
  if (ranks.lacks_ranks()) page.paragraph("  note       ", lacking_text(ranks));
  if (ranks.straggler == kNotThere) return;
  const RankCommunication& late = ranks.sums[ranks.straggler];
  page.paragraph(
      "  straggler  ",
      format_text(
          "%s came last in %s of %s collectives; the others waited %s for it there, on average, "
          "over the run. Look at what it does before them.",
          ranks.figures[ranks.straggler].label.c_str(),
          count_text(static_cast<int64_t>(late.came_last)).c_str(),
          count_text(static_cast<int64_t>(late.matched)).c_str(),
          time_text(late.blamed_ns).c_str()));
}

}  // namespace deepprof
