#include "analysis/sequence/sequence.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "analysis/model/reserve_huge.h"
#include "analysis/sequence/hints.h"
#include "analysis/sequence/launch_order.h"

namespace deepprof {
namespace {

constexpr uint64_t kScalar_bytes = 16;

// Gives every op its symbol: kernels by name, copies by direction and memory, fills all one.
class Alphabet {
 public:
  Alphabet(const Trace& trace, bool use_names)
      : trace_(trace), use_names_(use_names), of_kernel_(trace.names.size(), kNone) {}

  uint32_t symbol(const Op& op) {
    switch (op.kind) {
      case Kind::memcpy: return copy_symbol(op);
      case Kind::memset: return once(fill_, Hint::fill);
      default: return kernel_symbol(op);
    }
  }
  Hint hint(uint32_t symbol) const { return hints_[symbol]; }
  std::vector<Hint> take_hints() { return std::move(hints_); }

 private:
  uint32_t once(uint32_t& symbol, Hint hint) {
    if (symbol == kNone) {
      symbol = static_cast<uint32_t>(hints_.size());
      hints_.push_back(hint);
    }
    return symbol;
  }
  uint32_t kernel_symbol(const Op& op) {
    uint32_t& symbol = op.name < of_kernel_.size() ? of_kernel_[op.name] : unknown_;
    if (symbol != kNone) return symbol;
    return once(symbol, use_names_ ? kernel_hint(trace_.names[op.name]) : Hint::none);
  }
  static Hint kernel_hint(std::string_view name) {
    if (names_optimizer(name)) return Hint::optimizer;
    return names_gradient(name) ? Hint::gradient : Hint::none;
  }
  uint32_t copy_symbol(const Op& op) {
    const Detail& detail = trace_.details[op.detail < trace_.details.size() ? op.detail : 0];
    const uint64_t direction = static_cast<uint64_t>(detail.copy_kind);
    const bool scalar = detail.bytes > 0 && detail.bytes <= kScalar_bytes;
    // Without a direction the name is all that tells copies apart.
    const uint64_t key = direction == 0 ? uint64_t{op.name} << 32
                                        : direction | static_cast<uint64_t>(detail.source) << 8 |
                                              static_cast<uint64_t>(detail.destination) << 16 |
                                              uint64_t{scalar} << 24;
    return once(of_copy_.try_emplace(key, kNone).first->second,
                copy_hint(detail.copy_kind, scalar));
  }
  static Hint copy_hint(CopyKind kind, bool scalar) {
    switch (kind) {
      case CopyKind::host_to_device:
      case CopyKind::host_to_array: return scalar ? Hint::scalar_to_device : Hint::copy_to_device;
      case CopyKind::device_to_host:
      case CopyKind::array_to_host: return Hint::copy_to_host;
      case CopyKind::unknown: return Hint::copy_unknown;
      default: return Hint::none;
    }
  }

  const Trace& trace_;
  bool use_names_;
  std::vector<uint32_t> of_kernel_;
  std::unordered_map<uint64_t, uint32_t> of_copy_;
  uint32_t fill_ = kNone, unknown_ = kNone;
  std::vector<Hint> hints_;
};

// The stream with most ops, as (context, stream).
std::pair<uint32_t, uint32_t> busiest_stream(const Trace& trace,
                                             const std::vector<uint32_t>& order) {
  std::unordered_map<uint64_t, size_t> counts;
  uint64_t best = 0;
  size_t most = 0;
  for (const uint32_t index : order) {
    const Op& op = trace.ops[index];
    const uint64_t id = (uint64_t{op.context} << 32) | op.stream;
    const size_t count = ++counts[id];
    if (count > most) most = count, best = id;
  }
  return {static_cast<uint32_t>(best >> 32), static_cast<uint32_t>(best)};
}

// Where ops are ordered by start, only the busiest stream is a string; all of them if it is a
// minority.
void read_busiest_stream(const Trace& trace, Sequence& sequence) {
  const auto [context, stream] = busiest_stream(trace, sequence.order);
  for (uint32_t at = 0; at < sequence.order.size(); ++at) {
    const Op& op = trace.ops[sequence.order[at]];
    if (op.context == context && op.stream == stream) sequence.positions.push_back(at);
  }
  if (sequence.positions.size() * 2 < sequence.order.size()) sequence.positions.clear();
}

void add_side_ops(const Trace& trace, Alphabet& alphabet, Sequence& sequence) {
  uint32_t next = 0;  // symbol
  for (uint32_t at = 0; at < sequence.order.size(); ++at) {
    if (next < sequence.positions.size() && sequence.positions[next] == at) {
      ++next;
      continue;
    }
    const uint32_t symbol = alphabet.symbol(trace.ops[sequence.order[at]]);
    if (may_mark(alphabet.hint(symbol))) sequence.side.push_back({next, symbol});
  }
}

constexpr size_t kAhead = 64;  // ops: what is read behind them is fetched meanwhile

// As long as ops start in launch order they are the string, read in the same pass. Where they do
// not, nothing is kept.
void read_in_start_order(const Trace& trace, const std::vector<uint32_t>& ops, bool use_names,
                         StartOrder& seen, Sequence& sequence) {
  Alphabet alphabet(trace, use_names);
  reserve_huge(sequence.symbols, ops.size());
  for (size_t at = 0; at < ops.size(); ++at) {
    if (at + kAhead < ops.size()) __builtin_prefetch(&trace.ops[ops[at + kAhead]]);
    seen.add(ops[at]);
    if (seen.is_launch_order()) sequence.symbols.push_back(alphabet.symbol(trace.ops[ops[at]]));
  }
  sequence.hints = alphabet.take_hints();
}

}  // namespace

Sequence make_sequence(const Trace& trace, uint16_t device, bool use_names) {
  return make_sequence(trace, device, use_names, ops_of_device(trace, device));
}

Sequence make_sequence(const Trace& trace, uint16_t device, bool use_names,
                       std::vector<uint32_t> ops) {
  Sequence sequence;
  sequence.device = device;
  StartOrder seen(trace);
  read_in_start_order(trace, ops, use_names, seen, sequence);
  LaunchOrder launch = launch_order(trace, std::move(ops), seen);
  sequence.launch_order = launch.known;
  sequence.order = std::move(launch.ops);
  if (sequence.launch_order && seen.is_launch_order()) return sequence;
  if (!sequence.launch_order) read_busiest_stream(trace, sequence);

  Alphabet alphabet(trace, use_names);
  const size_t size =
      sequence.positions.empty() ? sequence.order.size() : sequence.positions.size();
  sequence.symbols.clear();
  reserve_huge(sequence.symbols, size);
  for (uint32_t at = 0; at < size; ++at) {
    const uint32_t position = sequence.positions.empty() ? at : sequence.positions[at];
    sequence.symbols.push_back(alphabet.symbol(trace.ops[sequence.order[position]]));
  }
  if (!sequence.positions.empty()) add_side_ops(trace, alphabet, sequence);
  sequence.hints = alphabet.take_hints();
  return sequence;
}

}  // namespace deepprof
