#include "analysis/iterations/evidence.h"

#include <algorithm>

namespace deepprof {
namespace {

constexpr uint32_t kUpdateHole = 24;    // other symbols inside one optimizer run, at most
constexpr double kMostUpdating = 0.6;   // of the string inside optimizer runs: more is a hole too wide
constexpr uint32_t kCopyHole = 6;       // other symbols inside one run of copies
constexpr uint32_t kStrayHole = 3;      // ops between a run and a stray, at least
constexpr float kLeastPause_us = 15;    // shorter ones are the pace of launching
constexpr size_t kMostUnknownCopies = 8;
constexpr double kLeastUpdate = 0.3;    // of the usual run: smaller ones are strays

struct Run {
  uint32_t first = 0, last = 0, mass = 0;
  std::vector<uint32_t> at;  // of its ops

  void add(uint32_t op) {
    if (at.empty()) first = op;
    last = op + 1;
    ++mass;
    at.push_back(op);
  }
  // Without its first (or last) op.
  void drop(bool front) {
    if (front) at.erase(at.begin());
    else at.pop_back();
    first = at.front();
    last = at.back() + 1;
    --mass;
  }
};

// Where symbols with a hint stand, those of other streams included.
struct Hinted {
  uint32_t at, symbol;
};

std::vector<Hinted> hinted_ops(const Sequence& sequence) {
  std::vector<Hinted> result;
  size_t side = 0;
  for (uint32_t at = 0; at <= sequence.size(); ++at) {
    for (; side < sequence.side.size() && sequence.side[side].before == at; ++side) {
      result.push_back({at, sequence.side[side].symbol});
    }
    if (at < sequence.size() && sequence.hint(at) != Hint::none) result.push_back({at, sequence.symbols[at]});
  }
  return result;
}

// Runs of the hinted ops that `wanted` picks, holes up to `hole` allowed.
template <typename Wanted>
std::vector<Run> runs_of(const std::vector<Hinted>& ops, uint32_t hole, const Wanted& wanted) {
  std::vector<Run> runs;
  for (const Hinted& op : ops) {
    if (!wanted(op.symbol)) continue;
    if (!runs.empty() && op.at - std::min(op.at, runs.back().last) <= hole) {
      runs.back().add(op.at);
    } else {
      runs.emplace_back().add(op.at);
    }
  }
  return runs;
}

void drop_strays(std::vector<Run>& runs) {
  if (runs.empty()) return;
  // The usual mass by ops, not by runs: strays may be many but are small.
  std::vector<uint32_t> masses;
  uint64_t total = 0, sum = 0;
  for (const Run& run : runs) masses.push_back(run.mass), total += run.mass;
  std::sort(masses.begin(), masses.end());
  uint32_t usual = masses.back();
  for (const uint32_t mass : masses) {
    sum += mass;
    if (sum * 2 >= total) {
      usual = mass;
      break;
    }
  }
  std::erase_if(runs, [&](const Run& run) { return run.mass < kLeastUpdate * usual; });
}

// A stray optimizer op near a run widens it: runs longer than usual lose the ops behind their end holes.
void trim(std::vector<Run>& runs) {
  if (runs.empty()) return;
  std::vector<uint32_t> spans;
  for (const Run& run : runs) spans.push_back(run.last - run.first);
  const auto middle = spans.begin() + static_cast<std::ptrdiff_t>(spans.size() / 2);
  std::nth_element(spans.begin(), middle, spans.end());
  const uint32_t longest = *middle + *middle / 10 + 2;
  for (Run& run : runs) {
    while (run.mass > 1 && run.last - run.first > longest) {
      const uint32_t front = run.at[1] - run.at[0], back = run.at[run.mass - 1] - run.at[run.mass - 2];
      if (std::max(front, back) < kStrayHole) break;
      run.drop(front > back);
    }
  }
}

// Iterations may be shorter than the widest hole: narrow it until the runs leave room for other ops.
std::vector<Run> update_runs(const Sequence& sequence, const std::vector<Hinted>& ops) {
  for (uint32_t hole = kUpdateHole;; hole /= 2) {
    std::vector<Run> runs = runs_of(ops, hole, [&](uint32_t s) { return sequence.hints[s] == Hint::optimizer; });
    double inside = 0;
    for (const Run& run : runs) inside += run.last - run.first;
    if (hole == 0 || inside <= kMostUpdating * sequence.size()) return runs;
  }
}

std::vector<uint32_t> update_ends(const Sequence& sequence, const std::vector<Hinted>& ops) {
  std::vector<Run> runs = update_runs(sequence, ops);
  drop_strays(runs);
  trim(runs);
  std::vector<uint32_t> ends;
  for (const Run& run : runs) {
    uint32_t end = std::min(run.last, sequence.size());
    while (end < sequence.size() && sequence.hint(end) == Hint::fill) ++end;  // zero_grad
    ends.push_back(end);
  }
  return ends;
}

// How long no CUDA call ran on the host before each call that launched an op of the sequence, in us, by
// index into Trace::calls: a host that waits inside CUDA follows the device and marks nothing.
std::vector<float> free_before_launch(const Trace& trace, const Sequence& sequence) {
  std::vector<bool> launches(trace.calls.size(), false);
  for (const uint32_t op : sequence.order) {
    if (trace.ops[op].launch != kNone) launches[trace.ops[op].launch] = true;
  }
  std::vector<float> result(trace.calls.size(), 0);
  int64_t free_ns = 0, busy_until = INT64_MAX;
  for (size_t i = 0; i < trace.calls.size(); ++i) {
    const HostCall& call = trace.calls[i];
    if (call.start_ns > busy_until) free_ns += call.start_ns - busy_until;
    busy_until = busy_until == INT64_MAX ? call.end_ns() : std::max(busy_until, call.end_ns());
    if (!launches[i]) continue;
    result[i] = static_cast<float>(free_ns) / 1000;
    free_ns = 0;
  }
  return result;
}

// Before each symbol: the host's free time before its launch; where launches are not recorded, the
// device's idle time before its start.
std::vector<float> pauses(const Trace& trace, const Sequence& sequence) {
  const auto op_at = [&](uint32_t at) -> const Op& { return trace.ops[sequence.order[sequence.position(at)]]; };
  uint32_t known = 0;
  for (uint32_t at = 0; at < sequence.size(); ++at) known += op_at(at).launch != kNone;

  std::vector<float> result(sequence.size(), 0);
  if (known * 2 > sequence.size()) {
    const std::vector<float> free_us = free_before_launch(trace, sequence);
    uint32_t last = kNone;  // the ops of one graph launch share their call
    for (uint32_t at = 0; at < sequence.size(); ++at) {
      const uint32_t launch = op_at(at).launch;
      if (launch != kNone && launch != last) result[at] = free_us[launch];
      if (launch != kNone) last = launch;
    }
    return result;
  }
  int64_t busy_until = INT64_MAX;
  for (uint32_t at = 0; at < sequence.size(); ++at) {
    const Op& op = op_at(at);
    if (op.start_ns > busy_until) result[at] = static_cast<float>(op.start_ns - busy_until) / 1000;
    busy_until = busy_until == INT64_MAX ? op.end_ns() : std::max(busy_until, op.end_ns());
  }
  return result;
}

}  // namespace

const char* sign_words(Sign sign) {
  switch (sign) {
    case Sign::update: return "an optimizer run";
    case Sign::feed: return "an input copy";
    case Sign::scalar: return "a scalar copied in";
    case Sign::read_back: return "a result read back";
    case Sign::copy: return "a copy";
    case Sign::pause: return "a pause of the host";
  }
  return "";
}

Evidence collect_evidence(const Trace& trace, const Sequence& sequence) {
  Evidence evidence;
  const std::vector<Hinted> ops = hinted_ops(sequence);
  const auto add = [&](Sign sign, std::vector<uint32_t> at) {
    if (!at.empty()) evidence.signs.push_back({sign, std::move(at)});
  };
  const auto add_copies = [&](Sign sign, const auto& wanted) {
    std::vector<uint32_t> at;
    for (const Run& run : runs_of(ops, kCopyHole, wanted)) {
      at.push_back(std::min(sign == Sign::read_back ? run.last : run.first, sequence.size()));
    }
    add(sign, std::move(at));
  };
  const auto hint_is = [&](Hint hint) { return [&, hint](uint32_t symbol) { return sequence.hints[symbol] == hint; }; };
  add(Sign::update, update_ends(sequence, ops));
  add_copies(Sign::feed, hint_is(Hint::copy_to_device));
  add_copies(Sign::scalar, hint_is(Hint::scalar_to_device));
  add_copies(Sign::read_back, hint_is(Hint::copy_to_host));
  size_t unknown = 0;
  for (uint32_t symbol = 0; symbol < sequence.hints.size() && unknown < kMostUnknownCopies; ++symbol) {
    if (sequence.hints[symbol] != Hint::copy_unknown) continue;
    ++unknown;
    add_copies(Sign::copy, [&](uint32_t s) { return s == symbol; });
  }
  evidence.pause_us = pauses(trace, sequence);
  return evidence;
}

std::span<const uint32_t> within(const std::vector<uint32_t>& events, uint32_t first, uint32_t last) {
  const auto from = std::lower_bound(events.begin(), events.end(), first);
  return {from, std::lower_bound(from, events.end(), last)};
}

std::vector<uint32_t> longest_pauses(const Evidence& evidence, uint32_t first, uint32_t last, size_t count) {
  std::vector<uint32_t> at;
  for (uint32_t i = first; i < last; ++i) {
    if (evidence.pause_us[i] >= kLeastPause_us) at.push_back(i);
  }
  if (at.size() > count) {
    std::nth_element(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(count), at.end(), [&](uint32_t a, uint32_t b) {
      return evidence.pause_us[a] != evidence.pause_us[b] ? evidence.pause_us[a] > evidence.pause_us[b] : a < b;
    });
    at.resize(count);
    std::sort(at.begin(), at.end());
  }
  return at;
}

}  // namespace deepprof
