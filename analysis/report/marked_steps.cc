#include "analysis/report/marked_steps.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <string_view>
#include <unordered_map>

#include "analysis/device/steps.h"
#include "libdeepprof/upper_median.h"

namespace deepprof {
namespace {

// What a range's name and source make it, best first.
enum class MarkRank : uint8_t { step, named_step, optimizer_step, repeated, none };

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_letter(char c) { return is_lower(c) || (c >= 'A' && c <= 'Z'); }

std::string lowered(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

// "train_step", "TrainStep 5", "iteration 7", but no "timesteps" and no "iterator".
bool has_step_word(std::string_view name) {
  const std::string lower = lowered(name);
  for (const std::string_view word : {"step", "iteration", "iter"}) {
    for (size_t at = lower.find(word); at != std::string::npos; at = lower.find(word, at + 1)) {
      const size_t end = at + word.size();
      const bool begins = at == 0 || !is_letter(name[at - 1]) || !is_lower(name[at]);
      const bool ends = end == name.size() || !is_lower(name[end]);
      if (begins && ends) return true;
    }
  }
  return false;
}

// What has "step" in its name and is a part of one.
bool is_part_of_step(std::string_view name) {
  const std::string lower = lowered(name);
  for (const std::string_view word : {"optim", "sched", "loader", "zero_grad", "aten::"}) {
    if (lower.find(word) != std::string::npos) return true;
  }
  return false;
}

MarkRank rank_of(RangeSource source, std::string_view name) {
  if (source == RangeSource::step) return MarkRank::step;
  if (source != RangeSource::annotation && source != RangeSource::nvtx) return MarkRank::none;
  if (name.substr(0, 15) == "Optimizer.step#") return MarkRank::optimizer_step;
  if (is_part_of_step(name)) return MarkRank::none;
  return has_step_word(name) ? MarkRank::named_step : MarkRank::repeated;
}

// "ProfilerStep#12" -> "ProfilerStep#N": steps are told apart by the number at their name's end.
std::string marker_of(std::string_view name) {
  size_t end = name.size();
  while (end > 0 && !is_digit(name[end - 1]) && !is_letter(name[end - 1])) --end;
  size_t begin = end;
  while (begin > 0 && is_digit(name[begin - 1])) --begin;
  if (begin == end) return std::string(name);
  return std::string(name.substr(0, begin)) + "N" + std::string(name.substr(end));
}

// The ranges of one marker.
struct Family {
  MarkRank rank = MarkRank::none;
  std::string marker;
  uint64_t count = 0;
  int64_t total_ns = 0;
};

constexpr uint32_t kFewestRepeated = 3;  // ranges of a name that says nothing of steps

bool is_better(const Family& a, const Family& b) {
  // One mark alone says where a profiler was stepped, not where steps are.
  if ((a.count > 1) != (b.count > 1)) return a.count > 1;
  if (a.rank != b.rank) return a.rank < b.rank;
  return a.total_ns > b.total_ns;
}

// The family of each (source, name), found once for a name.
class Families {
 public:
  explicit Families(const Trace& trace) : trace_(trace) {
    for (const Range& range : trace.ranges) {
      const uint32_t family = family_of(range);
      if (family == kNone) continue;
      ++families_[family].count;
      families_[family].total_ns += range.duration_ns;
    }
  }

  uint32_t family_of(const Range& range) {
    auto& of_name = of_name_[static_cast<size_t>(range.source)];
    if (of_name.empty()) of_name.assign(trace_.names.size(), kUnknown);
    if (range.name >= of_name.size()) return kNone;
    uint32_t& known = of_name[range.name];
    if (known == kUnknown) known = make(range);
    return known;
  }

  // kNone: there is none.
  uint32_t best() const {
    uint32_t best = kNone;
    for (uint32_t i = 0; i < families_.size(); ++i) {
      const Family& family = families_[i];
      if (family.rank == MarkRank::repeated && family.count < kFewestRepeated) continue;
      if (best == kNone || is_better(family, families_[best])) best = i;
    }
    return best;
  }
  const Family& operator[](uint32_t index) const { return families_[index]; }

 private:
  static constexpr uint32_t kUnknown = kNone - 1;

  uint32_t make(const Range& range) {
    const std::string_view name = trace_.names[range.name];
    const MarkRank rank = rank_of(range.source, name);
    if (rank == MarkRank::none) return kNone;
    const bool numbered = rank != MarkRank::optimizer_step;
    const std::string marker = numbered ? marker_of(name) : std::string(name);
    const auto [found, added] =
        by_marker_.try_emplace(marker, static_cast<uint32_t>(families_.size()));
    if (added) families_.push_back({rank, marker});
    return found->second;
  }

  const Trace& trace_;
  std::vector<Family> families_;
  std::unordered_map<std::string, uint32_t> by_marker_;
  std::array<std::vector<uint32_t>, kRangeSources> of_name_;
};

// A step reaches from the end of one optimizer step to the end of the next.
void between_ends(std::vector<Mark>& marks) {
  std::sort(marks.begin(), marks.end(),
            [](const Mark& a, const Mark& b) { return a.end_ns < b.end_ns; });
  int64_t begin_ns = std::numeric_limits<int64_t>::min();
  for (Mark& mark : marks) {
    mark.start_ns = begin_ns;
    begin_ns = mark.end_ns;
  }
}

std::vector<StepMarks::OfProcess> marks_of(const Trace& trace, Families& families,
                                           uint32_t chosen) {
  std::map<std::pair<uint32_t, uint32_t>, std::vector<Mark>> by_thread;  // (pid, thread)
  for (const Range& range : trace.ranges) {
    if (families.family_of(range) != chosen) continue;
    const uint32_t pid = range.thread < trace.threads.size() ? trace.threads[range.thread].pid : 0;
    by_thread[{pid, range.thread}].push_back({range.start_ns, range.end_ns(), range.name});
  }
  std::vector<StepMarks::OfProcess> processes;
  for (auto& [thread, marks] : by_thread) {
    if (processes.empty() || processes.back().pid != thread.first)
      processes.push_back({thread.first, {}});
    if (marks.size() > processes.back().marks.size()) processes.back().marks = std::move(marks);
  }
  if (families[chosen].rank == MarkRank::optimizer_step) {
    for (StepMarks::OfProcess& process : processes) between_ends(process.marks);
  }
  return processes;
}

// Optimizer steps that our own recorder was told of: samples at their ends.
StepMarks sampled_marks(const Trace& trace) {
  StepMarks result;
  const Steps steps = find_steps(SampleIndex(trace));
  if (steps.windows.empty()) return result;
  result.marker = "optimizer steps told by the framework";
  std::vector<Mark> marks{{0, steps.windows.front().start_ns, 0}};
  for (const Window& window : steps.windows) marks.push_back({0, window.end_ns, 0});
  between_ends(marks);
  result.processes.push_back({trace.process.pid, std::move(marks)});
  return result;
}

// The step in which something on the host began.
class StepOfTime {
 public:
  StepOfTime(const Trace& trace, const StepMarks& marks) : trace_(trace) {
    for (const StepMarks::OfProcess& process : marks.processes) {
      firsts_.push_back(static_cast<uint32_t>(marks_.size()));
      marks_.insert(marks_.end(), process.marks.begin(), process.marks.end());
      ends_.push_back(static_cast<uint32_t>(marks_.size()));
      pids_.push_back(process.pid);
    }
  }

  size_t size() const { return marks_.size(); }
  const Mark& operator[](uint32_t step) const { return marks_[step]; }

  // kNone: in none, or its launch is not known.
  uint32_t of_op(const Op& op) const {
    if (op.launch == kNone) return kNone;
    const HostCall& call = trace_.calls[op.launch];
    for (size_t process = 0; process < pids_.size(); ++process) {
      if (pids_.size() > 1 && pids_[process] != pid_of(call)) continue;
      const auto first = marks_.begin() + firsts_[process], end = marks_.begin() + ends_[process];
      const auto behind =
          std::upper_bound(first, end, call.start_ns,
                           [](int64_t at, const Mark& mark) { return at < mark.start_ns; });
      if (behind != first && call.start_ns < std::prev(behind)->end_ns)
        return static_cast<uint32_t>(std::prev(behind) - marks_.begin());
    }
    return kNone;
  }

 private:
  uint32_t pid_of(const HostCall& call) const {
    return call.thread < trace_.threads.size() ? trace_.threads[call.thread].pid : 0;
  }

  const Trace& trace_;
  std::vector<Mark> marks_;
  std::vector<uint32_t> firsts_, ends_, pids_;  // by process
};

// What each step launched on the device.
struct StepWork {
  uint32_t ops = 0;
  int64_t start_ns = std::numeric_limits<int64_t>::max();  // of the first op on the main stream
  uint32_t iterations = 0;                                 // most of whose ops are its own
};

uint32_t main_stream_of(const Trace& trace, std::span<const uint32_t> ops) {
  std::map<uint32_t, uint64_t> counts;
  for (const uint32_t index : ops) ++counts[trace.ops[index].stream];
  const auto most =
      std::max_element(counts.begin(), counts.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == counts.end() ? kNone : most->first;
}

// Compares iterations with steps, one iteration at a time.
class Beside {
 public:
  Beside(const Trace& trace, const StepOfTime& step_of, std::vector<StepWork>& work,
         const DeviceMined& mined, MarkedSteps& result)
      : trace_(trace), step_of_(step_of), work_(work), mined_(mined), result_(result) {}

  void compare() {
    result_.step_of_iteration.resize(mined_.iterations.size());
    for (size_t i = 0; i < mined_.iterations.size(); ++i) compare(i);
    result_.per_iteration = upper_median(steps_in_);
    std::vector<uint32_t> iterations_in;
    for (const StepWork& step : work_) {
      if (step.ops > 0) iterations_in.push_back(step.iterations);
    }
    result_.per_step = upper_median(iterations_in);
    result_.shift_ns = static_cast<int64_t>(upper_median(shifts_));
    for (const int64_t shift : shifts_)
      result_.farthest_ns = std::max(result_.farthest_ns, shift < 0 ? -shift : shift);
  }

 private:
  void compare(size_t index) {
    const Iteration& iteration = mined_.iterations[index];
    std::map<uint32_t, uint32_t> ops_of_step;
    for (uint32_t at = iteration.first; at < iteration.last && at < mined_.order.size(); ++at)
      ++ops_of_step[step_of_.of_op(trace_.ops[mined_.order[at]])];
    const uint32_t ops = iteration.last - iteration.first;
    uint32_t steps = 0;  // that lie in it for the most part
    for (const auto& [step, count] : ops_of_step) {
      const bool is_most_of_iteration = 2 * count > ops;
      if (step == kNone) {
        result_.outside += is_most_of_iteration && !iteration.partial;
        continue;
      }
      const bool is_most_of_step = 2 * count > work_[step].ops;
      steps += is_most_of_step;
      work_[step].iterations += is_most_of_iteration;
      if (is_most_of_iteration && is_most_of_step) match(index, step);
    }
    if (!iteration.partial) steps_in_.push_back(steps);
  }

  void match(size_t index, uint32_t step) {
    ++result_.matched;
    result_.step_of_iteration[index] = trace_.names[step_of_[step].name];
    const Iteration& iteration = mined_.iterations[index];
    const bool has_start = work_[step].start_ns != std::numeric_limits<int64_t>::max();
    if (!iteration.partial && has_start)
      shifts_.push_back(iteration.start_ns - work_[step].start_ns);
  }

  const Trace& trace_;
  const StepOfTime& step_of_;
  std::vector<StepWork>& work_;
  const DeviceMined& mined_;
  MarkedSteps& result_;
  std::vector<int64_t> shifts_;
  std::vector<uint32_t> steps_in_;
};

MarksVerdict judge(const MarkedSteps& marked) {
  if (marked.matched == marked.steps) return MarksVerdict::match;
  if (marked.per_step >= 2) return MarksVerdict::several_in_a_step;
  if (marked.per_iteration >= 2) return MarksVerdict::several_steps_in_one;
  return MarksVerdict::differ;
}

}  // namespace

const char* marks_verdict_name(MarksVerdict verdict) {
  switch (verdict) {
    case MarksVerdict::none: return "none";
    case MarksVerdict::no_iterations: return "no iterations found";
    case MarksVerdict::match: return "match";
    case MarksVerdict::differ: return "differ";
    case MarksVerdict::several_in_a_step: return "several iterations in a step";
    case MarksVerdict::several_steps_in_one: return "several steps in an iteration";
  }
  return "none";
}

StepMarks find_step_marks(const Trace& trace) {
  Families families(trace);
  const uint32_t chosen = families.best();
  const bool is_repeated = chosen != kNone && families[chosen].rank == MarkRank::repeated;
  if (chosen == kNone || is_repeated) {
    if (StepMarks sampled = sampled_marks(trace); !sampled.marker.empty()) return sampled;
  }
  if (chosen == kNone) return {};
  return {families[chosen].marker, is_repeated, marks_of(trace, families, chosen)};
}

MarkedSteps set_beside(const Trace& trace, const StepMarks& marks, std::span<const uint32_t> ops,
                       const DeviceMined* mined) {
  MarkedSteps result;
  if (marks.marker.empty()) return result;
  result.marker = marks.marker;
  result.by_repetition = marks.by_repetition;
  const StepOfTime step_of(trace, marks);
  const uint32_t main_stream = main_stream_of(trace, ops);
  std::vector<StepWork> work(step_of.size());
  uint64_t in_steps = 0, launched = 0;
  for (const uint32_t index : ops) {
    const Op& op = trace.ops[index];
    launched += op.launch != kNone;
    const uint32_t step = step_of.of_op(op);
    if (step == kNone) continue;
    ++in_steps;
    ++work[step].ops;
    if (op.stream == main_stream) work[step].start_ns = std::min(work[step].start_ns, op.start_ns);
  }
  if (in_steps == 0 || (marks.by_repetition && 2 * in_steps <= launched)) return result;

  std::vector<int64_t> starts, distances;
  for (const StepWork& step : work) {
    result.steps += step.ops > 0;
    if (step.start_ns != std::numeric_limits<int64_t>::max()) starts.push_back(step.start_ns);
  }
  std::sort(starts.begin(), starts.end());
  for (size_t i = 1; i < starts.size(); ++i) distances.push_back(starts[i] - starts[i - 1]);
  result.median_ns = static_cast<int64_t>(upper_median(distances));
  if (mined == nullptr || mined->iterations.empty()) {
    if (!marks.by_repetition) result.verdict = MarksVerdict::no_iterations;
    return result;
  }
  Beside(trace, step_of, work, *mined, result).compare();
  result.verdict = judge(result);
  // Names that do not speak of steps may mark anything: only their agreement says something.
  if (marks.by_repetition && result.verdict != MarksVerdict::match) return {};
  return result;
}

}  // namespace deepprof
