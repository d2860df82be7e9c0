#include "analysis/iterations/mine.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "analysis/iterations/assemble.h"
#include "analysis/iterations/borders.h"
#include "analysis/iterations/confidence.h"
#include "analysis/iterations/cut_at_holes.h"
#include "analysis/iterations/cut_off.h"
#include "analysis/iterations/describe.h"
#include "analysis/iterations/nested.h"
#include "analysis/iterations/rests.h"
#include "analysis/iterations/search.h"
#include "analysis/iterations/sections.h"
#include "analysis/iterations/strange_ends.h"
#include "analysis/sequence/sequence.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

// at the peak: the ops, the order, the string, and what launch order needs
constexpr size_t kBytesPerOp = 28;
constexpr uint32_t kFewestOps = 8;  // shorter recordings repeat by chance

constexpr uint32_t kManyInRow = 8;  // launches of one kernel

// Shares of GPU time in the iterations, and the most confidence that an answer of less can have.
constexpr double kLittleTime = 0.1, kHalfTime = 0.5;
constexpr double kUncertain = 0.45, kFairlySure = 0.75;
constexpr double kMostly = 0.5;  // of the iterations
constexpr double kOneEach =
    0.5;  // optimizer runs in an iteration, at least: one in each but for noise

class Deadline {
 public:
  explicit Deadline(int64_t budget_ns) : budget_(budget_ns) {}
  bool passed() const {
    return budget_.count() > 0 && std::chrono::steady_clock::now() - begin_ > budget_;
  }

 private:
  std::chrono::nanoseconds budget_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// Of what was found, with what another way to find it says.
double sureness(const Sequence& sequence, const Found& found, DeviceMined& mined) {
  const double sure =
      found.confidence * weigh_second_opinion(sequence, found, mined.second_opinion);
  // However short, what the recording consists of is worth naming.
  return found.choice.exact ? std::max(sure, kLeastConfidence) : sure;
}

// Adds the iterations among what was left out; what then still is makes the answer less sure.
void add_rests(const Trace& trace, const Sequence& sequence, const Deadline& deadline, Found& found,
               DeviceMined& mined) {
  const auto covered = [&] { return by_coverage(sequence, found.tiles, 0, sequence.size()); };
  const double before = covered();
  const bool repeats = search_rests(
      trace, sequence, [&] { return deadline.passed(); }, found.tiles);
  if (repeats || ends_with_something_else(sequence, found.tiles))
    mined.confidence *= kOtherRepetition;
  mined.confidence *= covered() / before * by_gaps(sequence, found.tiles);
}

// However well it repeats: where the GPU spends its time in something else, that is the job.
double most_confidence(double coverage) {
  return coverage < kLittleTime ? kUncertain : coverage < kHalfTime ? kFairlySure : 1;
}

// Where no sign tells, what consists of layers is no layer itself. One pass may hold layers that
// consist of equal parts (experts, steps of a recurrent net): it has a little else around them.
bool consists_of_layers(const Sequence& sequence, const Found& found) {
  const Weighed& chosen = *found.chosen();
  if (chosen.framed && chosen.coverage * (static_cast<double>(found.tiles.size()) + 1) >
                           static_cast<double>(found.tiles.size()))
    return false;
  return holds_layers(find_nested(sequence, found.tiles), usual_length(found.tiles));
}

// Those of the usual iterations; all where there is none.
std::vector<Tile> usual_tiles(const std::vector<Stretch>& stretches) {
  std::vector<Tile> all, usual;
  for (const Stretch& stretch : stretches) {
    std::vector<Tile>& of = is_usual(stretch.kind) ? usual : all;
    of.insert(of.end(), stretch.tiles.begin(), stretch.tiles.end());
  }
  return usual.empty() ? all : usual;
}

// The answer that the tiles are the iterations, or else a block that repeats.
void name_tiles(const Trace& trace, const Sequence& sequence, const Evidence& evidence,
                Found& found, DeviceMined& mined) {
  const double count = by_count(found.tiles.size());
  drop_cut_off(trace, sequence, found.tiles);
  drop_strange_ends(sequence, evidence, found.iterations, found.tiles);
  // The answer stands, however few repetitions of it are whole.
  mined.confidence =
      std::max(kLeastConfidence, mined.confidence * by_count(found.tiles.size()) / count);
  cut_at_holes(trace, sequence, found.tiles);
  std::vector<Stretch> stretches = make_sections(trace, sequence, evidence, found.tiles);
  settle_borders(trace, sequence, stretches);
  assemble(trace, sequence, stretches, mined);
  if (mined.coverage <= 0) found.iterations = false;  // what takes no time is no iteration
  mined.confidence = std::min(mined.confidence, most_confidence(mined.coverage));
  // Without an optimizer, only that they resemble each other shows that they are of one kind.
  if (found.chosen()->updates < kOneEach && share_far_from_usual(mined) > kMostly)
    mined.confidence = std::min(mined.confidence, kUncertain);
  mined.verdict = found.iterations ? Verdict::iteration : Verdict::repeating_block;
  mined.levels = describe_levels(found);
  mined.nested = find_nested(sequence, usual_tiles(stretches));
  mined.cycle = found.chosen()->cycle.lag;
  mined.decided_by = describe_decision(evidence, found);
}

// Why nothing was found where the choice does not tell: what launches a kernel over and over repeats
// it, though nothing shows a group of launches.
std::string why_nothing_repeats(const Sequence& sequence) {
  uint32_t longest = 0, in_rows = 0;
  for (uint32_t first = 0, last = 0; first < sequence.size(); first = last) {
    while (last < sequence.size() && sequence.symbols[last] == sequence.symbols[first]) ++last;
    if (last - first < kManyInRow || !is_kernel(sequence.hint(first))) continue;
    longest = std::max(longest, last - first);
    in_rows += last - first;
  }
  if (2 * size_t{in_rows} <= sequence.size()) return "nothing repeats over the recording";
  return format_text("one kernel runs %u times in a row, and no group of ops repeats", longest);
}

void answer(const Trace& trace, const Sequence& sequence, const Deadline& deadline,
            DeviceMined& mined) {
  if (sequence.size() < kFewestOps) {
    mined.reason = "too few GPU ops to repeat";
    return;
  }
  Evidence evidence = collect_evidence(trace, sequence);
  if (deadline.passed()) {
    mined.reason = "the time for the search ran out";
    return;
  }
  Found found = search(trace, sequence, evidence, 0, sequence.size());
  if (found.choice.index < 0 || found.tiles.size() < 2) {
    mined.reason =
        found.choice.reason.empty() ? why_nothing_repeats(sequence) : found.choice.reason;
    return;
  }
  mined.confidence = sureness(sequence, found, mined);
  if (!found.iterations && consists_of_layers(sequence, found)) {
    found.iterations = true;
    found.choice.decided_by += ", which consists of layers";
    mined.confidence = std::min(mined.confidence, kFairlySure);
  }
  if (found.iterations && mined.confidence >= kLeastConfidence)
    add_rests(trace, sequence, deadline, found, mined);
  if (mined.confidence < kLeastConfidence) {
    mined.reason = format_text("the best pattern, %.0f ops, explains too little",
                               found.chosen()->level.length);
    mined.confidence = 0;
    mined.second_opinion.clear();
    return;
  }
  name_tiles(trace, sequence, evidence, found, mined);
}

// Behind a hole that lasts to the end there may be ops, but not all: what they look like is chance.
void leave_out_tail(const Trace& trace, uint16_t device, std::vector<uint32_t>& ops) {
  const auto holes = holes_of(trace, device);
  if (holes.empty()) return;
  const Hole& last = holes.back();
  const bool to_the_end = std::all_of(
      ops.begin(), ops.end(), [&](uint32_t op) { return trace.ops[op].end_ns() <= last.end_ns; });
  if (!to_the_end) return;
  const auto tail = std::partition_point(
      ops.begin(), ops.end(), [&](uint32_t op) { return trace.ops[op].start_ns < last.start_ns; });
  ops.erase(tail, ops.end());
}

DeviceMined mine_device(const Trace& trace, uint16_t device, std::vector<uint32_t> ops,
                        const MineOptions& options) {
  const Deadline deadline(options.time_budget_ns);
  DeviceMined mined;
  mined.device = device;
  leave_out_tail(trace, device, ops);
  if (options.memory_budget_bytes > 0 && ops.size() * kBytesPerOp > options.memory_budget_bytes) {
    mined.reason = format_text("%zu GPU ops need more than the %zu MiB allowed for the search",
                               ops.size(), options.memory_budget_bytes >> 20);
    return mined;
  }
  Sequence sequence = make_sequence(trace, device, options.use_names, std::move(ops));
  mined.launch_order = sequence.launch_order;
  answer(trace, sequence, deadline, mined);
  mined.order = std::move(sequence.order);
  return mined;
}

}  // namespace

Mined mine(const Trace& trace, const MineOptions& options) {
  Mined mined;
  std::vector<std::vector<uint32_t>> ops = ops_by_device(trace);
  for (size_t device = 0; device < ops.size(); ++device) {
    if (ops[device].empty()) continue;
    mined.devices.push_back(
        mine_device(trace, static_cast<uint16_t>(device), std::move(ops[device]), options));
  }
  return mined;
}

}  // namespace deepprof
