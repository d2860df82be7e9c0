// The tables of ranks side by side.
#include <algorithm>

#include "analysis/report/quantity.h"
#include "analysis/report/rank_cells.h"
#include "analysis/report/ranks.h"

namespace deepprof {
namespace {

using Row = std::vector<Cell>;

bool any_sampled(const Ranks& ranks) {
  return std::any_of(ranks.figures.begin(), ranks.figures.end(), [](const RankFigures& rank) {
    return rank.share.use.power_mw || rank.share.use.memory_peak_bytes ||
           rank.share.use.temperature_max_c;
  });
}
void add_sampled(const GpuUse& use, Row& row) {
  for (const std::optional<double>& value :
       {use.power_mw, use.memory_peak_bytes, use.temperature_max_c})
    row.push_back(value ? Cell{*value} : Cell{NotAvailable{"not sampled"}});
}

void add_clock(const Ranks& ranks, size_t rank, Row& row) {
  const ClockOffset& clock = ranks.matched.clocks[rank];
  for (const int64_t value : {clock.offset_ns, clock.spread_ns}) {
    if (ranks.files < 2) row.emplace_back(NotAvailable{"one file, one clock"});
    else if (clock.known) row.emplace_back(value);
    else row.emplace_back(NotAvailable{"too few matched collectives"});
  }
}

Row row_of_rank(const Ranks& ranks, size_t index, bool sampled) {
  const RankFigures& rank = ranks.figures[index];
  const RankCommunication& sum = ranks.sums[index];
  Row row{rank_cell(rank), int64_t{rank.device}};
  if (rank.has_iterations) row.emplace_back(rounded_mean(rank.basis.wall_ns, rank.repetitions));
  else row.emplace_back(NotAvailable{"no iterations"});
  row.push_back(share_of(rank.basis.busy_ns(), rank.basis.recorded_ns()));
  row.emplace_back(static_cast<int64_t>(sum.count));
  row.emplace_back(static_cast<int64_t>(sum.matched));
  row.emplace_back(sum.total_ns);
  row.emplace_back(sum.exposed_ns);
  for (const int64_t value : {sum.transfer_ns, sum.waiting_ns, sum.unmatched_ns,
                              static_cast<int64_t>(sum.came_last), sum.blamed_ns})
    row.push_back(compared(ranks, value));
  add_clock(ranks, index, row);
  if (sampled) add_sampled(rank.share.use, row);
  row.emplace_back(rank.file);
  return row;
}

// Who takes part in a collective.
struct Members {
  int64_t count = 0;
  size_t first = 0;  // the rank that joined first
  const CommunicationOp *shown = nullptr, *longest = nullptr;
};

Members members_of(const Ranks& ranks, const Collective& collective) {
  Members members;
  for (size_t rank = 0; rank < ranks.figures.size(); ++rank) {
    if (collective.op_of_rank[rank] == kNotThere) continue;
    const CommunicationOp& op = ranks.communication[rank].ops[collective.op_of_rank[rank]];
    ++members.count;
    if (members.shown == nullptr) members.shown = &op;
    if (members.longest != nullptr && op.duration_ns() <= members.longest->duration_ns()) continue;
    members.longest = &op;
    members.first = rank;
  }
  return members;
}

}  // namespace

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
  const bool sampled = any_sampled(ranks);
  if (sampled)
    table.columns.insert(table.columns.end() - 1, {{"power_mw", Unit::milliwatts, "power"},
                                                   {"memory_peak_bytes", Unit::bytes, "memory"},
                                                   {"temperature_max_c", Unit::celsius, "temp"}});
  for (size_t i = 0; i < ranks.figures.size(); ++i)
    table.rows.push_back(row_of_rank(ranks, i, sampled));
  table.notes = {
      "iteration and busy: of the mean iteration (without iterations busy is of the run); all else "
      "is summed over the run",
      "comm = transfer + waiting + not matched, streams added; transfer: what the rank that came "
      "last took",
      "others waited: on average, for this rank, in the collectives where it alone came last",
      "clock: of the file against the first rank's, by the ends of matched collectives"};
  add_lacking(ranks, table);
  return table;
}

Table rank_findings_table(const Ranks& ranks, Names names) {
  Table table;
  table.name = "rank_findings";
  table.columns = {
      {"finding", Unit::none, ""}, {"sentence", Unit::none, ""}, {"next_step", Unit::none, ""}};
  for (const Finding& finding : rank_findings(ranks))
    table.rows.push_back({finding_text(finding.kind, names), finding.sentence, finding.next_step});
  return table;
}

Table collectives_table(const Ranks& ranks, Names names) {
  Table table;
  table.name = "collectives";
  const bool instants = names == Names::raw;
  table.columns = {
      {"number", Unit::none, ""},
      {"ranks", Unit::count, ""},
      instants ? Column{"start_ns", Unit::none, "start"} : Column{"at_ns", Unit::nanoseconds, "at"},
      {"bytes", Unit::bytes, "size"},
      {"transfer_ns", Unit::nanoseconds, "transfer"},
      {"waited_most_ns", Unit::nanoseconds, "waited most"},
      {"first", Unit::none, "came first"},
      {"last", Unit::none, "came last"},
      {"name", Unit::none, ""}};
  int64_t number = 0, first_ns = 0;
  for (const Collective& collective : ranks.matched.collectives) {
    const Members members = members_of(ranks, collective);
    if (number == 0 && !instants) first_ns = members.shown->start_ns;
    Row row{number++, members.count, members.shown->start_ns - first_ns};
    if (members.shown->bytes == 0) row.emplace_back(NotAvailable{"sizes were not recorded"});
    else row.emplace_back(static_cast<int64_t>(members.shown->bytes));
    row.insert(row.end(),
               {collective.transfer_ns, members.longest->duration_ns() - collective.transfer_ns,
                ranks.figures[members.first].label});
    if (collective.last == kNotThere) row.emplace_back(NotAvailable{"several came equally late"});
    else row.emplace_back(ranks.figures[collective.last].label);
    row.emplace_back(name_text(ranks.names[members.shown->name], names));
    table.rows.push_back(std::move(row));
  }
  table.notes = {
      "came last is n/a where several came equally late; where no one waited long, who was last by "
      "a hair tells nothing"};
  if (!instants) table.notes.emplace_back("at: since the first one began");
  return table;
}

}  // namespace deepprof
