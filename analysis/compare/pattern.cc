#include "analysis/compare/pattern.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "analysis/categories/readable_name.h"

namespace deepprof {
namespace {

// an iteration that differs from the others in more places is no example
constexpr int kMostEdits = 300;

const char* copy_key(CopyKind kind) {
  switch (kind) {
    case CopyKind::host_to_device:
    case CopyKind::host_to_array: return "copy to the device";
    case CopyKind::device_to_host:
    case CopyKind::array_to_host: return "copy to the host";
    case CopyKind::peer_to_peer: return "copy between GPUs";
    case CopyKind::device_to_device:
    case CopyKind::array_to_array:
    case CopyKind::array_to_device:
    case CopyKind::device_to_array: return "copy on the device";
    default: return "copy";
  }
}

std::string kernel_key(std::string_view raw) {
  const std::string demangled = demangled_name(raw);
  std::string key;
  for (const char c : without_arguments(demangled)) {
    if (c != ' ') key += c;
  }
  // Templates carry their return type in the mangled name, and not every recorder prints it.
  if (key.rfind("void", 0) == 0 && demangled.rfind("void ", 0) == 0) key.erase(0, 4);
  return key.empty() ? std::string(raw) : key;
}

// The key of every op as a small number.
class Keys {
 public:
  Keys(const Trace& trace, const Figures& figures)
      : trace_(trace), figures_(figures), of_name_(trace.names.size(), kNone) {}

  NameId of(const Op& op, std::vector<OpTally>& ops) {
    if (op.kind == Kind::memcpy || op.kind == Kind::memset) return add(op, ops);
    NameId& id = of_name_[op.name];
    if (id == kNone) id = add(op, ops);
    return id;
  }

 private:
  NameId add(const Op& op, std::vector<OpTally>& ops) {
    std::string key = op_key(trace_, op);
    const auto [found, is_new] = ids_.try_emplace(std::move(key), static_cast<NameId>(ops.size()));
    if (is_new) {
      OpTally tally;
      tally.key = found->first;
      tally.name = op.kind == Kind::memcpy || op.kind == Kind::memset
                       ? found->first
                       : std::string(trace_.names[op.name]);
      tally.category = op.kind == Kind::memcpy ? "memcpy"
                       : op.kind == Kind::memset
                           ? "memset"
                           : figures_.category_names[figures_.category_of_name[op.name]];
      ops.push_back(std::move(tally));
    }
    return found->second;
  }

  const Trace& trace_;
  const Figures& figures_;
  std::vector<NameId> of_name_;
  std::unordered_map<std::string, NameId> ids_;
};

using Sequence = std::vector<NameId>;

// The iteration that most others are equal to; where all differ, one of median length.
size_t reference_of(const std::vector<Sequence>& sequences) {
  std::map<Sequence, std::pair<size_t, size_t>> variants;  // how many, and the first of them
  for (size_t i = 0; i < sequences.size(); ++i)
    ++variants.try_emplace(sequences[i], 0, i).first->second.first;
  const auto most = std::max_element(
      variants.begin(), variants.end(),
      [](const auto& a, const auto& b) { return a.second.first < b.second.first; });
  if (most->second.first > 1 || sequences.size() < 3) return most->second.second;
  std::vector<size_t> by_length(sequences.size());
  for (size_t i = 0; i < by_length.size(); ++i) by_length[i] = i;
  std::stable_sort(by_length.begin(), by_length.end(),
                   [&](size_t a, size_t b) { return sequences[a].size() < sequences[b].size(); });
  return by_length[by_length.size() / 2];
}

constexpr double kAbsent = -1;

void fill_absent(std::vector<double>& values) {
  double sum = 0;
  size_t present = 0;
  for (const double value : values) {
    if (value != kAbsent) sum += value, ++present;
  }
  for (double& value : values) {
    if (value == kAbsent) value = sum / static_cast<double>(present);
  }
}

Sequence turned(const Sequence& sequence, size_t by) {
  Sequence result(sequence.begin() + static_cast<std::ptrdiff_t>(by), sequence.end());
  result.insert(result.end(), sequence.begin(), sequence.begin() + static_cast<std::ptrdiff_t>(by));
  return result;
}

size_t met(const std::vector<Aligned>& pairs) {
  return static_cast<size_t>(std::count_if(
      pairs.begin(), pairs.end(), [](const Aligned& p) { return p.a != kNone && p.b != kNone; }));
}

// How far `b` has to be turned, by the votes of the ops that each has once; 0 where none do.
size_t likely_turn(const Sequence& a, const Sequence& b) {
  std::unordered_map<NameId, std::pair<uint32_t, uint32_t>> in_a, in_b;  // times, last place
  for (uint32_t i = 0; i < a.size(); ++i) in_a[a[i]] = {in_a[a[i]].first + 1, i};
  for (uint32_t i = 0; i < b.size(); ++i) in_b[b[i]] = {in_b[b[i]].first + 1, i};
  std::map<size_t, size_t> votes;
  for (const auto& [key, place] : in_a) {
    const auto other = in_b.find(key);
    if (place.first != 1 || other == in_b.end() || other->second.first != 1) continue;
    // A shift by what one of them has more is no turn: votes are taken coarsely.
    ++votes[(other->second.second + b.size() - place.second % b.size()) % b.size()];
  }
  size_t best = 0, most = 0;
  for (const auto& [turn, count] : votes) {
    if (count > most) best = turn, most = count;
  }
  return best;
}

}  // namespace

std::string op_key(const Trace& trace, const Op& op) {
  if (op.kind == Kind::memset) return "fill";
  if (op.kind == Kind::memcpy)
    return copy_key(trace.details[op.detail < trace.details.size() ? op.detail : 0].copy_kind);
  return kernel_key(trace.names[op.name]);
}

IterationPattern pattern_of(const Trace& trace, const Figures& figures, const DeviceFigures& device,
                            std::span<const uint32_t> iterations) {
  IterationPattern pattern;
  const size_t n = iterations.size();
  if (n == 0) return pattern;
  Keys keys(trace, figures);
  const std::vector<uint32_t>& order = device.mined->order;
  std::vector<Sequence> sequences(n);
  for (size_t i = 0; i < n; ++i) {
    const Iteration& iteration = device.mined->iterations[iterations[i]];
    for (uint32_t at = iteration.first; at < iteration.last && at < order.size(); ++at) {
      const Op& op = trace.ops[order[at]];
      const NameId key = keys.of(op, pattern.ops);
      OpTally& tally = pattern.ops[key];
      tally.count.resize(n, 0);
      tally.ns.resize(n, 0);
      tally.count[i] += 1;
      tally.ns[i] += static_cast<double>(op.duration_ns);
      sequences[i].push_back(key);
    }
  }
  const Sequence& reference = sequences[reference_of(sequences)];
  std::vector<Position> positions(reference.size());
  std::vector<size_t> present(reference.size(), 0);
  for (size_t p = 0; p < positions.size(); ++p) {
    positions[p].op = reference[p];
    positions[p].ns.assign(n, kAbsent);
  }
  for (size_t i = 0; i < n; ++i) {
    const Iteration& iteration = device.mined->iterations[iterations[i]];
    for (const Aligned& pair : align(reference, sequences[i], kMostEdits)) {
      if (pair.a == kNone || pair.b == kNone) continue;
      ++present[pair.a];
      positions[pair.a].ns[i] =
          static_cast<double>(trace.ops[order[iteration.first + pair.b]].duration_ns);
    }
  }
  for (size_t p = 0; p < positions.size(); ++p) {
    if (2 * present[p] < n) continue;
    fill_absent(positions[p].ns);
    pattern.positions.push_back(std::move(positions[p]));
  }
  return pattern;
}

std::vector<Aligned> align_patterns(const IterationPattern& a, const IterationPattern& b) {
  std::unordered_map<std::string_view, NameId> ids;
  const auto sequence_of = [&](const IterationPattern& pattern) {
    Sequence sequence;
    for (const Position& position : pattern.positions) {
      sequence.push_back(
          ids.try_emplace(pattern.ops[position.op].key, static_cast<NameId>(ids.size()))
              .first->second);
    }
    return sequence;
  };
  const Sequence in_a = sequence_of(a), in_b = sequence_of(b);
  std::vector<Aligned> straight = align(in_a, in_b);
  const size_t turn = b.positions.empty() ? 0 : likely_turn(in_a, in_b);
  if (turn == 0) return straight;
  std::vector<Aligned> other = align(in_a, turned(in_b, turn));
  if (met(other) <= met(straight)) return straight;
  for (Aligned& pair : other) {
    if (pair.b != kNone) pair.b = static_cast<uint32_t>((pair.b + turn) % in_b.size());
  }
  return other;
}

}  // namespace deepprof
