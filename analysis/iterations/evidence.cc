#include "analysis/iterations/evidence.h"

#include <algorithm>

namespace deepprof {
namespace {

constexpr uint32_t kUpdateHole = 24;  // other symbols inside one optimizer run, at most
// of the string inside optimizer runs: more is a hole too wide
constexpr double kMostUpdating = 0.6;
constexpr uint32_t kCopyHole = 6;  // other symbols inside one run of copies
// of the other ops inside runs of copies: more is a hole too wide
constexpr double kMostInCopies = 0.5;
constexpr uint32_t kStrayHole = 3;    // ops between a run and a stray, at least
constexpr double kManyTimes = 4;      // the copies of a usual run, and
constexpr uint32_t kManyMore = 16;    // copies more: a result and something else (a checkpoint)
constexpr uint32_t kLongRow = 16;     // copies
constexpr double kMostlyRead = 0.5;   // of the ops are copies to the host
constexpr float kLeastPause_us = 15;  // shorter ones are the pace of launching
constexpr size_t kMostUnknownCopies = 8;
constexpr double kMostlyLaunched = 0.8;  // of the ops have their launch: else it is not recorded
constexpr uint32_t kJudgedOps = 10'000;
constexpr double kLeastUpdate = 0.3;  // of the usual run: smaller ones are strays

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

// Where symbols that may mark stand, those of other streams included.
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
    if (at < sequence.size() && may_mark(sequence.hint(at)))
      result.push_back({at, sequence.symbols[at]});
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

// Whether most distances are about the same: small runs that come evenly are another network's
// updates.
bool come_evenly(const std::vector<uint32_t>& at) {
  if (at.size() < 4) return false;
  std::vector<uint32_t> gaps;
  for (size_t i = 1; i < at.size(); ++i) gaps.push_back(at[i] - at[i - 1]);
  std::vector<uint32_t> sorted = gaps;
  std::sort(sorted.begin(), sorted.end());
  const double usual = sorted[sorted.size() / 2];
  const auto even = std::count_if(gaps.begin(), gaps.end(), [&](uint32_t gap) {
    return gap > 0.9 * usual && gap < 1.1 * usual;
  });
  return static_cast<double>(even) >= 0.7 * static_cast<double>(gaps.size());
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
  const auto is_small = [&](const Run& run) { return run.mass < kLeastUpdate * usual; };
  std::vector<uint32_t> small;
  for (const Run& run : runs) {
    if (is_small(run)) small.push_back(run.first);
  }
  if (!come_evenly(small)) std::erase_if(runs, is_small);
}

// A stray optimizer op near a run widens it: runs longer than usual lose the ops behind their end
// holes.
void trim(std::vector<Run>& runs) {
  if (runs.empty()) return;
  std::vector<uint32_t> spans;
  for (const Run& run : runs) spans.push_back(run.last - run.first);
  const auto middle = spans.begin() + static_cast<std::ptrdiff_t>(spans.size() / 2);
  std::nth_element(spans.begin(), middle, spans.end());
  const uint32_t longest = *middle + *middle / 10 + 2;
  for (Run& run : runs) {
    while (run.mass > 1 && run.last - run.first > longest) {
      const uint32_t front = run.at[1] - run.at[0],
                     back = run.at[run.mass - 1] - run.at[run.mass - 2];
      if (std::max(front, back) < kStrayHole) break;
      run.drop(front > back);
    }
  }
}

// Iterations may be shorter than the widest hole: narrow it until the runs leave room for other
// ops.
std::vector<Run> update_runs(const Sequence& sequence, const std::vector<Hinted>& ops) {
  for (uint32_t hole = kUpdateHole;; hole /= 2) {
    std::vector<Run> runs =
        runs_of(ops, hole, [&](uint32_t s) { return sequence.hints[s] == Hint::optimizer; });
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

// Runs of copies. Where copies take turns with the kernels, most of these would lie inside runs,
// and what interrupts them is chance: then each row of copies is a run of its own.
template <typename Wanted>
std::vector<Run> copy_runs(const Sequence& sequence, const std::vector<Hinted>& ops,
                           const Wanted& wanted) {
  std::vector<Run> runs = runs_of(ops, kCopyHole, wanted);
  double inside = 0, copies = 0;
  for (const Run& run : runs) {
    copies += run.mass;
    if (run.last - run.first > run.mass) inside += run.last - run.first - run.mass;
  }
  return inside <= kMostInCopies * (sequence.size() - copies) ? runs : runs_of(ops, 0, wanted);
}

uint32_t usual_mass(const std::vector<Run>& runs) {
  std::vector<uint32_t> masses;
  for (const Run& run : runs) masses.push_back(run.mass);
  const auto middle = masses.begin() + static_cast<std::ptrdiff_t>(masses.size() / 2);
  std::nth_element(masses.begin(), middle, masses.end());
  return *middle;
}

// Behind results that are read. Where far more than usual is copied, the usual result comes first.
std::vector<uint32_t> read_ends(const Sequence& sequence, const std::vector<Hinted>& ops) {
  const std::vector<Run> runs =
      copy_runs(sequence, ops, [&](uint32_t s) { return sequence.hints[s] == Hint::copy_to_host; });
  if (runs.empty()) return {};
  const uint32_t usual = usual_mass(runs);
  std::vector<uint32_t> ends;
  for (const Run& run : runs) {
    if (run.mass >= kManyTimes * usual + kManyMore)
      ends.push_back(std::min(run.at[usual - 1] + 1, sequence.size()));
    ends.push_back(std::min(run.last, sequence.size()));
  }
  return ends;
}

// The first of each run of copies; the other way round, the usual input comes last (behind the
// parameters).
std::vector<uint32_t> copy_begins(const std::vector<Run>& runs) {
  if (runs.empty()) return {};
  const uint32_t usual = usual_mass(runs);
  std::vector<uint32_t> begins;
  for (const Run& run : runs) {
    begins.push_back(run.first);
    if (run.mass >= kManyTimes * usual + kManyMore) begins.push_back(run.at[run.mass - usual]);
  }
  return begins;
}

// How long no CUDA call ran on the host before each call in [first, last) that launched an op of
// the sequence, in us: a host that waits inside CUDA follows the device and marks nothing.
class FreeTime {
 public:
  FreeTime(const Trace& trace, uint32_t first, uint32_t last)
      : trace_(trace), first_(first), launches_(last - first, false) {}

  void mark(uint32_t call) { launches_[call - first_] = true; }
  void measure() {
    free_us_.assign(launches_.size(), 0);
    const auto holes = holes_of(trace_, kNone);
    int64_t free_ns = 0, busy_until = INT64_MAX;
    for (size_t i = 0; i < launches_.size(); ++i) {
      const HostCall& call = trace_.calls[first_ + i];
      if (call.start_ns > busy_until && !touches_hole(holes, busy_until, call.start_ns))
        free_ns += call.start_ns - busy_until;
      busy_until = busy_until == INT64_MAX ? call.end_ns() : std::max(busy_until, call.end_ns());
      if (!launches_[i]) continue;
      free_us_[i] = static_cast<float>(free_ns) / 1000;
      free_ns = 0;
    }
  }
  float before(uint32_t call) const { return free_us_[call - first_]; }

 private:
  const Trace& trace_;
  uint32_t first_;
  std::vector<bool> launches_;
  std::vector<float> free_us_;
};

// Before the ops that these calls launched; kNone: not known.
std::vector<float> host_pauses(const Trace& trace, const std::vector<uint32_t>& launches) {
  uint32_t first = UINT32_MAX, last = 0;
  for (const uint32_t launch : launches) {
    if (launch != kNone) first = std::min(first, launch), last = std::max(last, launch + 1);
  }
  FreeTime free_time(trace, first, last);
  for (const uint32_t launch : launches) {
    if (launch != kNone) free_time.mark(launch);
  }
  free_time.measure();
  std::vector<float> result(launches.size(), 0);
  uint32_t before = kNone;  // the ops of one graph launch share their call
  for (size_t i = 0; i < launches.size(); ++i) {
    if (launches[i] == kNone) continue;
    if (launches[i] != before) result[i] = free_time.before(launches[i]);
    before = launches[i];
  }
  return result;
}

// The device's idle time before each op's start.
std::vector<float> device_pauses(const Trace& trace, const std::vector<uint32_t>& ops) {
  std::vector<float> result(ops.size(), 0);
  if (ops.empty()) return result;
  const auto holes = holes_of(trace, trace.ops[ops[0]].device);
  int64_t busy_until = INT64_MAX;
  for (size_t i = 0; i < ops.size(); ++i) {
    const Op& op = trace.ops[ops[i]];
    if (op.start_ns > busy_until && !touches_hole(holes, busy_until, op.start_ns))
      result[i] = static_cast<float>(op.start_ns - busy_until) / 1000;
    busy_until = busy_until == INT64_MAX ? op.end_ns() : std::max(busy_until, op.end_ns());
  }
  return result;
}

// The first symbol whose launch was recorded. Where many of those behind it have none either, a
// missing launch says nothing.
uint32_t recorded_from(const Trace& trace, const Sequence& sequence) {
  if (trace.calls.empty()) return 0;
  const auto launched = [&](uint32_t at) {
    return trace.ops[sequence.order[sequence.position(at)]].launch != kNone;
  };
  uint32_t first = 0;
  while (first < sequence.size() && !launched(first)) ++first;
  if (first == 0 || first == sequence.size()) return 0;
  uint32_t judged = 0, with_launch = 0;
  const uint32_t step = 1 + (sequence.size() - first) / kJudgedOps;
  for (uint32_t at = first; at < sequence.size(); at += step) ++judged, with_launch += launched(at);
  return with_launch >= kMostlyLaunched * judged ? first : 0;
}

// The longest `count` pauses of [first, last), from the longest on.
void for_longest(const Evidence& evidence, uint32_t first, uint32_t last, size_t count,
                 const auto& look) {
  size_t seen = 0;
  for (size_t i = 0; i < evidence.pauses.size() && seen < count; ++i) {
    const Pause& pause = evidence.pauses[i];
    if (pause.at < first || pause.at >= last) continue;
    look(pause);
    ++seen;
  }
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

size_t Evidence::updates_in(uint32_t first, uint32_t last) const {
  return updates() == nullptr ? 0 : within(updates()->at, first + 1, last + 1).size();
}

Evidence collect_evidence(const Trace& trace, const Sequence& sequence) {
  Evidence evidence;
  evidence.recorded_from = recorded_from(trace, sequence);
  const std::vector<Hinted> ops = hinted_ops(sequence);
  const auto add = [&](Sign sign, std::vector<uint32_t> at) {
    if (!at.empty()) evidence.signs.push_back({sign, std::move(at)});
  };
  const auto add_copies = [&](Sign sign, const auto& wanted) {
    add(sign, copy_begins(copy_runs(sequence, ops, wanted)));
  };
  const auto hint_is = [&](Hint hint) {
    return [&, hint](uint32_t symbol) { return sequence.hints[symbol] == hint; };
  };
  add(Sign::update, update_ends(sequence, ops));
  add_copies(Sign::feed, hint_is(Hint::copy_to_device));
  add_copies(Sign::scalar, hint_is(Hint::scalar_to_device));
  add(Sign::read_back, read_ends(sequence, ops));
  size_t unknown = 0;
  for (uint32_t symbol = 0; symbol < sequence.hints.size() && unknown < kMostUnknownCopies;
       ++symbol) {
    if (sequence.hints[symbol] != Hint::copy_unknown) continue;
    ++unknown;
    add_copies(Sign::copy, [&](uint32_t s) { return s == symbol; });
  }
  return evidence;
}

bool is_mostly_read(const Sequence& sequence, uint32_t first, uint32_t last) {
  uint32_t copies = 0;
  for (uint32_t at = first; at < last; ++at) copies += sequence.hint(at) == Hint::copy_to_host;
  return copies >= kMostlyRead * (last - first);
}

uint32_t copies_in_rows(const Sequence& sequence, uint32_t first, uint32_t last) {
  const auto is_copy = [&](uint32_t at) {
    const Hint hint = sequence.hint(at);
    return !is_kernel(hint) && hint != Hint::fill;
  };
  uint32_t sum = 0;
  for (uint32_t from = first; from + kLongRow <= last;) {
    // A long row that begins from here on reaches over this op or begins behind it.
    const uint32_t reached = from + kLongRow - 1;
    if (!is_copy(reached)) {
      from = reached + 1;
      continue;
    }
    uint32_t begin = reached, end = reached + 1;
    while (begin > from && is_copy(begin - 1)) --begin;
    while (end < last && is_copy(end)) ++end;
    if (end - begin >= kLongRow) sum += end - begin;
    from = end + 1;
  }
  return sum;
}

bool is_mostly_rows(const Sequence& sequence, uint32_t first, uint32_t last) {
  return 2 * copies_in_rows(sequence, first, last) > last - first;
}

CopyTime::CopyTime(const Trace& trace, const Sequence& sequence, uint32_t first, uint32_t last)
    : trace_(trace), sequence_(sequence), first_(sequence.position(first)) {
  Sums sums;
  const uint32_t end = sequence.position(last);
  for (uint32_t at = first_; at <= end; at += kBlock) {
    before_.push_back(sums);
    add(at, std::min(at + kBlock, end), sums);
  }
}

void CopyTime::add(uint32_t from, uint32_t to, Sums& sums) const {
  for (uint32_t at = from; at < to; ++at) {
    const Op& op = trace_.ops[sequence_.order[at]];
    sums.all_ns += static_cast<uint64_t>(op.duration_ns);
    if (op.kind != Kind::memcpy) continue;
    const uint32_t detail = op.detail < trace_.details.size() ? op.detail : 0;
    const CopyKind kind = trace_.details[detail].copy_kind;
    const bool in = kind == CopyKind::host_to_device || kind == CopyKind::unknown;
    if (in) sums.copies_ns += static_cast<uint64_t>(op.duration_ns);
  }
}

CopyTime::Sums CopyTime::before(uint32_t symbol) const {
  const uint32_t position = sequence_.position(symbol), block = (position - first_) / kBlock;
  Sums sums = before_[block];
  add(first_ + block * kBlock, position, sums);
  return sums;
}

double CopyTime::copied_in(uint32_t first, uint32_t last) const {
  const Sums from = before(first), to = before(last);
  const auto copies_ns = static_cast<int64_t>(to.copies_ns - from.copies_ns),
             all_ns = static_cast<int64_t>(to.all_ns - from.all_ns);
  return all_ns > 0 ? static_cast<double>(copies_ns) / static_cast<double>(all_ns) : 0;
}

void collect_pauses(const Trace& trace, const Sequence& sequence, uint32_t first, uint32_t last,
                    Evidence& evidence) {
  std::vector<uint32_t> ops, launches;
  ops.reserve(last - first);
  launches.reserve(last - first);
  size_t launched = 0;
  for (uint32_t at = first; at < last; ++at) {
    ops.push_back(sequence.order[sequence.position(at)]);
    launches.push_back(trace.ops[ops.back()].launch);
    launched += launches.back() != kNone;
  }
  const std::vector<float> pauses_us =
      launched * 2 > ops.size() ? host_pauses(trace, launches) : device_pauses(trace, ops);
  evidence.pauses.clear();
  evidence.all_pauses_us = 0;
  for (uint32_t i = 0; i < pauses_us.size(); ++i) {
    evidence.all_pauses_us += pauses_us[i];
    if (pauses_us[i] >= kLeastPause_us) evidence.pauses.push_back({first + i, pauses_us[i]});
  }
  // Every level asks for its longest: sorted once for all of them.
  std::sort(evidence.pauses.begin(), evidence.pauses.end(), [](const Pause& a, const Pause& b) {
    return a.us != b.us ? a.us > b.us : a.at < b.at;
  });
}

std::span<const uint32_t> within(const std::vector<uint32_t>& events, uint32_t first,
                                 uint32_t last) {
  const auto from = std::lower_bound(events.begin(), events.end(), first);
  return {from, std::lower_bound(from, events.end(), last)};
}

double longest_pauses_us(const Evidence& evidence, uint32_t first, uint32_t last, size_t count) {
  double sum = 0;
  for_longest(evidence, first, last, count, [&](const Pause& pause) { sum += pause.us; });
  return sum;
}

std::vector<uint32_t> longest_pauses(const Evidence& evidence, uint32_t first, uint32_t last,
                                     size_t count) {
  std::vector<uint32_t> at;
  for_longest(evidence, first, last, count, [&](const Pause& pause) { at.push_back(pause.at); });
  std::sort(at.begin(), at.end());
  return at;
}

}  // namespace deepprof
