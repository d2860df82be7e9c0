#include "analysis/online/mine_stretch.h"

#include "analysis/iterations/mine.h"
#include "analysis/model/sort_by_time.h"
#include "analysis/model/trace.h"

namespace deepprof {
namespace {

// Details of copies as the miner reads them: by name, once for data and once for scalars.
class CopyDetails {
 public:
  CopyDetails(const std::vector<Detail>& copies, std::vector<Detail>& details)
      : copies_(copies), details_(details), index_(2 * copies.size(), 0) {}

  uint32_t of(const Event& copy) {
    if (copy.name >= copies_.size()) return 0;
    const bool scalar = copy.has_detail();
    uint32_t& index = index_[size_t{2} * copy.name + scalar];
    if (index == 0) {
      index = static_cast<uint32_t>(details_.size());
      details_.push_back(copies_[copy.name]);
      details_.back().bytes = scalar ? kScalar_bytes : 0;
    }
    return index;
  }

 private:
  const std::vector<Detail>& copies_;
  std::vector<Detail>& details_;
  std::vector<uint32_t> index_;
};

// As a trace holds them: it would move its own rows, which are longer, and one by one.
std::vector<uint32_t> start_order(std::span<const Event> ops) {
  const auto start_of = [](const Event& op) { return op.start_ns; };
  return order_by_time(ops, start_of);
}

Trace trace_of(std::span<const Event> ops, const std::vector<std::string>& names,
               const std::vector<Detail>& copies) {
  Trace trace;
  std::vector<NameId> ids(names.size(), kNone);
  CopyDetails details(copies, trace.details);
  trace.ops.reserve(ops.size());
  for (const uint32_t index : start_order(ops)) {
    const Event& event = ops[index];
    Op op;
    op.start_ns = event.start_ns;
    op.duration_ns = event.duration_ns();
    op.correlation = event.correlation;
    op.stream = event.track;
    op.graph_node = event.graph_node;
    op.device = event.device;
    op.kind = event.kind();
    if (op.kind == Kind::memcpy) op.detail = details.of(event);
    if (event.name < ids.size()) {
      if (ids[event.name] == kNone) ids[event.name] = trace.names.intern(names[event.name]);
      op.name = ids[event.name];
    }
    trace.ops.push_back(op);
  }
  trace.finish();
  return trace;
}

}  // namespace

MinedStretch mine_stretch(std::span<const Event> ops, const std::vector<std::string>& names,
                          const std::vector<Detail>& copies, int64_t time_budget_ns) {
  MineOptions options;
  options.time_budget_ns = time_budget_ns;
  const Mined mined = mine(trace_of(ops, names, copies), options);
  MinedStretch found;
  if (mined.devices.size() != 1) return found;
  const DeviceMined& device = mined.devices[0];
  // Positions are in launch order over the same ops, as long as none was dropped for its times.
  if (device.verdict == Verdict::none || device.order.size() != ops.size()) return found;
  found.verdict = device.verdict;
  found.confidence = device.confidence;
  found.decided_by = device.decided_by;
  for (const Iteration& iteration : device.iterations) {
    const SectionKind kind = device.sections[iteration.section].kind;
    const bool typical = kind != SectionKind::warm_up && kind != SectionKind::irregular;
    if (!iteration.partial) found.tiles.push_back({iteration.first, iteration.last, typical});
  }
  return found;
}

}  // namespace deepprof
