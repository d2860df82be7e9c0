// Communication by collective and size: what it costs beyond the compute beside it, transfer and
// waiting, bandwidth.
#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

#include "analysis/ranks/collective_name.h"
#include "analysis/report/quantity.h"
#include "analysis/report/rank_cells.h"
#include "analysis/report/ranks.h"

namespace deepprof {
namespace {

using Row = std::vector<Cell>;

// Kernels of one sort on one stream of one rank: sizes of one power of two, as a bandwidth over
// small and large ones would be of neither.
struct Sort {
  std::string collective;
  int power = -1;  // 2^power bytes or more, less than twice that; -1: the size was not recorded
  uint32_t stream = 0;
  auto operator<=>(const Sort&) const = default;
};

struct SortSum {
  int64_t count = 0, total_ns = 0, exposed_ns = 0, min_ns = INT64_MAX, max_ns = 0;
  int64_t transfer_ns = 0, waiting_ns = 0, unmatched_ns = 0, bytes = 0;
  CollectiveName collective;
  std::map<NameId, int64_t> ns_of_kernel;

  void add(const CommunicationOp& op) {
    const int64_t ns = op.duration_ns();
    ++count;
    total_ns += ns;
    unmatched_ns += ns;
    exposed_ns += op.exposed_ns;
    min_ns = std::min(min_ns, ns);
    max_ns = std::max(max_ns, ns);
    bytes += static_cast<int64_t>(op.bytes);
    ns_of_kernel[op.name] += ns;
  }
  void match(const CommunicationOp& op, const Collective& collective_of_ranks) {
    transfer_ns += collective_of_ranks.transfer_ns;
    waiting_ns += op.duration_ns() - collective_of_ranks.transfer_ns;
    unmatched_ns -= op.duration_ns();
  }
  // The kernel that most of the time is of.
  NameId kernel() const {
    return std::max_element(ns_of_kernel.begin(), ns_of_kernel.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->first;
  }
};
using SumsOfRank = std::map<Sort, SortSum>;

class Sums {
 public:
  Sums(const Ranks& ranks, Names names) : ranks_(ranks), names_(names) {
    sums_.resize(ranks.figures.size());
    for (size_t rank = 0; rank < sums_.size(); ++rank) {
      for (const CommunicationOp& op : ranks.communication[rank].ops) of(rank, op).add(op);
    }
    for (const Collective& collective : ranks.matched.collectives) {
      for (size_t rank = 0; rank < sums_.size(); ++rank) {
        if (collective.op_of_rank[rank] == kNotThere) continue;
        const CommunicationOp& op = ranks.communication[rank].ops[collective.op_of_rank[rank]];
        of(rank, op).match(op, collective);
      }
    }
  }
  const SumsOfRank& of_rank(size_t rank) const { return sums_[rank]; }

 private:
  SortSum& of(size_t rank, const CommunicationOp& op) {
    const auto [known, is_new] = collectives_.try_emplace(op.name);
    if (is_new) known->second = collective_name(ranks_.names[op.name]);
    const CollectiveName& collective = known->second;
    const Sort sort{collective.words.empty() ? name_text(ranks_.names[op.name], names_)
                                             : std::string(collective.words),
                    static_cast<int>(std::bit_width(op.bytes)) - 1, op.stream};
    SortSum& sum = sums_[rank][sort];
    sum.collective = collective;
    return sum;
  }

  const Ranks& ranks_;
  Names names_;
  std::map<NameId, CollectiveName> collectives_;
  std::vector<SumsOfRank> sums_;
};

void add_size(const Sort& sort, Row& row) {
  for (const int power : {sort.power, sort.power + 1}) {
    if (sort.power < 0) row.emplace_back(NotAvailable{"sizes were not recorded"});
    else row.emplace_back(power > 62 ? INT64_MAX : int64_t{1} << power);
  }
}

void add_bandwidth(const RankFigures& rank, const SortSum& sum, Row& row) {
  if (sum.bytes == 0 || sum.total_ns == 0) {
    for (int i = 0; i < 3; ++i) row.emplace_back(NotAvailable{"sizes were not recorded"});
    return;
  }
  const double per_second =
      static_cast<double>(sum.bytes) / static_cast<double>(sum.total_ns) * 1e9;
  const double factor =
      rank.collective_ranks < 2 ? 0 : sum.collective.bus_factor(rank.collective_ranks);
  row.emplace_back(sum.bytes / sum.count);
  row.emplace_back(per_second);
  if (factor > 0) row.emplace_back(factor * per_second);
  else row.emplace_back(NotAvailable{"not known how many ranks take part, or by which algorithm"});
}

Row row_of(const Ranks& ranks, size_t rank, const Sort& sort, const SortSum& sum, Names names) {
  Row row{rank_cell(ranks.figures[rank]), int64_t{ranks.figures[rank].device}, int64_t{sort.stream},
          sort.collective};
  add_size(sort, row);
  row.insert(row.end(), {sum.count, sum.total_ns, sum.exposed_ns,
                         share_of(sum.total_ns - sum.exposed_ns, sum.total_ns)});
  for (const int64_t ns : {sum.transfer_ns, sum.waiting_ns, sum.unmatched_ns})
    row.push_back(compared(ranks, ns));
  row.emplace_back(rounded_mean(sum.total_ns, sum.count));
  row.emplace_back(sum.min_ns);
  row.emplace_back(sum.max_ns);
  add_bandwidth(ranks.figures[rank], sum, row);
  row.emplace_back(name_text(ranks.names[sum.kernel()], names));
  return row;
}

std::vector<Column> columns() {
  return {{"rank", Unit::none, ""},
          {"device", Unit::none, ""},
          {"stream", Unit::none, ""},
          {"collective", Unit::none, ""},
          {"from_bytes", Unit::bytes, "size from", 5},
          {"below_bytes", Unit::bytes, "below", 6},
          {"count", Unit::count, ""},
          {"total_ns", Unit::nanoseconds, "total"},
          {"exposed_ns", Unit::nanoseconds, "exposed"},
          {"overlap_ratio", Unit::ratio, "hidden"},
          {"transfer_ns", Unit::nanoseconds, "transfer"},
          {"waiting_ns", Unit::nanoseconds, "waiting"},
          {"unmatched_ns", Unit::nanoseconds, "not matched"},
          {"mean_ns", Unit::nanoseconds, "mean"},
          {"min_ns", Unit::nanoseconds, "min", 8},
          {"max_ns", Unit::nanoseconds, "max", 7},
          {"mean_bytes", Unit::bytes, "mean size", 2},
          {"algorithm_bytes_per_s", Unit::bytes_per_second, "algorithm bandwidth", 4},
          {"bus_bytes_per_s", Unit::bytes_per_second, "bus bandwidth", 1},
          {"name", Unit::none, "kernel", 3}};
}

}  // namespace

Table communication_table(const Ranks& ranks, Names names) {
  Table table;
  table.name = "comm";
  table.columns = columns();
  const Sums sums(ranks, names);
  constexpr size_t kTotal = 7;
  for (size_t rank = 0; rank < ranks.figures.size(); ++rank) {
    const auto first = static_cast<std::ptrdiff_t>(table.rows.size());
    for (const auto& [sort, sum] : sums.of_rank(rank))
      table.rows.push_back(row_of(ranks, rank, sort, sum, names));
    std::stable_sort(table.rows.begin() + first, table.rows.end(), [](const Row& a, const Row& b) {
      return std::get<int64_t>(a[kTotal]) > std::get<int64_t>(b[kTotal]);
    });
  }
  table.notes = {
      "summed over the run, by collective and size (each power of two); exposed: no compute kernel "
      "ran beside it",
      "total = transfer + waiting + not matched; transfer: what the rank that came last "
      "took (n/a with one rank)",
      "bandwidths have the waiting for a late rank in their time; bus: what a link carries, by the "
      "collective"};
  add_lacking(ranks, table);
  return table;
}

}  // namespace deepprof
