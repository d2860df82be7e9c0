#include "analysis/steps/doubts.h"

#include <algorithm>

#include "analysis/iterations/confidence.h"
#include "analysis/steps/marked_steps.h"

namespace deepprof {
namespace {

constexpr double kMany = 0.25;  // of the iterations are far from the usual one
constexpr double kLow = kLowBelow - .01, kMedium = kHighFrom - .01;  // most, in the digits shown

// Whether they can: asked first, since setting marks beside iterations takes a pass over the ops.
bool may_show_parts(const StepMarks& marks) {
  size_t count = 0;
  for (const StepMarks::OfProcess& process : marks.processes) count += process.marks.size();
  return marks.rank == MarkRank::layer || count == 1;
}

// Whether marks show that what was found are parts of an iteration.
bool marks_show_parts(const DeviceMined& device, const MarkedSteps& marked) {
  if (marked.outside > 0) return false;
  if (marked.rank == MarkRank::layer)
    return marked.verdict == MarksVerdict::match && marked.matched == device.iterations.size();
  // One mark that holds all of them. A profiler may be stepped once an epoch, and says little; an
  // optimizer that ran once shows that none of them is a training step.
  const bool holds_all = marked.steps == 1 && marked.verdict == MarksVerdict::several_in_a_step;
  return holds_all &&
         (marked.rank == MarkRank::optimizer_step || device.verdict == Verdict::repeating_block);
}

}  // namespace

void doubt(const Trace& trace, Mined& mined) {
  std::vector<StepMarks> marks = find_step_marks(trace);
  std::erase_if(marks, [](const StepMarks& each) { return !may_show_parts(each); });
  std::vector<std::vector<uint32_t>> ops;
  if (!marks.empty()) ops = ops_by_device(trace);
  for (DeviceMined& device : mined.devices) {
    if (device.verdict == Verdict::none) continue;
    if (share_far_from_usual(device) > kMany)
      device.confidence = std::min(device.confidence, kMedium);
    const bool parts = std::any_of(marks.begin(), marks.end(), [&](const StepMarks& each) {
      return device.device < ops.size() &&
             marks_show_parts(device, set_beside(trace, each, ops[device.device], &device));
    });
    if (!parts) continue;
    device.verdict = Verdict::repeating_block;
    device.confidence = std::min(device.confidence, kLow);
  }
}

}  // namespace deepprof
