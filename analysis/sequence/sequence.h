// The ops of one device as a string of symbols in the order in which the host launched them: what
// the miner reads. Called by mine() once a device.
//
// Launch order comes from correlation ids, which grow with every call that the host makes (the ops
// of one graph launch share an id: graph node, then start). Where few ops carry one, ops are
// ordered by start and only the busiest stream is read as the string: streams interleave
// differently each time.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/model/trace.h"

namespace deepprof {

// What a symbol shows of the job beyond its identity. Evidence for the miner, never required.
enum class Hint : uint8_t {
  none,
  optimizer,         // a kernel that updates parameters, by its name
  gradient,          // a kernel of a backward pass, by its name
  copy_to_device,    // host to device: input is fed
  scalar_to_device,  // a few bytes: input of a toy, or a number that some layer needs
  copy_to_host,      // device to host: a result is read
  copy_unknown,      // a copy whose direction is not recorded
  fill,
};
inline bool is_kernel(Hint hint) {
  return hint == Hint::none || hint == Hint::optimizer || hint == Hint::gradient;
}
// Whether such an op may stand at one place of each iteration alone.
inline bool may_mark(Hint hint) { return hint == Hint::optimizer || !is_kernel(hint); }

// An op of another stream than the one that is read (only where launch order is not known).
struct SideOp {
  uint32_t before = 0;  // the symbol in front of which it started
  uint32_t symbol = 0;
};

struct Sequence {
  uint16_t device = 0;
  bool launch_order = false;
  std::vector<uint32_t> order;      // indices into Trace::ops, all ops of the device
  std::vector<uint32_t> symbols;    // the string: dense symbol numbers below hints.size()
  std::vector<uint32_t> positions;  // position in `order` of each symbol; empty: the same
  std::vector<Hint> hints;          // by symbol
  std::vector<SideOp> side;         // ascending; those that may mark

  uint32_t size() const { return static_cast<uint32_t>(symbols.size()); }
  Hint hint(uint32_t at) const { return hints[symbols[at]]; }
  // Where symbol `at` stands in `order`; at == size() gives order.size().
  uint32_t position(uint32_t at) const {
    if (at >= symbols.size()) return static_cast<uint32_t>(order.size());
    return positions.empty() ? at : positions[at];
  }
};

// use_names = false: names only tell symbols apart, no optimizer is recognised. `ops`: those of the
// device, ascending.
Sequence make_sequence(const Trace& trace, uint16_t device, bool use_names,
                       std::vector<uint32_t> ops);
Sequence make_sequence(const Trace& trace, uint16_t device, bool use_names);

}  // namespace deepprof
