#include "analysis/iterations/evidence.h"

#include <algorithm>

namespace deepprof {
namespace {

constexpr uint32_t kUpdateHole = 24;    // other symbols inside one optimizer run, at most
constexpr double kMostUpdating = 0.6;   // of the string inside optimizer runs: more is a hole too wide
constexpr uint32_t kCopyHole = 6;       // other symbols inside one run of copies
constexpr double kLeastUpdate = 0.3;    // of the usual run: smaller ones are strays

struct Run {
  uint32_t first = 0, last = 0, mass = 0;
};

// Runs of symbols with a hint, holes up to `hole` allowed.
std::vector<Run> runs_of(const Sequence& sequence, Hint hint, uint32_t hole) {
  std::vector<Run> runs;
  for (uint32_t at = 0; at < sequence.size(); ++at) {
    if (sequence.hint(at) != hint) continue;
    if (!runs.empty() && at - runs.back().last <= hole) {
      runs.back().last = at + 1;
      ++runs.back().mass;
    } else {
      runs.push_back({at, at + 1, 1});
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

// Iterations may be shorter than the widest hole: narrow it until the runs leave room for other ops.
std::vector<Run> update_runs(const Sequence& sequence) {
  for (uint32_t hole = kUpdateHole;; hole /= 2) {
    std::vector<Run> runs = runs_of(sequence, Hint::optimizer, hole);
    double inside = 0;
    for (const Run& run : runs) inside += run.last - run.first;
    if (hole == 0 || inside <= kMostUpdating * sequence.size()) return runs;
  }
}

std::vector<uint32_t> update_ends(const Sequence& sequence) {
  std::vector<Run> runs = update_runs(sequence);
  drop_strays(runs);
  std::vector<uint32_t> ends;
  for (const Run& run : runs) {
    uint32_t end = run.last;
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

Evidence collect_evidence(const Trace& trace, const Sequence& sequence) {
  Evidence evidence;
  evidence.update_ends = update_ends(sequence);
  for (const Run& run : runs_of(sequence, Hint::copy_to_device, kCopyHole)) evidence.feeds.push_back(run.first);
  for (const Run& run : runs_of(sequence, Hint::copy_to_host, kCopyHole)) evidence.read_backs.push_back(run.last);
  evidence.pause_us = pauses(trace, sequence);
  return evidence;
}

std::vector<uint32_t> longest_pauses(const Evidence& evidence, uint32_t first, uint32_t last, size_t count,
                                     float least_us) {
  std::vector<uint32_t> at;
  for (uint32_t i = first; i < last; ++i) {
    if (evidence.pause_us[i] >= least_us) at.push_back(i);
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
