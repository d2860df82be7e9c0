#include "analysis/steps/marked_steps.h"

#include <algorithm>
#include <limits>
#include <map>

#include "libdeepprof/middle_median.h"

namespace deepprof {
namespace {

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
  uint32_t first_launched = kNone;                         // the op
  uint32_t iterations = 0;                                 // most of whose ops are its own

  void add(const Trace& trace, uint32_t index, bool on_main_stream) {
    const Op& op = trace.ops[index];
    ++ops;
    if (on_main_stream) start_ns = std::min(start_ns, op.start_ns);
    const auto launched_ns = [&](uint32_t of) {
      return trace.calls[trace.ops[of].launch].start_ns;
    };
    if (first_launched == kNone || launched_ns(index) < launched_ns(first_launched))
      first_launched = index;
  }
  // Where none of them ran on the main stream, the first that was launched.
  void settle_start(const Trace& trace) {
    if (ops > 0 && start_ns == std::numeric_limits<int64_t>::max())
      start_ns = trace.ops[first_launched].start_ns;
  }
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
    result_.step_of_iteration.resize(mined_.iterations.size(), kNone);
    for (uint32_t step = 0; step < step_of_.size(); ++step) result_.names.push_back(name_of(step));
    for (size_t i = 0; i < mined_.iterations.size(); ++i) compare(i);
    result_.per_iteration = middle_median(steps_in_);
    std::vector<double> iterations_in;
    for (const StepWork& step : work_) {
      if (step.ops > 0) iterations_in.push_back(step.iterations);
    }
    result_.per_step = middle_median(iterations_in);
    result_.shift_ns = middle_median(shifts_);
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
    result_.step_of_iteration[index] = step;
    const Iteration& iteration = mined_.iterations[index];
    if (!iteration.partial) shifts_.push_back(iteration.start_ns - work_[step].start_ns);
  }

  std::string name_of(uint32_t step) const {
    const NameId name = step_of_[step].name;
    return name == 0 ? "optimizer step " + std::to_string(step) : std::string(trace_.names[name]);
  }

  const Trace& trace_;
  const StepOfTime& step_of_;
  std::vector<StepWork>& work_;
  const DeviceMined& mined_;
  MarkedSteps& result_;
  std::vector<int64_t> shifts_;
  std::vector<double> steps_in_;
};

MarksVerdict judge(const MarkedSteps& marked) {
  if (marked.matched == marked.steps) return MarksVerdict::match;
  constexpr double kSeveral = 1.5;
  if (marked.per_step >= kSeveral) return MarksVerdict::several_in_a_step;
  if (marked.per_iteration >= kSeveral) return MarksVerdict::several_steps_in_one;
  return MarksVerdict::differ;
}

// Whether each step holds as many whole iterations as the others, and several.
bool holds_as_many(const MarkedSteps& marked, const std::vector<StepWork>& work) {
  constexpr uint64_t kFewestSteps = 3;
  return marked.verdict == MarksVerdict::several_in_a_step && marked.steps >= kFewestSteps &&
         marked.outside == 0 && std::all_of(work.begin(), work.end(), [&](const StepWork& step) {
           return step.ops == 0 || step.iterations == marked.per_step;
         });
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

MarkedSteps set_beside(const Trace& trace, const StepMarks& marks, std::span<const uint32_t> ops,
                       const DeviceMined* mined) {
  MarkedSteps result;
  if (marks.marker.empty()) return result;
  result.marker = marks.marker;
  result.rank = marks.rank;
  result.by_repetition = marks.by_repetition();
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
    work[step].add(trace, index, op.stream == main_stream);
  }
  if (in_steps == 0 || (result.by_repetition && 2 * in_steps <= launched)) return {};

  std::vector<int64_t> starts, distances;
  for (StepWork& step : work) {
    step.settle_start(trace);
    if (step.ops > 0) starts.push_back(step.start_ns);
  }
  result.steps = starts.size();
  std::sort(starts.begin(), starts.end());
  for (size_t i = 1; i < starts.size(); ++i) distances.push_back(starts[i] - starts[i - 1]);
  result.median_ns = middle_median(distances);
  if (mined == nullptr || mined->iterations.empty()) {
    if (result.by_repetition) return {};
    result.verdict = MarksVerdict::no_iterations;
    return result;
  }
  Beside(trace, step_of, work, *mined, result).compare();
  result.verdict = judge(result);
  // Names that do not speak of steps may mark anything: only their agreement says something, or that
  // what they count holds the same number of iterations each time.
  const bool agrees =
      result.verdict == MarksVerdict::match || (marks.numbered && holds_as_many(result, work));
  if (result.by_repetition && !agrees) return {};
  return result;
}

MarkedSteps set_beside(const Trace& trace, std::span<const StepMarks> marks,
                       std::span<const uint32_t> ops, const DeviceMined* mined) {
  for (const StepMarks& each : marks) {
    MarkedSteps result = set_beside(trace, each, ops, mined);
    if (result.verdict != MarksVerdict::none) return result;
  }
  return {};
}

}  // namespace deepprof
