// How well the online miner counts the iterations of the hard cases, which are far shorter than the
// jobs it is for: it mines first a third of each job (or another part; 4,000 ops at least: a
// fiftieth of what it does in the library). Prints, by family, the true count, what mine() finds in
// the whole, and what was counted on the way; of a single family each job, too.
//
//   online_accuracy [first seed, default 1000] [last seed, default 1004] [part of the job, default
//   3] [family]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "analysis/iterations/mine.h"
#include "analysis/online/mine_stretch.h"
#include "analysis/online/online_miner.h"
#include "analysis/sequence/launch_order.h"
#include "test/support/hard_cases.h"

using namespace deepprof;
using namespace deepprof::test;

namespace {

std::vector<Event> events_of(const Trace& trace, uint16_t device) {
  std::vector<Event> events;
  for (const uint32_t index : launch_order(trace, device).ops) {
    const Op& op = trace.ops[index];
    Event event;
    event.start_ns = op.start_ns;
    event.set_duration(op.duration_ns);
    event.device = static_cast<uint8_t>(op.device);
    const Detail& detail = trace.details[op.detail];
    const bool scalar = detail.bytes > 0 && detail.bytes <= kScalar_bytes;
    event.set_kind(op.kind, op.kind == Kind::memcpy && scalar);
    event.correlation = op.correlation;
    event.name = op.name;
    event.track = op.stream;
    event.graph_node = op.graph_node;
    events.push_back(event);
  }
  return events;
}

std::vector<std::string> names_of(const Trace& trace) {
  std::vector<std::string> names;
  for (NameId id = 0; id < trace.names.size(); ++id) names.emplace_back(trace.names[id]);
  return names;
}

std::vector<Detail> copies_of(const Trace& trace) {
  std::vector<Detail> copies(trace.names.size());
  for (const Op& op : trace.ops)
    if (op.kind == Kind::memcpy) copies[op.name] = trace.details[op.detail];
  return copies;
}

size_t true_count(const LabelledTrace& truth) {
  std::set<int> steps(truth.step.begin(), truth.step.end());
  return steps.size() - steps.count(-1);
}

size_t mined_count(const Trace& trace) {
  const Mined mined = mine(trace);
  return mined.devices.empty() ? 0 : mined.devices[0].iterations.size();
}

RunStatistics followed(const Trace& trace, size_t part) {
  const uint16_t device = devices_with_ops(trace).at(0);
  const std::vector<Event> events = events_of(trace, device);
  const std::vector<std::string> names = names_of(trace);
  const std::vector<Detail> copies = copies_of(trace);
  OnlineOptions options;
  options.prefix_ops = std::max<size_t>(events.size() / part, 4'000);
  OnlineMiner miner(
      device, [&](std::span<const Event> ops) { return mine_stretch(ops, names, copies, 0); },
      options);
  const std::span<const Event> all(events);
  constexpr size_t kBatch = 500;
  for (size_t at = 0; at < all.size(); at += kBatch)
    miner.add(all.subspan(at, std::min(kBatch, all.size() - at)));
  miner.finish();
  return miner.statistics();
}

}  // namespace

int main(int argc, char** argv) {
  const uint64_t first = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000;
  const uint64_t last = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1004;
  const size_t part = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 3;
  const std::string only = argc > 4 ? argv[4] : "";
  std::printf("%-30s %8s %8s %8s %12s %12s\n", "family", "true", "mined", "online", "count error",
              "confidence");
  for (const Family& family : families()) {
    if (!only.empty() && only != family.name) continue;
    size_t expected = 0, mined = 0, online = 0;
    double error = 0, confidence = 0;
    for (uint64_t seed = first; seed <= last; ++seed) {
      const LabelledTrace truth = family.draw(seed);
      const auto steps = family.negative ? 0 : true_count(truth);
      const RunStatistics run = followed(truth.trace, part);
      const uint64_t counted = run.iteration_count();
      confidence += run.confidence();
      const size_t found = mined_count(truth.trace);
      expected += steps;
      mined += found;
      online += counted;
      if (!only.empty())
        std::printf(
            "  seed %-24llu %8zu %8zu %8zu   %zu ops, mined %zu times, %zu kinds, %zu varying\n",
            static_cast<unsigned long long>(seed), steps, found, static_cast<size_t>(counted),
            truth.trace.ops.size(), static_cast<size_t>(run.minings), run.iterations.size(),
            static_cast<size_t>(run.varying.count));
      if (steps > 0)
        error += std::abs(static_cast<double>(counted) / static_cast<double>(steps) - 1);
    }
    const double jobs = static_cast<double>(last - first + 1);
    std::printf("%-30s %8zu %8zu %8zu %10.2f %% %12.2f\n", family.name, expected, mined, online,
                100 * error / jobs, confidence / jobs);
    std::fflush(stdout);
  }
}
