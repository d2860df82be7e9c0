#include "analysis/report/ranks.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

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

// "python3 train.py": of the command line what ranks have in common.
std::string program_of(const std::string& command_line) {
  std::string program;
  for (size_t at = 0, words = 0; at < command_line.size() && words < 2; ++words) {
    const size_t end = std::min(command_line.find(' ', at), command_line.size());
    const std::string word = command_line.substr(at, end - at);
    if (word.empty() || word[0] == '-') break;
    program += (words == 0 ? "" : " ") + word.substr(word.rfind('/') + 1);
    if (program.rfind("python", 0) != 0) break;
    at = end + 1;
  }
  return program;
}

// By the wall clock, where the file has one: beside its own, or as its own.
std::optional<Window> ran_at(const Trace& trace, Window run) {
  constexpr int64_t kIn2000_ns = 946'684'800'000'000'000;
  Window at;
  if (__builtin_add_overflow(run.start_ns, trace.clock_base_ns, &at.start_ns) ||
      __builtin_add_overflow(run.end_ns, trace.clock_base_ns, &at.end_ns) ||
      at.start_ns < kIn2000_ns)
    return {};
  return at;
}

// The kernels that take most of the time, without communication.
std::vector<std::pair<NameId, int64_t>> longest_compute(const Trace& trace,
                                                        const DeviceFigures& device,
                                                        NameTable& names) {
  constexpr size_t kMost = 500;
  std::vector<std::pair<NameId, int64_t>> longest;
  for (const KernelFigures& kernel : device.kernels) {
    if (kernel.category == kCommunication) continue;
    if (longest.size() == kMost) break;
    longest.emplace_back(names.intern(trace.names[kernel.name]), kernel.total_ns);
  }
  return longest;
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
    rank.program = program_of(trace.process.command_line);
    rank.ran_at = ran_at(trace, device.span);
    rank.compute = longest_compute(trace, device, ranks.names);
    rank.has_iterations = device.has_iterations();
    rank.repetitions = device.repetitions;
    rank.basis = device.basis;
    rank.share = {rank.label, true, use.gpu(device.device, device.span)};
    rank.share.set_compute(device.run.united(Activity::compute), device.run.recorded_ns());
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
  ranks.doubt = ranks.of_several_jobs();
  // What happens to have the same name in two jobs is no collective.
  if (ranks.doubt.empty()) ranks.matched = match_collectives(ranks.communication);
  else ranks.matched.clocks.resize(ranks.figures.size());
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

Findings rank_findings(const Ranks& ranks) {
  if (!ranks.doubt.empty()) return {};
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
