#include "analysis/iterations/evidence.h"

#include <algorithm>

namespace deepprof {
namespace {

constexpr uint32_t kUpdateHole = 24;    // other symbols inside one optimizer run
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

std::vector<uint32_t> update_ends(const Sequence& sequence) {
  std::vector<Run> runs = runs_of(sequence, Hint::optimizer, kUpdateHole);
  drop_strays(runs);
  std::vector<uint32_t> ends;
  for (const Run& run : runs) {
    uint32_t end = run.last;
    while (end < sequence.size() && sequence.hint(end) == Hint::fill) ++end;  // zero_grad
    ends.push_back(end);
  }
  return ends;
}

// From launch to launch on the host, blocking calls included; on the device, from the end of all earlier
// ops to the start, where launches are not recorded.
std::vector<float> pauses(const Trace& trace, const Sequence& sequence) {
  const auto op_at = [&](uint32_t at) -> const Op& { return trace.ops[sequence.order[sequence.position(at)]]; };
  uint32_t known = 0;
  for (uint32_t at = 0; at < sequence.size(); ++at) known += op_at(at).launch != kNone;
  const bool on_host = known * 2 > sequence.size();

  std::vector<float> result(sequence.size(), 0);
  int64_t before = INT64_MAX;
  for (uint32_t at = 0; at < sequence.size(); ++at) {
    const Op& op = op_at(at);
    if (on_host && op.launch == kNone) continue;
    const int64_t begin = on_host ? trace.calls[op.launch].start_ns : op.start_ns;
    if (begin > before) result[at] = static_cast<float>(begin - before) / 1000;
    const int64_t end = on_host ? begin : op.end_ns();
    before = on_host || before == INT64_MAX ? end : std::max(before, end);
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
