// The tables of ranks side by side.
#include <algorithm>
#include <map>

#include "analysis/report/quantity.h"
#include "analysis/report/ranks.h"

namespace deepprof {
namespace {

using Row = std::vector<Cell>;

Cell rank_cell(const RankFigures& rank) {
  if (rank.rank < 0) return NotAvailable{"the file names no rank"};
  return int64_t{rank.rank};
}

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

// Figures that need another rank to compare with.
Cell compared(const Ranks& ranks, int64_t value) {
  if (ranks.matched.collectives.empty())
    return NotAvailable{"no collective was matched with another rank"};
  return value;
}

Cell share(int64_t part, int64_t whole) {
  if (whole <= 0) return NotAvailable{"no time"};
  return static_cast<double>(part) / static_cast<double>(whole);
}

void add_lacking(const Ranks& ranks, Table& table) {
  if (ranks.figures.size() > 1 && ranks.lacks_ranks()) table.notes.push_back(lacking_text(ranks));
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
  row.push_back(share(rank.basis.busy_ns(), rank.basis.recorded_ns()));
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

// The communication kernels of one name on one stream of one rank.
struct NameSum {
  int64_t count = 0, total_ns = 0, exposed_ns = 0, min_ns = INT64_MAX, max_ns = 0;
  int64_t transfer_ns = 0, waiting_ns = 0, unmatched_ns = 0;
  int64_t bytes = 0, bytes_count = 0, bytes_ns = 0;  // of those whose size is known

  void add(const CommunicationOp& op) {
    const int64_t ns = op.duration_ns();
    ++count;
    total_ns += ns;
    unmatched_ns += ns;
    exposed_ns += op.exposed_ns;
    min_ns = std::min(min_ns, ns);
    max_ns = std::max(max_ns, ns);
    if (op.bytes == 0) return;
    bytes += static_cast<int64_t>(op.bytes);
    ++bytes_count;
    bytes_ns += ns;
  }
  void match(const CommunicationOp& op, const Collective& collective) {
    transfer_ns += collective.transfer_ns;
    waiting_ns += op.duration_ns() - collective.transfer_ns;
    unmatched_ns -= op.duration_ns();
  }
};
using SumsOfRank = std::map<std::pair<NameId, uint32_t>, NameSum>;  // by name and stream

std::vector<SumsOfRank> sums_by_name(const Ranks& ranks) {
  std::vector<SumsOfRank> sums(ranks.figures.size());
  for (size_t rank = 0; rank < sums.size(); ++rank) {
    for (const CommunicationOp& op : ranks.communication[rank].ops)
      sums[rank][{op.name, op.stream}].add(op);
  }
  for (const Collective& collective : ranks.matched.collectives) {
    for (size_t rank = 0; rank < sums.size(); ++rank) {
      if (collective.op_of_rank[rank] == kNotThere) continue;
      const CommunicationOp& op = ranks.communication[rank].ops[collective.op_of_rank[rank]];
      sums[rank][{op.name, op.stream}].match(op, collective);
    }
  }
  return sums;
}

// Bytes that cross a link for each byte of a collective's size, by its algorithm (nccl-tests'
// definition); 0: not known. A SendRecv kernel may be one message or an all-to-all.
double bus_factor(std::string_view kernel, int ranks) {
  if (ranks < 2) return 0;
  std::string name;
  for (const char c : kernel) {
    if (c != '_') name += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  const auto has = [&](const char* word) { return name.find(word) != std::string::npos; };
  const double others = static_cast<double>(ranks - 1) / static_cast<double>(ranks);
  if (has("allreduce")) return 2 * others;
  if (has("allgather") || has("reducescatter") || has("alltoall")) return others;
  return has("broadcast") || has("reduce") ? 1 : 0;
}

void add_bandwidth(const RankFigures& rank, const NameSum& sum, std::string_view kernel, Row& row) {
  if (sum.bytes == 0 || sum.bytes_ns == 0) {
    for (int i = 0; i < 3; ++i) row.emplace_back(NotAvailable{"sizes were not recorded"});
    return;
  }
  const double per_second =
      static_cast<double>(sum.bytes) / static_cast<double>(sum.bytes_ns) * 1e9;
  const double factor = bus_factor(kernel, rank.collective_ranks);
  row.emplace_back(sum.bytes / sum.bytes_count);
  row.emplace_back(per_second);
  if (factor > 0) row.emplace_back(factor * per_second);
  else row.emplace_back(NotAvailable{"not known how many ranks take part, or by which algorithm"});
}

Row row_of_name(const Ranks& ranks, size_t rank, uint32_t stream, const NameSum& sum, NameId kernel,
                Names names) {
  Row row{rank_cell(ranks.figures[rank]),
          int64_t{ranks.figures[rank].device},
          int64_t{stream},
          sum.count,
          sum.total_ns,
          sum.exposed_ns,
          share(sum.total_ns - sum.exposed_ns, sum.total_ns)};
  for (const int64_t ns : {sum.transfer_ns, sum.waiting_ns, sum.unmatched_ns})
    row.push_back(compared(ranks, ns));
  row.emplace_back(rounded_mean(sum.total_ns, sum.count));
  row.emplace_back(sum.min_ns);
  row.emplace_back(sum.max_ns);
  add_bandwidth(ranks.figures[rank], sum, ranks.names[kernel], row);
  row.emplace_back(name_text(ranks.names[kernel], names));
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
                   {"mean_bytes", Unit::bytes, "mean size", 4},
                   {"algorithm_bytes_per_s", Unit::bytes, "size per s", 3},
                   {"bus_bytes_per_s", Unit::bytes, "bus per s", 2},
                   {"name", Unit::none, ""}};
  const std::vector<SumsOfRank> sums = sums_by_name(ranks);
  for (size_t rank = 0; rank < sums.size(); ++rank) {
    const auto first = static_cast<std::ptrdiff_t>(table.rows.size());
    for (const auto& [key, sum] : sums[rank])
      table.rows.push_back(row_of_name(ranks, rank, key.second, sum, key.first, names));
    std::stable_sort(table.rows.begin() + first, table.rows.end(), [](const Row& a, const Row& b) {
      return std::get<int64_t>(a[4]) > std::get<int64_t>(b[4]);
    });
  }
  table.notes = {
      "summed over the run; exposed: no compute kernel ran beside it",
      "total = transfer + waiting + not matched; transfer: what the rank that came last "
      "took (n/a with one rank)",
      "size per s: of kernels whose size was recorded, waiting for a late rank included; "
      "bus: what a link carries, by the algorithm"};
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
    const Members members = members_of(ranks, collective);
    Row row{number++,
            members.count,
            members.shown->start_ns,
            collective.transfer_ns,
            members.longest->duration_ns() - collective.transfer_ns,
            ranks.figures[members.first].label};
    if (collective.last == kNotThere) row.emplace_back(NotAvailable{"several came equally late"});
    else row.emplace_back(ranks.figures[collective.last].label);
    row.emplace_back(name_text(ranks.names[members.shown->name], names));
    table.rows.push_back(std::move(row));
  }
  table.notes = {
      "came last is n/a where several came equally late; where no one waited long, who was last by "
      "a hair tells nothing"};
  return table;
}

}  // namespace deepprof
