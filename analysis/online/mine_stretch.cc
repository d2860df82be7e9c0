#include "analysis/online/mine_stretch.h"

#include <algorithm>
#include <utility>

#include "analysis/iterations/mine.h"
#include "analysis/model/trace.h"

namespace deepprof {
namespace {

Trace trace_of(std::span<const Event> ops, const std::vector<std::string>& names) {
  Trace trace;
  std::vector<NameId> ids(names.size(), kNone);
  trace.ops.reserve(ops.size());
  for (const Event& event : ops) {
    Op op;
    op.start_ns = event.start_ns;
    op.duration_ns = event.duration_ns();
    op.correlation = event.correlation;
    op.stream = event.track;
    op.graph_node = event.graph_node;
    op.device = event.device;
    op.kind = event.kind();
    if (event.name < ids.size()) {
      if (ids[event.name] == kNone) ids[event.name] = trace.names.intern(names[event.name]);
      op.name = ids[event.name];
    }
    trace.ops.push_back(op);
  }
  trace.finish();
  return trace;
}

// Leaves out tiles of a length that hardly comes: a piece of an autotuned first step taken for a template is
// the beginning of every later step, and would be counted inside each.
void drop_rare(std::vector<OpRange>& tiles) {
  constexpr size_t kFewest = 3;
  constexpr size_t kOneIn = 100;
  std::vector<uint32_t> lengths;
  for (const OpRange& tile : tiles) lengths.push_back(tile.last - tile.first);
  std::sort(lengths.begin(), lengths.end());
  const size_t least = std::max(kFewest, tiles.size() / kOneIn);
  std::vector<OpRange> usual;
  for (const OpRange& tile : tiles) {
    const uint32_t length = tile.last - tile.first, slack = length / 10;
    const auto from = std::lower_bound(lengths.begin(), lengths.end(), length - slack);
    const auto to = std::upper_bound(from, lengths.end(), length + slack);
    if (static_cast<size_t>(to - from) >= least) usual.push_back(tile);
  }
  if (!usual.empty()) tiles = std::move(usual);
}

}  // namespace

std::vector<OpRange> mine_stretch(std::span<const Event> ops, const std::vector<std::string>& names,
                                  int64_t time_budget_ns) {
  MineOptions options;
  options.time_budget_ns = time_budget_ns;
  const Mined mined = mine(trace_of(ops, names), options);
  std::vector<OpRange> tiles;
  if (mined.devices.size() != 1) return tiles;
  const DeviceMined& device = mined.devices[0];
  // Positions are in launch order over the same ops, as long as none was dropped for its times.
  if (device.verdict == Verdict::none || !device.launch_order || device.order.size() != ops.size())
    return tiles;
  for (const Iteration& iteration : device.iterations) {
    const SectionKind kind = device.sections[iteration.section].kind;
    const bool typical = kind != SectionKind::warm_up && kind != SectionKind::irregular;
    if (typical && !iteration.partial) tiles.push_back({iteration.first, iteration.last});
  }
  drop_rare(tiles);
  return tiles;
}

}  // namespace deepprof
