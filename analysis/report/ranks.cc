#include "analysis/report/ranks.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include "analysis/model/facts.h"
#include "analysis/report/coverage.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

const Detail& detail_of(const Trace& trace, const Op& op) {
  return trace.details[op.detail < trace.details.size() ? op.detail : 0];
}

// What was moved, where the recorder kept it; else the grid, which NCCL chooses by the size.
uint64_t shape_of(const Trace& trace, const Op& op) {
  const Detail& detail = detail_of(trace, op);
  return detail.bytes != 0 ? detail.bytes : uint64_t{detail.grid_x} * detail.grid_y * detail.grid_z;
}

// In the order in which the host launched them, which is the same on every rank; where an op's
// launch was not recorded its start stands in.
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
                      op.duration_ns - compute.covered_ns(op.start_ns, op.end_ns()),
                      shape_of(trace, op), detail_of(trace, op).bytes});
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

}  // namespace

void add_ranks(const Trace& trace, const Figures& figures, const std::string& file,
               bool several_files, Ranks& ranks) {
  ++ranks.files;
  const SampleIndex samples(trace);
  const RunUse use(trace, samples);
  for (const DeviceFigures& device : figures.devices) {
    RankFigures rank;
    rank.rank = trace.process.rank;
    rank.world_size = trace.process.world_size;
    rank.collective_ranks = static_cast<int>(std::clamp<int64_t>(
        integer_fact(trace, kCollectiveRanks).value_or(0), 0, std::numeric_limits<int>::max()));
    rank.device = device.device;
    rank.label =
        label_of(trace.process, device.device, figures.devices.size() > 1, file, several_files);
    rank.file = file;
    rank.has_iterations = device.has_iterations();
    rank.repetitions = device.repetitions;
    rank.basis = device.basis;
    const double recorded_ns = static_cast<double>(std::max<int64_t>(1, device.run.recorded_ns()));
    rank.share = {rank.label, true, device.run.busy_ns(),
                  static_cast<double>(device.run.busy_ns()) / recorded_ns,
                  use.gpu(device.device, device.span)};
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

std::string Ranks::repeated() const {
  std::map<std::pair<int, uint16_t>, const RankFigures*> first;
  for (const RankFigures& rank : figures) {
    if (rank.rank < 0) continue;
    const auto [known, is_new] = first.try_emplace({rank.rank, rank.device}, &rank);
    if (!is_new)
      return format_text("rank %d is in two files: ", rank.rank) + known->second->file + " and " +
             rank.file;
  }
  return {};
}

std::string Ranks::of_several_jobs() const {
  const RankFigures* first = nullptr;
  for (const RankFigures& rank : figures) {
    if (rank.world_size <= 0) continue;
    if (first == nullptr) first = &rank;
    if (rank.world_size != first->world_size)
      return format_text("are these ranks of one job? %s is of %d, %s of %d", first->label.c_str(),
                         first->world_size, rank.label.c_str(), rank.world_size);
  }
  return {};
}

Findings rank_findings(const Ranks& ranks) {
  std::vector<ShareOfWork> members;
  for (const RankFigures& rank : ranks.figures) members.push_back(rank.share);
  Findings findings;
  find_imbalance(members, findings);
  return findings;
}

std::string lacking_text(const Ranks& ranks) {
  return format_text("%zu ranks of a job of %d: waiting for the others counts as transfer",
                     ranks.figures.size(), ranks.figures[0].world_size);
}

}  // namespace deepprof
